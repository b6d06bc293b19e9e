#!/bin/bash
# SPDX-License-Identifier: MIT
# check-package.sh DIRECTORY DEB: installs the package into the fresh Debian of make-image and purges it after it has kept games and state;
# the files before and after are the same.
set -euo pipefail

directory=$1
package=$2
skip() { printf 'skip: %s\n' "$*"; exit 77; }
[ "$(id -u)" = 0 ] || skip "only root can make a root"
[ -e "$directory/root.tar" ] || skip "there is no $directory/root.tar; tests/vm/make-image makes it"
[ -e "$package" ] || skip "there is no package; ./run deb makes it"

root=$(mktemp -d)
trap 'umount "$root/proc" 2>/dev/null || true; rm -rf "$root"' EXIT
tar -xf "$directory/root.tar" -C "$root" --exclude='./dev/*' --exclude='./boot/*' --exclude='./usr/lib/modules/*' --exclude='./lib/modules/*'
mount -t proc proc "$root/proc"
ln -sf /proc/self/fd "$root/dev/fd"
[ -e "$root/dev/null" ] || mknod -m 666 "$root/dev/null" c 1 3
cp "$package" "$root/tmp/adoubed.deb"

inside() { chroot "$root" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C "$@"; }
list() { (cd "$root" && find . -xdev \( -path ./proc -o -path ./var/log -o -path './var/lib/dpkg/*-old' \) -prune -o -print | sort); }

list >"$root/tmp/before"
inside dpkg -i /tmp/adoubed.deb
list >"$root/tmp/with"
inside id -nG adoubed | grep -qw dialout
inside getent group adoube adoube-arbiter
inside adoubectl --version
inside test -d /srv/adoubed

mkdir -p "$root/var/lib/adoubed"
touch "$root/var/lib/adoubed/journal.sqlite"
inside dpkg --purge adoubed
list >"$root/tmp/after"

printf '%s files before, %s with the package, %s after the purge\n' $(wc -l <"$root/tmp/before") $(wc -l <"$root/tmp/with") $(wc -l <"$root/tmp/after")
diff <(grep -v '^./tmp/' "$root/tmp/before") <(grep -v '^./tmp/' "$root/tmp/after")
