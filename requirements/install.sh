#!/usr/bin/env bash
# Makes or completes .venv: requirements/install.sh LIST... (names of the .txt files here).
# A list whose pins are unchanged since its last install is not installed again; the front end is
# built where web/ changed.
set -euo pipefail
root="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)"
venv="$root/.venv"

say() { printf '== %s\n' "$*" >&2; }

find_python() {
  local candidate
  for candidate in python3.11 python3 python3.12 python3.13; do
    if "$candidate" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then
      command -v "$candidate"
      return
    fi
  done
  say "armtwin needs Python 3.11 or newer; neither python3.11 nor python3 here is one. Install it first."
  return 1
}

fingerprint() { { printf '%s\n' "$root"; cat "$@"; } | sha256sum | cut -d' ' -f1; }

is_installed() { [ "$(cat "$venv/.installed-$1" 2>/dev/null)" = "$2" ]; }

if ! "$venv/bin/python" -c 'import pip' >/dev/null 2>&1; then
  python="$(find_python)"
  say "making .venv with $("$python" --version)"
  rm -rf "$venv"
  "$python" -m venv "$venv" || { say "Python cannot make virtual environments: install its venv module (Debian: python3-venv)"; exit 1; }
fi

wanted=()
files=()
for list in "$@"; do
  file="$root/requirements/$list.txt"
  if ! is_installed "$list" "$(fingerprint "$file")"; then
    wanted+=("$list")
    files+=(--requirement "$file")
  fi
done
if [ ${#wanted[@]} -gt 0 ]; then
  say "installing pinned packages: ${wanted[*]}"
  "$venv/bin/python" -m pip install --quiet --quiet --disable-pip-version-check "${files[@]}"
  for list in "${wanted[@]}"; do
    fingerprint "$root/requirements/$list.txt" >"$venv/.installed-$list"
  done
fi

if ! is_installed armtwin "$(fingerprint "$root/pyproject.toml")"; then
  say "installing armtwin from this folder"
  "$venv/bin/python" -m pip install --quiet --quiet --disable-pip-version-check \
    --no-deps --no-build-isolation --editable "$root"
  fingerprint "$root/pyproject.toml" >"$venv/.installed-armtwin"
fi

"$venv/bin/python" "$root/requirements/build_web.py"
