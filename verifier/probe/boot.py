"""Start the fork server in a fresh interpreter: ``python -P boot.py FD CONFIG``.

This file is run by its path. It makes `verifier.probe` importable as a bare
shell, without putting the folder above the package on ``sys.path``: there a
probe would find whatever lies beside the package, and another interpreter
would find this one's torch. It works the same for an installed package, an
editable install and a plain source tree, and needs nothing but the standard
library.
"""

import sys
import types
from pathlib import Path


def mount() -> None:
    """Register `verifier` and `verifier.probe` without running their ``__init__``."""
    room = Path(__file__).resolve().parent
    for name, folder in (("verifier", room.parent), ("verifier.probe", room)):
        module = types.ModuleType(name)
        module.__path__ = [str(folder)]
        sys.modules[name] = module


if __name__ == "__main__":
    mount()
    from verifier.probe.server import main

    main(int(sys.argv[1]), sys.argv[2])
