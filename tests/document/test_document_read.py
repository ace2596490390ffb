from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

from verifier.document import DocumentError, read
from verifier.document.read import LARGEST


def test_a_document_knows_its_bytes_and_text(tmp_path: Path) -> None:
    path = tmp_path / "doc.txt"
    content = b"\xef\xbb\xbfOne.\r\n\xed\x95\x9c\r\n"
    path.write_bytes(content)
    document = read(path)
    assert document.path == str(path)
    assert document.text == "One.\r\n한\r\n"
    assert document.digest == hashlib.sha256(content).hexdigest()
    assert document.blocks[0].kind == "prose"


@pytest.mark.parametrize("name", ["notes", "notes.text", "notes.md"])
def test_other_text_is_read_as_plain_text(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_text("x = 1\n")
    assert [block.kind for block in read(tmp_path / name).blocks] == ["code"]


@pytest.mark.parametrize(
    ("name", "content", "place", "words"),
    [
        ("page.html", b"<p>", "1:1", ("is HTML", "plain text", ".txt")),
        ("page.IPYNB", b"{}", "1:1", ("notebook", "plain text")),
        ("bin.txt", b"ab\ncd\0ef", "2:3", ("binary", "plain text")),
        ("latin.txt", b"ab\ncaf\xe9 au lait", "2:4", ("0xe9", "save it as UTF-8")),
        ("mark.txt", b"\xef\xbb\xbfab\r\n\xed\x95\x9c\xff", "2:2", ("0xff", "save it as UTF-8")),
        ("wide.txt", "ab".encode("utf-16"), "1:1", ("UTF-16", "save it as UTF-8")),
        ("empty.txt", b"", "1:1", ("empty",)),
        ("space.txt", b" \n\n", "1:1", ("empty",)),
        ("large.txt", b"a" * (LARGEST + 1), "1:1", ("larger than 10 MB", "part")),
    ],
)
def test_what_cannot_be_read(
    tmp_path: Path, name: str, content: bytes, place: str, words: tuple[str, ...]
) -> None:
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(DocumentError) as caught:
        read(path)
    message = str(caught.value)
    assert message.startswith(f"{path}:{place}: ")
    assert all(word in message for word in words), message


def test_what_is_no_file(tmp_path: Path) -> None:
    with pytest.raises(DocumentError, match=r"none\.txt:1:1: no such file; check the path"):
        read(tmp_path / "none.txt")
    with pytest.raises(DocumentError, match="is a folder; name one of the documents in it"):
        read(tmp_path)
    with pytest.raises(DocumentError, match="is a device or a pipe"):
        read("/dev/null")
    with pytest.raises(DocumentError, match="cannot be read"):
        read("a\0b.txt")
