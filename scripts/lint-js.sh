#!/usr/bin/env bash
# ESLint and the types of the pages' scripts; what did not change since the last time is not looked at again.
# Where npm is not installed, or cannot reach its packages, that is said and nothing fails.
set -euo pipefail
cd "$(dirname "$0")/.."

made=node_modules/.made
if [ ! -e "$made" ] || [ package-lock.json -nt "$made" ]; then
    if ! command -v npm >/dev/null; then
        echo "npm is not installed: ESLint and the types of static/js are left out" >&2
        exit 0
    fi
    npm ci --silent --no-audit --no-fund >/dev/null 2>&1 || {
        echo "npm could not fetch its packages: ESLint and the types of static/js are left out" >&2
        exit 0
    }
    touch "$made"
fi
mkdir -p var
# What tsc knows of the last time, by what the files hold: a new clone begins with it.
kept="${XDG_CACHE_HOME:-$HOME/.cache}/lockscope/tsc.json"
[ -e var/tsc.json ] || cp "$kept" var/tsc.json 2>/dev/null || true
node_modules/.bin/eslint --cache --cache-location var/eslint --cache-strategy content static/js tests/js
# The vendored libraries that the scripts import are read for their types, and not judged.
# It ends with a fault for theirs too, which must not hide one of ours.
if { node_modules/.bin/tsc --project jsconfig.json --incremental --tsBuildInfoFile var/tsc.json || true; } | grep '^static/js'; then
    exit 1
fi
{ mkdir -p "${kept%/*}" && cp var/tsc.json "$kept.$$" && mv "$kept.$$" "$kept"; } 2>/dev/null || true
