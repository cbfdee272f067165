#!/usr/bin/env bash
# Pins everything that requirements.in and requirements-dev.in lead to, with the hashes of its files. Look at the difference before keeping it.
set -euo pipefail
folder=$1

compile() {
    "$folder/bin/uv" pip compile --quiet --no-header --no-annotate --no-strip-extras --no-emit-find-links --no-emit-index-url --generate-hashes \
        --python-version 3.11 "$@"
}

for name in requirements requirements-dev requirements-load; do
    pins=$(compile "$name.in" ${constraint:+--constraints "$constraint"})
    { echo "# Made from $name.in by \`make lock\`: everything pinned, for Python 3.11 and later."; echo "$pins"; } >"$name.txt"
    # The one for load has an environment of its own.
    [ "$name" = requirements ] && constraint=requirements.txt || constraint=
done
