#!/usr/bin/env bash
# Runs the tests by the command given, which often wait, and the other checks beside them. What is wrong with these is printed
# behind the summary of the tests.
set -u
mkdir -p var
log=var/checks.log
nice make --keep-going --no-print-directory lint imports types > "$log" 2>&1 &
checks=$!
trap 'kill "$checks" 2>/dev/null; exit 130' INT TERM
"$@"
tests=$?
wait "$checks" || { cat "$log"; exit 1; }
grep 'left out' "$log" >&2
exit "$tests"
