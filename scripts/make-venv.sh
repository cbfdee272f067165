#!/usr/bin/env bash
# Makes the virtual environment $2 with the Python $1, and says what to install where Debian's Python lacks venv.
set -euo pipefail
python=$1 folder=$2

if ! "$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then
    echo "Lockscope needs Python 3.11 or later; '$python' is not. Name one: make run PY=/path/to/python3.11" >&2
    exit 1
fi
if ! "$python" -c 'import ensurepip, venv' 2>/dev/null; then
    if [ "$(id -u)" -ne 0 ] || ! command -v apt-get >/dev/null; then
        echo "This Python cannot make virtual environments. On Debian, as root: apt-get install python3-venv" >&2
        exit 1
    fi
    DEBIAN_FRONTEND=noninteractive apt-get update -qq
    DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends python3-venv >/dev/null
fi
exec "$python" -m venv "$folder"
