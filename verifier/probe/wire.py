"""The two channels: messages between parent and server, records out of a child.

A **message** is a JSON header and binary parts, on the socket between parent
and server. Both ends are ours; whatever cannot be read means that the other
end is gone.

A **record** is JSON from a process that runs foreign code. It is framed as
nonce, kind, length, payload, nonce; the nonce differs for each case. Anything
else in the pipe is a fault, which is a value here and never an exception.
"""

from __future__ import annotations

import itertools
import json
import os
import socket
import struct
import time
from typing import Any

NONCE_BYTES = 16
RECORD = b"r"
END = b"e"

_LENGTH = struct.Struct(">I")
_SIZES = struct.Struct(">II")
_CHUNK = 1 << 18

Header = dict[str, Any]
Message = tuple[Header, list[bytes]]


def send(sock: socket.socket, header: Header, *parts: bytes) -> bool:
    """Send a message; False if the other end is gone."""
    text = json.dumps(header | {"parts": [len(part) for part in parts]}).encode()
    sizes = _SIZES.pack(len(text), sum(map(len, parts)))
    try:
        sock.sendall(b"".join((sizes, text, *parts)))
    except OSError:
        return False
    return True


def receive(sock: socket.socket, deadline: float | None = None) -> Message | None:
    """The next message; None if the other end is gone or says what cannot be read.

    Requests and replies alternate, so no byte of a further message can follow.
    Raises TimeoutError at `deadline`, in seconds of the monotonic clock.
    """
    data = bytearray()
    missing = _SIZES.size
    while missing > 0:
        chunk = _some(sock, deadline)
        if not chunk:
            return None
        data += chunk
        if len(data) >= _SIZES.size:
            missing = _SIZES.size + sum(_SIZES.unpack_from(data)) - len(data)
    return _split(bytes(data))


def _some(sock: socket.socket, deadline: float | None) -> bytes:
    if deadline is not None:
        left = deadline - time.monotonic()
        if left <= 0:
            raise TimeoutError
        sock.settimeout(left)
    try:
        return sock.recv(_CHUNK)
    except ConnectionError:
        return b""


def _split(data: bytes) -> Message | None:
    start = _SIZES.size + _SIZES.unpack_from(data)[0]
    try:
        header = json.loads(data[_SIZES.size : start])
        ends = list(itertools.accumulate(map(int, header.pop("parts")), initial=start))
    except (ValueError, KeyError, TypeError, AttributeError):
        return None
    return header, [data[first:last] for first, last in itertools.pairwise(ends)]


class RecordWriter:
    """The child's end. Only the process that made it can write: a fork of the
    probe that runs off the end of its code must not report a second time.
    """

    def __init__(self, fd: int, nonce: bytes, longest: int) -> None:
        self.longest = longest
        self._fd = fd
        self._nonce = nonce
        self._owner = os.getpid()

    def fits(self, payload: bytes) -> bool:
        """Whether a record of this payload would be accepted."""
        return len(payload) <= self.longest

    def write(self, payload: bytes) -> None:
        """Write one record."""
        self._write(self._frame(RECORD, payload))

    def finish(self, payload: bytes) -> None:
        """Write the last record, and say that this was all."""
        self._write(self._frame(RECORD, payload) + self._frame(END, b""))

    def _frame(self, kind: bytes, payload: bytes) -> bytes:
        length = _LENGTH.pack(len(payload))
        return b"".join((self._nonce, kind, length, payload, self._nonce))

    def _write(self, frames: bytes) -> None:
        if os.getpid() != self._owner:
            return
        data = memoryview(frames)
        while data:
            data = data[os.write(self._fd, data) :]


class RecordReader:
    """The server's end: bytes in, whole records out, the first fault kept."""

    def __init__(self, nonce: bytes, longest: int, most: int) -> None:
        self.records: list[bytes] = []
        self.ended = False
        self.fault = ""
        self._nonce = nonce
        self._longest = longest
        self._left = most
        self._buffer = bytearray()

    def feed(self, data: bytes) -> None:
        """Take bytes as they come."""
        self._left -= len(data)
        if self._left < 0:
            self.fault = self.fault or "more records than allowed"
        if self.fault:
            return
        self._buffer += data
        while not self.fault and self._next():
            pass

    def finish(self) -> None:
        """Say that no more bytes come."""
        if self._buffer and not self.fault:
            self.fault = "a record breaks off" if not self.ended else "bytes after the end"

    def _next(self) -> bool:
        """Take one frame off the buffer, if it is complete."""
        start = self._nonce
        head = len(start) + 1 + _LENGTH.size
        if self.ended and self._buffer:
            self.fault = "bytes after the end"
        elif not self._buffer.startswith(start[: len(self._buffer)]):
            self.fault = "bytes that are no record"
        if self.fault or len(self._buffer) < head:
            return False
        kind = bytes(self._buffer[len(start) : len(start) + 1])
        length = _LENGTH.unpack(self._buffer[len(start) + 1 : head])[0]
        if kind not in (RECORD, END) or length > self._longest:
            self.fault = "a record of unknown kind" if length <= self._longest else "a long record"
            return False
        whole = head + length + len(start)
        if len(self._buffer) < whole:
            return False
        if self._buffer[head + length : whole] != start:
            self.fault = "a record without its end"
            return False
        if kind == END:
            self.ended = True
        else:
            self.records.append(bytes(self._buffer[head : head + length]))
        del self._buffer[:whole]
        return True
