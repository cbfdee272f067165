#!/usr/bin/env bash
# What the tests need from the system: installed where that is allowed, otherwise named.
set -euo pipefail

packages=()
compgen -G '/usr/lib/postgresql/*/bin/postgres' >/dev/null || command -v postgres >/dev/null || packages+=(postgresql)
command -v redis-server >/dev/null || packages+=(redis-server)
command -v node >/dev/null || packages+=(nodejs)
export DEBIAN_FRONTEND=noninteractive

# Wished for, and done without: installed where that is allowed, and nothing is said where it is not.
wish() {
    [ "$(id -u)" -eq 0 ] && command -v apt-get >/dev/null || return 0
    [ -n "$(apt-cache search --names-only "^$1\$" 2>/dev/null)" ] || timeout 60 apt-get update -qq 2>/dev/null || true
    timeout 300 apt-get install -y -qq --no-install-recommends "$1" >/dev/null 2>&1 || true
}
# Chromium without its windows, from the same source, makes a page in a quarter of the time.
command -v chromium-headless-shell >/dev/null || wish chromium-headless-shell
# The clock of the workers is set by `make chaos` only; without it those tests say that they were skipped.
compgen -G '/usr/lib/*/faketime/libfaketimeMT.so.1' >/dev/null || wish faketime
command -v chromium >/dev/null || command -v chromium-headless-shell >/dev/null || packages+=(chromium)
[ ${#packages[@]} -eq 0 ] && exit 0

if [ "$(id -u)" -ne 0 ] || ! command -v apt-get >/dev/null; then
    echo "The tests need these Debian packages, and only root can install them: ${packages[*]}" >&2
    echo "As root: apt-get install --no-install-recommends ${packages[*]}" >&2
    exit 1
fi
echo "Installing for the tests: ${packages[*]}"
apt-get update -qq
apt-get install -y -qq --no-install-recommends "${packages[@]}" >/dev/null
