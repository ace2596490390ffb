"""From the server's reply to an observation. Pure: no process, no clock.

The server's word (killed, status, fault) goes before the child's: a record
counts only where nothing speaks against it.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Sequence
from typing import Any, Literal

import msgspec

from verifier.model import Case, Environment, Observation, Outcome
from verifier.probe.wire import Message

Stage = Literal["", "setup", "probe", "checks"]


class Progress(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The part of the case that a child was about to run."""

    stage: Stage
    check: int | None = None


class Own(msgspec.Struct, frozen=True):
    """What a child may say of its own end, and has to say. The rest is the server's."""

    outcome: Literal["done", "exception", "missing-module"]


class Reply(msgspec.Struct, frozen=True, kw_only=True):
    """What the server says about a child that has ended.

    `killed` is the outcome for which the server killed it, `status` the wait
    status, `cpu` in seconds.
    """

    killed: Outcome | Literal[""]
    detail: str
    status: int
    cpu: float
    ended: bool
    fault: str
    dropped: int
    clean: bool


_PROGRESS = msgspec.json.Decoder(Progress)
_OWN = msgspec.json.Decoder(Own)
_OBSERVATION = msgspec.json.Decoder(Observation, strict=True)


def read_reply(header: dict[str, Any]) -> Reply | None:
    """The reply, or None if it is none."""
    try:
        return msgspec.convert(header, Reply)
    except msgspec.ValidationError:
        return None


def observation(
    case: Case, reply: Reply, stdout: bytes, stderr: bytes, records: Sequence[bytes], cpu: float
) -> Observation:
    """What happened. `cpu` is the limit of CPU seconds that the case had."""
    outcome, detail = _failure(reply, cpu)
    observed = _decode(records[-1], case) if not outcome and records else None
    if not outcome and not isinstance(observed, Observation):
        outcome, detail = "channel-corrupt", observed or "no record before the end"
    if isinstance(observed, Observation):
        result = observed
    else:
        progress = _last_progress(records)
        where = _place(progress, case)
        result = Observation(
            outcome=outcome or "channel-corrupt",
            stage=progress.stage if progress else "",
            detail=f"{detail}, {where}" if where else detail,
        )
    return msgspec.structs.replace(
        result,
        stdout=stdout.decode("utf-8", "replace"),
        stderr=stderr.decode("utf-8", "replace"),
        dropped=reply.dropped,
    )


def _failure(reply: Reply, cpu: float) -> tuple[Outcome | Literal[""], str]:
    """Why the record, if there is one, does not count."""
    if reply.killed:
        return reply.killed, reply.detail
    if os.WIFSIGNALED(reply.status):
        number = os.WTERMSIG(reply.status)
        if number == signal.SIGXCPU or (number == signal.SIGKILL and reply.cpu >= cpu):
            return "cpu-limit", f"used more than {cpu:g} s of CPU time"
        return "signal", f"killed by {_signal_name(number)}"
    if reply.fault:
        return "channel-corrupt", reply.fault
    if not reply.ended:
        status = os.WEXITSTATUS(reply.status)
        return "no-result", f"the process ended with exit status {status} before it could report"
    return "", ""


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:  # a real-time signal
        return f"signal {number}"


def _decode(record: bytes, case: Case) -> Observation | str:
    """The child's observation, or why it is none."""
    try:
        _OWN.decode(record)
        observed = _OBSERVATION.decode(record)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        return f"the record is not an observation: {error}"
    if observed.outcome == "done" and len(observed.checks) != len(case.claim.checks):
        return f"the record has {len(observed.checks)} checks of {len(case.claim.checks)}"
    return observed


def _last_progress(records: Sequence[bytes]) -> Progress | None:
    for record in reversed(records):
        try:
            return _PROGRESS.decode(record)
        except msgspec.DecodeError:
            continue
    return None


def _place(progress: Progress | None, case: Case) -> str:
    """Where the child was, for people."""
    if progress is None:
        return ""
    if progress.check is None or progress.check not in range(len(case.claim.checks)):
        return f"in the {progress.stage}" if progress.stage else ""
    check = case.claim.checks[progress.check]
    code = getattr(check, "code", None) or getattr(check, "first", None)
    return f"in the check at {case.claim.file}:{code.line}" if code else "in a check"


def with_times(observed: Observation, *, queue: float, total: float, attempts: int) -> Observation:
    """The observation with what only the parent can measure, in seconds."""
    durations = msgspec.structs.replace(observed.durations, queue=queue, total=total)
    return msgspec.structs.replace(observed, durations=durations, attempts=attempts)


def environment(message: Message | None) -> Environment | str:
    """The environment that a child reports, or why there is no such device."""
    reply = read_reply(message[0]) if message else None
    if message is None or reply is None:
        return "the fork server died when it was asked for the device"
    failure, detail = _failure(reply, reply.cpu)
    if failure:
        return f"asking for the device failed: {detail}"
    try:
        answer = msgspec.json.decode(message[1][-1], type=_DeviceAnswer)
    except msgspec.DecodeError as error:
        return f"asking for the device gave no answer: {error}"
    return answer.environment or answer.missing


class _DeviceAnswer(msgspec.Struct, frozen=True):
    environment: Environment | None = None
    missing: str = ""
