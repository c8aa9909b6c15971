#!/usr/bin/env bash
# Installs the real parts that the tests use (Debian's prometheus, chromium with its driver) where they are missing and
# this user may; else says what will be skipped and why. With CENSUS_REQUIRE_LIVE=1 a missing part fails the run.
set -u
missing=()
command -v prometheus >/dev/null 2>&1 && command -v promtool >/dev/null 2>&1 || missing+=(prometheus)
command -v chromium >/dev/null 2>&1 || missing+=(chromium)
command -v chromedriver >/dev/null 2>&1 || missing+=(chromium-driver)
[ ${#missing[@]} -eq 0 ] && exit 0

say() { printf 'census tests: %s\n' "$*" >&2; }
if ! command -v apt-get >/dev/null 2>&1; then
  reason="this machine has no apt-get"
elif [ "$(id -u)" -eq 0 ]; then
  as_root=()
elif command -v sudo >/dev/null 2>&1 && sudo -n true 2>/dev/null; then
  as_root=(sudo -n)
else
  reason="this user may not install packages"
fi
if [ -z "${reason:-}" ]; then
  say "installing ${missing[*]}"
  # a policy of "never start": the tests start their own servers on their own ports
  "${as_root[@]}" apt-get update -qq >/dev/null 2>&1
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive RUNLEVEL=1 \
    apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null 2>&1 && exit 0
  reason="apt-get could not install them"
fi
say "${missing[*]} missing and $reason: the tests that need them are skipped"
[ "${CENSUS_REQUIRE_LIVE:-0}" = 1 ] && exit 1
exit 0
