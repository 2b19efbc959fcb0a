"""Encodings, byte order marks and line ends: what comes in goes out again."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from editstream.workspace import MAX_FILE_BYTES, FileTooLarge, TextFile, UnsupportedText, Workspace
from editstream.workspace.text_files import decode, encode

MARKED = {
    "utf-8": b"\xef\xbb\xbf",
    "utf-16-le": b"\xff\xfe",
    "utf-16-be": b"\xfe\xff",
    "utf-32-le": b"\xff\xfe\x00\x00",
    "utf-32-be": b"\x00\x00\xfe\xff",
}
CODECS = [("utf-8", b""), *MARKED.items()]
TEXT = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"])).filter(
    lambda text: not text.startswith("\ufeff")
)
FRENCH = "Où est passé l'été dernier ? Les élèves étaient déjà là, près de la forêt.\r\nVoilà, ça y est !\n" * 4


@given(text=TEXT, new=TEXT, codec=st.sampled_from(CODECS))
def test_encoding_mark_and_line_ends_are_kept(text: str, new: str, codec: tuple[str, bytes]) -> None:
    """A file in any marked encoding is read as its text, and an edit of it differs in the text alone."""
    encoding, bom = codec
    data = bom + text.encode(encoding)
    file = decode("a", data)
    assert (file.text, file.encoding, file.bom) == (text, encoding, bom)
    assert encode(file, text) == data
    assert encode(file, new) == bom + new.encode(encoding)


@given(data=st.binary(max_size=200))
def test_any_bytes_come_back_or_are_refused(data: bytes) -> None:
    """Reading and writing back arbitrary bytes changes none of them, or raises UnsupportedText."""
    try:
        file = decode("a", data)
    except UnsupportedText:
        return
    assert encode(file, file.text) == data


@pytest.mark.parametrize("encoding", ["latin-1", "cp1252", "cp1251", "shift_jis", "gb18030", "euc_kr", "iso8859_2"])
def test_an_unmarked_encoding_is_detected_and_kept(tmp_path: Path, encoding: str) -> None:
    """A file in a legacy encoding is edited in it, byte for byte around the edit."""
    words = {"cp1251": "Привет, мир. Это строка текста.\n", "shift_jis": "これは日本語の文章です。\n"}
    words |= {"gb18030": "这是一个中文句子，用来测试。\n", "euc_kr": "이것은 한국어 문장입니다.\n"}
    words |= {"iso8859_2": "Zażółć gęślą jaźń, proszę państwa.\n"}
    data = (words.get(encoding, FRENCH) * 8).encode(encoding)
    (tmp_path / "a").write_bytes(data)
    workspace = Workspace(tmp_path)
    file = workspace.read("a")
    workspace.write_text("a", file.text + "plain\r\n", expected=file)
    assert (tmp_path / "a").read_bytes() == data + b"plain\r\n"


def test_without_the_extra_the_error_names_it(tmp_path: Path) -> None:
    """Without charset-normalizer, bytes that are not UTF-8 raise an error that says what to install."""
    (tmp_path / "a").write_bytes(FRENCH.encode("latin-1"))
    script = (
        "import sys; sys.modules['charset_normalizer'] = None\n"
        "from editstream.workspace import UnsupportedText, Workspace\n"
        "try: Workspace(sys.argv[1]).read('a')\n"
        "except UnsupportedText as error: print(error)"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, str(tmp_path)], capture_output=True, text=True, check=True, cwd=tmp_path
    )
    assert "pip install 'editstream[encodings]'" in done.stdout


def test_detection_is_imported_only_when_used(tmp_path: Path) -> None:
    """Reading UTF-8 does not import charset-normalizer."""
    (tmp_path / "a").write_text("ü")
    script = (
        "import sys; from editstream.workspace import Workspace; Workspace(sys.argv[1]).read('a')\n"
        "print('charset_normalizer' in sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, str(tmp_path)], capture_output=True, text=True, check=True, cwd=tmp_path
    )
    assert done.stdout == "False\n"


@pytest.mark.parametrize(
    "data",
    [
        b"a\0b",
        b"\x7fELF\x02\x01\x01\0\0\0\xff\xfe",
        b"\xff\xfea",
        b"\xff\xfe\x00\xd8",
        b"\xef\xbb\xbf\xff",
        b"\xff\xfe\0\0"[:3],
    ],
    ids=repr,
)
def test_binary_and_broken_text_is_refused(tmp_path: Path, data: bytes) -> None:
    """A binary file, or one that is not what its mark says, is neither read nor overwritten."""
    (tmp_path / "a").write_bytes(data)
    workspace = Workspace(tmp_path)
    with pytest.raises(UnsupportedText):
        workspace.read("a")
    with pytest.raises(UnsupportedText):
        workspace.write_text("a", "text")
    assert (tmp_path / "a").read_bytes() == data


@pytest.mark.parametrize(
    ("before", "text"),
    [(FRENCH.encode("latin-1"), "日本"), ("ü".encode(), "lone \ud800"), ("ü".encode(), "nul \0"), (None, "\udcff")],
)
def test_text_that_does_not_fit_is_an_error(tmp_path: Path, before: bytes | None, text: str) -> None:
    """A character that the file's encoding cannot express raises UnsupportedText, and nothing is written or made."""
    if before is not None:
        (tmp_path / "a").write_bytes(before)
    with pytest.raises(UnsupportedText):
        Workspace(tmp_path).write_text("a" if before is not None else "new/a", text)
    assert [path.name for path in tmp_path.iterdir()] == (["a"] if before is not None else [])
    assert before is None or (tmp_path / "a").read_bytes() == before


def test_text_that_would_come_back_changed_is_an_error() -> None:
    """A character that the codec writes and reads as another one (the yen sign of Shift JIS) is refused."""
    with pytest.raises(UnsupportedText):
        encode(TextFile("a", encoding="shift_jis"), "\xa5")


def test_the_size_is_bounded(tmp_path: Path) -> None:
    """A file above the bound is refused before it is read, and so is a text that would make one."""
    with open(tmp_path / "big", "wb") as file:
        file.truncate(MAX_FILE_BYTES + 1)
    workspace = Workspace(tmp_path)
    with pytest.raises(FileTooLarge):
        workspace.read("big")
    with pytest.raises(FileTooLarge):
        workspace.write_text("new", "ü" * (MAX_FILE_BYTES // 2 + 1))
    assert not (tmp_path / "new").exists()


def test_a_new_file_takes_the_encoding_that_is_asked_for(tmp_path: Path) -> None:
    """A new file is UTF-8 without a mark, or what the expected file's value says."""
    workspace = Workspace(tmp_path)
    workspace.write_text("plain", "ü\r\n")
    workspace.write_text("marked", "ü", expected=TextFile("marked", encoding="utf-16-le", bom=b"\xff\xfe"))
    assert (tmp_path / "plain").read_bytes() == b"\xc3\xbc\r\n"
    assert (tmp_path / "marked").read_bytes() == b"\xff\xfe\xfc\x00"
