#!/usr/bin/env bash
# Runs the tests by the command given, which often waits, and looks at imports and types beside it. What is wrong with these is
# printed behind the summary of the tests.
set -u
mkdir -p var
log=var/checks.log
nice make --no-print-directory imports types > "$log" 2>&1 &
checks=$!
trap 'kill "$checks" 2>/dev/null; exit 130' INT TERM
"$@"
tests=$?
wait "$checks" || { cat "$log"; exit 1; }
exit "$tests"
