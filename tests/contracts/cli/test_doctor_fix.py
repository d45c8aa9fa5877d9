"""``armtwin doctor --fix`` repairs what it can, asks before it installs, and says what it did."""

import json

import pytest

from armtwin.cli import repairs
from armtwin.cli.main import run
from armtwin.compile.native import cache
from armtwin.errors import InputError
from armtwin.processes import module_command


@pytest.fixture
def own_cache(tmp_path, monkeypatch):
    """Return an empty cache folder."""
    monkeypatch.setenv("ARMTWIN_CACHE", str(tmp_path / "cache"))
    cache.check_writable()
    return tmp_path / "cache"


@pytest.fixture
def lacking(monkeypatch):
    """Return a function that hides a module from armtwin, as if it were not installed."""

    def hide(*names):
        known = repairs.installed
        monkeypatch.setattr(
            repairs, "installed", lambda *asked: not set(asked) & set(names) and known(*asked)
        )

    return hide


def never(question):
    """Answer no."""
    return False


def always(question):
    """Answer yes."""
    return True


def test_damaged_files_of_the_cache_are_removed(own_cache):
    """Cut programs and changed code go, whole files stay, when the cache is repaired."""
    cache.write_text("program-whole.json", "[1, 2]")
    cache.write_text("program-cut.json", "[1, 2")
    code = b"machine code"
    whole, changed = own_cache / f"{cache.content_digest(code)}.so", own_cache / f"{'0' * 64}.so"
    whole.write_bytes(code)
    changed.write_bytes(code)
    found = repairs.repair_all([], never)
    assert {one.problem for one in found if one.done} == {
        f"{changed} is damaged",
        f"{own_cache / 'program-cut.json'} is damaged",
    }
    assert whole.exists() and (own_cache / "program-whole.json").exists()
    assert cache.damaged() == []


@pytest.mark.parametrize(("status", "done"), [(0, True), (1, False)])
def test_missing_extra_is_installed_after_a_yes(own_cache, lacking, status, done):
    """Pip gets what the package's metadata list when the answer is yes; a failure is reported."""
    lacking("serial")
    commands = []
    (found,) = repairs.repair_all(["servo"], always, lambda c: commands.append(c) or status)
    (command,) = commands
    *installing, package = command
    assert installing == module_command("pip", "install")
    assert package.startswith("pyserial")
    assert found.done is done
    assert ("installed" in found.answer) is done or "armtwin[servo]" in found.answer


def test_nothing_is_installed_after_a_no(own_cache, lacking):
    """The command to type is named and nothing runs when the answer is no."""
    lacking("serial")
    (found,) = repairs.repair_all(["servo"], never, lambda c: pytest.fail(f"{c} was run"))
    assert not found.done
    assert "pip install 'armtwin[servo]'" in found.answer


def test_missing_compiler_is_a_hint(own_cache, lacking, monkeypatch):
    """Packages with a compiler are named when none is found."""
    lacking("ziglang")
    monkeypatch.setattr(repairs.shutil, "which", lambda name: None)
    (found,) = repairs.repair_all([], never)
    assert not found.done and "gcc" in found.answer


@pytest.mark.parametrize("answer", [always, never])
def test_missing_pages_are_built_in_a_checkout(own_cache, tmp_path, monkeypatch, answer):
    """The build of the pages runs when they are missing and the answer is yes."""
    monkeypatch.setattr("armtwin.viewer.bundle.DIST", tmp_path / "none")
    commands = []
    (found,) = repairs.repair_all([], answer, lambda c: commands.append(c) or 0)
    assert found.done is (answer is always)
    assert [c[1].endswith("build_web.py") for c in commands] == [True] * found.done


def test_cache_that_cannot_be_written_is_left_to_the_user(tmp_path, monkeypatch):
    """The variable to set is named when the cache folder cannot be made."""
    (tmp_path / "file").touch()
    monkeypatch.setenv("ARMTWIN_CACHE", str(tmp_path / "file" / "inside"))
    (found,) = [one for one in repairs.repair_all([], never) if "cache" in one.problem]
    assert not found.done and "ARMTWIN_CACHE" in found.answer


def test_unknown_extra_is_refused():
    """The extras that exist are listed when another one is asked for."""
    with pytest.raises(InputError, match=r"no extra pictures; there are .*report"):
        repairs.repair_all(["pictures"], never)


def test_command_reports_its_repairs(own_cache, capsys):
    """Repairs are in the JSON when --fix is given, and --yes alone is refused."""
    (own_cache / "program-cut.json").write_text("[")
    assert run(["doctor", "--fix", "--extra", "servo", "--json"]) == 0
    (repair,) = json.loads(capsys.readouterr().out)["repairs"]
    assert repair["done"] and repair["problem"].endswith("program-cut.json is damaged")
    assert run(["doctor", "--yes"]) == 2
    assert "--fix" in capsys.readouterr().err
