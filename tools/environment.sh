#!/bin/sh
# Make .venv from uv.lock: `tools/environment.sh run` for the demo, `tools/environment.sh dev` for the tests.
# Does nothing when uv.lock has not changed since; never takes the developers' tools out again.
set -eu
cd "$(dirname "$0")/.."

UV_VERSION=0.13.8
stamp=.venv/.locked
wanted="${1:-run}"
export UV_PYTHON_DOWNLOADS=never UV_NO_PROGRESS=1

say() { printf '%s\n' "$*" >&2; }

case "$wanted" in
run | dev) ;;
*)
    say "tools/environment.sh: \"$wanted\" is neither run nor dev; write run for the demo, dev for the tests"
    exit 2
    ;;
esac

is_new_enough() {
    "$1" -c 'import sys; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1
}

find_python() {
    for name in ${PYTHON:-} python3.11 python3.12 python3.13 python3; do
        if is_new_enough "$name"; then
            "$name" -c 'import sys; print(sys.executable)'
            return
        fi
    done
    say "No Python 3.11 or newer was found (looked for python3.11, python3.12, python3.13, python3)."
    say "Install one, for example the package python3.11, or name yours: make demo PYTHON=/path/to/python3"
    exit 1
}

find_uv() {
    if command -v uv >/dev/null 2>&1; then
        command -v uv
        return
    fi
    if [ ! -x .uv/bin/uv ]; then
        say "Installing uv $UV_VERSION into .uv"
        if ! "$1" -m venv .uv >/dev/null; then
            rm -rf .uv
            say "$1 cannot make a virtual environment; install its venv module (Debian: python3-venv) or uv itself."
            exit 1
        fi
        .uv/bin/python -m pip install --quiet --disable-pip-version-check "uv==$UV_VERSION" >&2
    fi
    echo .uv/bin/uv
}

fingerprint() { cksum <uv.lock | tr ' ' -; }

# developers' tools that are there stay there
if [ "$wanted" = run ] && [ -x .venv/bin/pytest ]; then wanted=dev; fi
mark="$wanted $(fingerprint)"
if [ -x .venv/bin/python ] && [ "$(cat $stamp 2>/dev/null)" = "$mark" ]; then exit 0; fi

python="$(find_python)"
uv="$(find_uv "$python")"
say "Making .venv from uv.lock with $python"
# the tests start hundreds of processes; where none may write its bytecode, each would compile Django anew
if [ "$wanted" = run ]; then only=--no-dev; else only=--compile-bytecode; fi
# shellcheck disable=SC2086
"$uv" sync --locked --quiet --python "$python" $only
echo "$mark" >$stamp
