"""What a forked child does before and after its task. It never returns.

The order matters: first nothing of the server's may be reachable, then the
limits are set, then foreign code runs. Every page that a child writes to costs
a copy, so what can be done once in the server is done there.
"""

from __future__ import annotations

import contextlib
import dataclasses
import fcntl
import os
import signal
import sys
import time
import traceback
from collections.abc import Callable
from typing import NoReturn

from verifier.probe import linux
from verifier.probe.confine import Allowance, Layer
from verifier.probe.wire import RecordWriter

#: The child's own code failed; the traceback is in its stderr.
FAILED = 70

_MOST_DESCRIPTORS = os.sysconf("SC_OPEN_MAX")

#: Is given the seconds from before the fork until now.
Task = Callable[[RecordWriter, float], None]


@dataclasses.dataclass(frozen=True, kw_only=True)
class Birth:
    """What the server hands to a child. Descriptors are the writing ends of pipes,
    `begun` is the monotonic time just before the fork.
    """

    server: int
    begun: float
    records: int
    stdout: int
    stderr: int
    nonce: bytes
    scratch: str
    allowance: Allowance
    layers: tuple[Layer, ...]


def live(birth: Birth, task: Task) -> NoReturn:
    """Become a process of its own, confine it, run the task, and end."""
    status = FAILED
    try:
        os.setsid()
        linux.die_with_parent(signal.SIGKILL)
        if os.getppid() == birth.server:  # else it died before it could take us along
            linux.set_dumpable(dumpable=True)  # so that the server may measure our memory
            writer = _only_own_descriptors(birth)
            os.chdir(birth.scratch)
            for layer in birth.layers:
                layer.apply(birth.allowance)
            task(writer, time.monotonic() - birth.begun)
            status = 0
    except BaseException:  # noqa: BLE001 - nothing may return into the server
        traceback.print_exc()
    finally:
        with contextlib.suppress(BaseException):  # the probe may have broken its streams
            _flush()
        os._exit(status)


def _only_own_descriptors(birth: Birth) -> RecordWriter:
    """Keep 0 (null), 1, 2 and the record pipe, at a number nobody would guess."""
    os.dup2(birth.stdout, 1)
    os.dup2(birth.stderr, 2)
    number = min(700 + (birth.nonce[0] << 8 | birth.nonce[1]) % 300, _MOST_DESCRIPTORS - 1)
    records = fcntl.fcntl(birth.records, fcntl.F_DUPFD_CLOEXEC, number)
    os.closerange(3, records)
    os.closerange(records + 1, _MOST_DESCRIPTORS)
    return RecordWriter(records, birth.nonce, birth.allowance.limits.record)


def _flush() -> None:
    for stream in (sys.stdout, sys.stderr, sys.__stdout__, sys.__stderr__):
        if stream is not None:
            stream.flush()
