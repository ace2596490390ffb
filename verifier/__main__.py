"""``python -m verifier`` is the command ``verifier``."""

import sys

from verifier.cli import main

sys.exit(main())
