"""Framing: every sequence of bytes is either whole records or a fault, never an exception."""

import os
import socket
import struct
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from verifier.probe import wire
from verifier.probe.wire import RecordReader, RecordWriter

NONCE = b"0123456789abcdef"


def written(*payloads: bytes, end: bool = True) -> bytes:
    """What a writer sends for some records."""
    read, write = os.pipe()
    writer = RecordWriter(write, NONCE, 1000)
    for payload in payloads[:-1] if end else payloads:
        writer.write(payload)
    if end:
        writer.finish(payloads[-1])
    os.close(write)
    with os.fdopen(read, "rb") as pipe:
        return pipe.read()


def read_all(data: bytes, *, longest: int = 1000, most: int = 10_000, step: int = 7):
    reader = RecordReader(NONCE, longest, most)
    for start in range(0, len(data), step):
        reader.feed(data[start : start + step])
    reader.finish()
    return reader


@given(st.lists(st.binary(max_size=300), min_size=1, max_size=5), st.integers(1, 50))
def test_records_arrive_whole_however_they_are_cut(payloads: list[bytes], step: int) -> None:
    reader = read_all(written(*payloads), step=step)
    assert (reader.records, reader.ended, reader.fault) == (payloads, True, "")


@given(st.binary(max_size=300))
def test_anything_can_be_fed(data: bytes) -> None:
    reader = read_all(data)
    assert reader.records == []
    assert not reader.ended
    assert bool(reader.fault) == bool(data)


@given(st.data())
def test_a_record_that_breaks_off_is_a_fault(data: st.DataObject) -> None:
    whole = written(b"payload")
    cut = data.draw(st.integers(1, len(whole) - 1))
    reader = read_all(whole[:cut])
    assert not reader.ended
    assert reader.fault or reader.records == [b"payload"]


@pytest.mark.parametrize(
    ("data", "fault"),
    [
        (b"junk", "bytes that are no record"),
        (written(b"x") + b"junk", "bytes after the end"),
        (written(b"x" * 900, end=False) * 12, "more records than allowed"),
        (NONCE + b"?" + struct.pack(">I", 1), "a record of unknown kind"),
        (NONCE + b"r" + struct.pack(">I", 1001), "a long record"),
        (NONCE + b"r" + struct.pack(">I", 1) + b"x" + NONCE[::-1], "a record without its end"),
        (written(b"x", end=False)[:-1], "a record breaks off"),
        (written(b"x").replace(NONCE, NONCE[::-1]), "bytes that are no record"),
    ],
)
def test_faults(data: bytes, fault: str) -> None:
    assert read_all(data).fault == fault


def test_records_before_a_fault_are_kept() -> None:
    assert read_all(written(b"x", end=False) + b"junk").records == [b"x"]


def test_a_fork_cannot_write() -> None:
    read, write = os.pipe()
    writer = RecordWriter(write, NONCE, 1000)
    pid = os.fork()
    if pid == 0:
        writer.finish(b"mine")
        os._exit(0)
    os.waitpid(pid, 0)
    os.close(write)
    with os.fdopen(read, "rb") as pipe:
        assert pipe.read() == b""


@pytest.fixture
def ends():
    one, other = socket.socketpair()
    with one, other:
        yield one, other


def test_messages_carry_parts(ends) -> None:
    one, other = ends
    assert wire.send(one, {"a": 1}, b"first", b"", b"third")
    assert wire.receive(other) == ({"a": 1}, [b"first", b"", b"third"])


def test_closed_end_is_no_message(ends) -> None:
    one, other = ends
    one.close()
    assert wire.receive(other) is None
    assert not wire.send(other, {}, b"x" * 1_000_000)


@pytest.mark.parametrize("data", [b"\0\0", b"\0\0\0\1\0\0\0\0x", b"\0\0\0\2\0\0\0\0[]"])
def test_what_cannot_be_read_is_no_message(ends, data: bytes) -> None:
    one, other = ends
    one.sendall(data)
    one.close()
    assert wire.receive(other) is None


def test_waiting_has_an_end(ends) -> None:
    with pytest.raises(TimeoutError):
        wire.receive(ends[0], time.monotonic() + 0.01)
