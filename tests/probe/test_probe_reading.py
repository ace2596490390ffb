"""Reading the server's reply: its word goes before the child's."""

import signal

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from verifier.model import Environment, Observation
from verifier.probe import outcome

DONE = b'{"outcome": "done", "checks": [{"truth": true}]}'
PROGRESS = b'{"stage": "checks", "check": 0}'
HEADER = {
    "killed": "",
    "detail": "",
    "status": 0,
    "cpu": 0.1,
    "ended": True,
    "fault": "",
    "dropped": 0,
    "clean": True,
}


@pytest.fixture
def read(make_case):
    case = make_case("x = 1", "x == 1")

    def run(*records: bytes, stdout: bytes = b"", **fields: object) -> Observation:
        reply = outcome.read_reply(HEADER | fields)
        assert reply is not None
        return outcome.observation(case, reply, stdout, b"", records, 10.0)

    return run


def test_done(read) -> None:
    observed = read(PROGRESS, DONE, stdout=b"out\xff", dropped=3)
    assert (observed.outcome, observed.checks[0].truth) == ("done", True)
    assert (observed.stdout, observed.dropped) == ("out\ufffd", 3)


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({"killed": "timeout", "detail": "late"}, "timeout"),
        ({"killed": "memory-limit"}, "memory-limit"),
        ({"killed": "output-limit"}, "output-limit"),
        ({"status": int(signal.SIGSEGV)}, "signal"),
        ({"status": int(signal.SIGXCPU)}, "cpu-limit"),
        ({"status": int(signal.SIGKILL), "cpu": 10.5}, "cpu-limit"),
        ({"status": int(signal.SIGKILL), "cpu": 1.0}, "signal"),
        ({"status": 40}, "signal"),
        ({"fault": "junk"}, "channel-corrupt"),
        ({"ended": False, "status": 3 << 8}, "no-result"),
    ],
)
def test_a_record_does_not_count_against_the_server(read, fields, expected: str) -> None:
    observed = read(PROGRESS, DONE, **fields)
    assert observed.outcome == expected
    assert observed.checks == ()
    assert observed.stage == "checks"
    assert observed.detail.endswith("in the check at claims/sample.yaml:20")


@pytest.mark.parametrize(
    "record",
    [
        b"",
        b"[]",
        b"{}",
        b"\xff",
        b'{"outcome": "verified"}',
        b'{"outcome": "unavailable"}',
        b'{"outcome": "done", "checks": []}',
        b'{"outcome": "done", "checks": [{"truth": 1}]}',
        b'{"outcome": "done", "checks": [{}, {}]}',
        b"[" * 60_000,
    ],
)
def test_what_is_no_observation_is_corrupt(read, record: bytes) -> None:
    assert read(record).outcome == "channel-corrupt"


def test_no_record_before_the_end_is_corrupt(read) -> None:
    assert read().outcome == "channel-corrupt"


@given(st.binary(max_size=200))
def test_any_bytes_give_an_observation(make_case, data: bytes) -> None:
    reply = outcome.read_reply(HEADER)
    assert reply is not None
    observed = outcome.observation(make_case(), reply, data, data, [data], 10.0)
    assert observed.outcome == "channel-corrupt"


@pytest.mark.parametrize("broken", [{}, {"killed": "nonsense"}, {"status": "0"}])
def test_what_is_no_reply(broken: dict[str, object]) -> None:
    assert outcome.read_reply(HEADER | broken if broken else {}) is None


def test_environment() -> None:
    found = Environment(id="torch-2.0+cpu")
    answer = msgspec.json.encode({"environment": found})
    assert outcome.environment((HEADER, [b"", b"", answer])) == found


@pytest.mark.parametrize(
    ("message", "reason"),
    [
        (None, "died"),
        ((HEADER, [b"", b"", b'{"missing": "no driver"}']), "no driver"),
        ((HEADER, [b"", b"", b"junk"]), "gave no answer"),
        ((HEADER | {"status": 11}, [b"", b""]), "killed by SIGSEGV"),
    ],
)
def test_no_environment(message, reason: str) -> None:
    found = outcome.environment(message)
    assert isinstance(found, str)
    assert reason in found
