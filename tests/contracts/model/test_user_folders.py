"""The folders of the user: environment variables first, then the platform's convention."""

from pathlib import Path

import pytest

from armtwin.files import cache_folder, data_folder

HOME = Path("home") / "someone"
PLATFORMS = {
    "linux": (".cache", ".local/share"),
    "darwin": ("Library/Caches", "Library/Application Support"),
    "win32": ("AppData/Local", "AppData/Roaming"),
}


@pytest.fixture(autouse=True)
def bare_environment(monkeypatch):
    """Remove every variable that names a folder."""
    monkeypatch.setattr(Path, "home", lambda: HOME)
    for name in ("ARMTWIN_CACHE", "ARMTWIN_HOME", "XDG_CACHE_HOME", "XDG_DATA_HOME"):
        monkeypatch.delenv(name, raising=False)
    for name in ("LOCALAPPDATA", "APPDATA"):
        monkeypatch.delenv(name, raising=False)


@pytest.mark.parametrize("platform", PLATFORMS)
def test_platform_folders(platform, monkeypatch):
    """The platform's folders below home when no variable is set."""
    monkeypatch.setattr("sys.platform", platform)
    cache, data = PLATFORMS[platform]
    assert cache_folder() == HOME / cache / "armtwin"
    assert data_folder() == HOME / data / "armtwin"


def test_variables(monkeypatch):
    """The platform's variable when it is set, armtwin's own before it."""
    monkeypatch.setattr("sys.platform", "linux")
    monkeypatch.setenv("XDG_CACHE_HOME", "c")
    monkeypatch.setenv("XDG_DATA_HOME", "d")
    assert (cache_folder(), data_folder()) == (Path("c/armtwin"), Path("d/armtwin"))
    monkeypatch.setenv("ARMTWIN_CACHE", "mine")
    monkeypatch.setenv("ARMTWIN_HOME", "own")
    assert (cache_folder(), data_folder()) == (Path("mine"), Path("own"))
