#!/usr/bin/env bash
# The checks of `make lint imports types` beside the tests, which leave the processor idle while they wait. `test-all.sh VENV WORKERS`
# What a failing check says is shown at once; the summary of pytest is held back until all has ended, so that it is the last line.
set -uo pipefail
venv=$1 workers=$2

found=$(mktemp -d)
trap 'rm -rf "$found"' EXIT
(nice -n 10 make --no-print-directory --keep-going lint imports types >"$found/checks" 2>&1 || { cat "$found/checks"; exit 1; }) &
checks=$!

"$venv/bin/python" -m pytest -q -n "$workers" -m "not chaos" tests |
    awk -v kept="$found/summary" 'NR > 1 { print held; fflush() } { held = $0 } END { print held > kept }'
tests=$?

wait "$checks"
beside=$?
cat "$found/summary"
[ "$tests" -ne 0 ] && exit "$tests"
exit "$beside"
