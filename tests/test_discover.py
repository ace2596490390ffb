"""Which files are taken for claim files."""

from pathlib import Path

import pytest

from verifier.discover import claim_files, looks_like_claim_file


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("schema: 1\nclaims: []\n", True),
        ("# a comment\n\nschema: 1\n", True),
        ("claims:\n\t- broken by a tab\n", True),
        ('"schema": 1\n', True),
        ("\ufeffschema: 1\n", True),
        ("schema: 1\r\nclaims: []\r\n", True),
        ("schema: https://example.org/schema.json\n", False),
        ("jobs:\n  schema: 1\n  claims: 2\n", False),
        ("openapi: 3.1.0\n", False),
        ("", False),
    ],
)
def test_the_root_keys_decide(tmp_path: Path, text: str, expected: bool):
    path = tmp_path / "file.yaml"
    path.write_text(text, encoding="utf-8", newline="")
    assert looks_like_claim_file(path) is expected


def test_other_suffixes_are_left_alone(tmp_path: Path):
    path = tmp_path / "file.txt"
    path.write_text("schema: 1\nclaims: []\n")
    assert not looks_like_claim_file(path)


def test_a_file_that_is_not_there_is_no_claim_file(tmp_path: Path):
    assert not looks_like_claim_file(tmp_path / "missing.yaml")


def test_a_folder_is_no_claim_file(tmp_path: Path):
    (tmp_path / "folder.yaml").mkdir()
    assert not looks_like_claim_file(tmp_path / "folder.yaml")


def test_folders_are_searched_and_files_taken_once(tmp_path: Path):
    for name in ("b.yaml", "a.yml", "sub/c.yaml", ".hidden/d.yaml", "other.yaml"):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text("other: 1\n" if name == "other.yaml" else "schema: 1\n")
    found = list(claim_files([tmp_path, tmp_path / "b.yaml", tmp_path / "other.yaml"]))
    assert [path.relative_to(tmp_path).as_posix() for path in found] == [
        "a.yml",
        "b.yaml",
        "sub/c.yaml",
        "other.yaml",  # named outright: its reader says what is wrong with it
    ]


def test_a_file_that_may_not_be_read_is_not_passed_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    (tmp_path / "locked.yaml").write_text("other: 1\n")
    assert list(claim_files([tmp_path])) == []

    def refuse(path: Path, *_: object) -> None:
        raise PermissionError(13, "Permission denied", str(path))

    monkeypatch.setattr(Path, "open", refuse)
    assert list(claim_files([tmp_path])) == [tmp_path / "locked.yaml"]
