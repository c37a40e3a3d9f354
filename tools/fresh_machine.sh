#!/bin/sh
# Proves that ./do demo and ./do test work on a bare Debian 12: makes a root with debootstrap that
# has git and nothing else of ours, clones this repository into it, and runs both there, as a
# newcomer would. Takes the package configuration of this machine along (sources, keys, client
# settings, certificates), so that registries are reached the same way. Needs root and debootstrap.
#
#   tools/fresh_machine.sh [FOLDER]     default: a temporary folder, removed afterwards
set -eu
cd "$(dirname "$0")/.."
repository=$PWD
[ "$(id -u)" = 0 ] || { echo "fresh_machine: run as root" >&2; exit 1; }
command -v debootstrap >/dev/null || { echo "fresh_machine: apt-get install debootstrap" >&2; exit 1; }
root=${1:-$(mktemp -d)}

cleanup() {
  for mount in dev/pts dev proc sys; do umount -l "$root/$mount" 2>/dev/null || true; done
  [ $# -gt 0 ] || rm -rf --one-file-system "$root"
}
trap 'cleanup ${1:-}' EXIT INT TERM

timed() {
  name=$1
  shift
  begin=$(date +%s)
  echo "== $name"
  "$@"
  echo "== $name: $(($(date +%s) - begin)) s"
}

# The first Debian source of this machine is the mirror.
mirror=$(cat /etc/apt/sources.list /etc/apt/sources.list.d/*.sources /etc/apt/sources.list.d/*.list 2>/dev/null |
  sed -n -e 's/^URIs: *//p' -e 's/^deb \(\[[^]]*\] \)\{0,1\}\([^ ]*\).*/\2/p' | head -n 1)

bootstrap() {
  debootstrap --variant=minbase --include=git,ca-certificates bookworm "$root" "$mirror" >"$root.log" 2>&1 ||
    { tail -n 20 "$root.log" >&2; exit 1; }
  rm -f "$root.log" "$root"/etc/apt/sources.list
  for path in /etc/apt/sources.list /etc/apt/sources.list.d /etc/apt/apt.conf.d /etc/apt/auth.conf.d \
      /etc/apt/keyrings /etc/apt/trusted.gpg.d /usr/share/keyrings /etc/ssl/certs/ca-certificates.crt \
      /usr/local/share/ca-certificates /etc/pip.conf /etc/npmrc /usr/etc/npmrc /etc/resolv.conf /etc/hosts; do
    [ -e "$path" ] || continue
    mkdir -p "$root$(dirname "$path")"
    cp -rL --remove-destination "$path" "$root$(dirname "$path")/"
  done
}

inside() {
  # The clients' settings that live in the environment come along, nothing else does.
  settings=$(env | grep -E '^(PIP_|npm_config_|NODE_EXTRA_CA|SSL_CERT|REQUESTS_CA|CURL_CA|https?_proxy|no_proxy|HTTPS?_PROXY|NO_PROXY)' |
    grep -v '^PIP_FIND_LINKS' | tr '\n' ' ')
  # shellcheck disable=SC2086
  chroot "$root" /usr/bin/env -i HOME=/root PATH=/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C.UTF-8 \
    $settings /bin/sh -c "cd /cornet && $1"
}

timed "bare Debian 12" bootstrap
for mount in proc sys dev dev/pts; do mount --bind "/$mount" "$root/$mount"; done
git clone -q "$repository" "$root/cornet"
timed "./do demo" inside "./do demo"
timed "./do test" inside "./do test"
timed "./do demo again, offline" inside "unshare -n ./do demo >/dev/null && ./do doctor"
