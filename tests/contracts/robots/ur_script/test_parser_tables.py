"""Parsing tables in the cache folder: kept, damaged, not writable."""

import pytest

from armtwin.robots.ur_controller.script.language import parser_tables
from armtwin.robots.ur_controller.script.language.parser_tables import parser_of

GRAMMAR = 'start: "a" WORD*\nWORD: /[b-z]+/\n%ignore " "\n'
TEXT = "a bc de"


@pytest.fixture(autouse=True)
def cache(tmp_path, monkeypatch):
    """A cache folder of its own."""
    monkeypatch.setenv("ARMTWIN_CACHE", str(tmp_path))
    return tmp_path


def words():
    """Return the words that a parser of the grammar finds."""
    return [str(word) for word in parser_of(GRAMMAR, None).parse(TEXT).children]


def test_kept_tables_are_used(cache, monkeypatch):
    """Nothing is computed when tables of the grammar are kept."""
    assert words() == ["bc", "de"]
    assert len(list(cache.iterdir())) == 1
    monkeypatch.setattr(parser_tables, "_computed", None)
    assert words() == ["bc", "de"]


@pytest.mark.parametrize("damage", [lambda data: data[:-7], lambda data: data[:40] + b"x" * 60])
def test_damaged_tables_are_computed_again(cache, monkeypatch, damage):
    """Tables are computed again when their file is cut or overwritten."""
    words()
    [file] = cache.iterdir()
    file.write_bytes(damage(file.read_bytes()))
    assert words() == ["bc", "de"]
    monkeypatch.setattr(parser_tables, "_computed", None)
    assert words() == ["bc", "de"]


def test_without_a_cache_folder(cache, monkeypatch):
    """The grammar is parsed when nothing can be written."""
    (cache / "file").touch()
    monkeypatch.setenv("ARMTWIN_CACHE", str(cache / "file"))
    assert words() == ["bc", "de"]
