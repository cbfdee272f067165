#!/usr/bin/env bash
# What the tests need from the system: installed where that is allowed, otherwise named.
set -euo pipefail

packages=()
compgen -G '/usr/lib/postgresql/*/bin/postgres' >/dev/null || command -v postgres >/dev/null || packages+=(postgresql)
command -v redis-server >/dev/null || packages+=(redis-server)
command -v chromium >/dev/null || packages+=(chromium)
command -v node >/dev/null || packages+=(nodejs)
[ ${#packages[@]} -eq 0 ] && exit 0

if [ "$(id -u)" -ne 0 ] || ! command -v apt-get >/dev/null; then
    echo "The tests need these Debian packages, and only root can install them: ${packages[*]}" >&2
    echo "As root: apt-get install --no-install-recommends ${packages[*]}" >&2
    exit 1
fi
echo "Installing for the tests: ${packages[*]}"
export DEBIAN_FRONTEND=noninteractive
apt-get update -qq
apt-get install -y -qq --no-install-recommends "${packages[@]}" >/dev/null
