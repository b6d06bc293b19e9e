#!/bin/sh
# check-unit.sh UNIT ANALYZE: `systemd-analyze verify` finds no fault, and the exposure is at most 1.2.
set -eu

unit=$1
analyze=$2
most=12 # tenths

if [ "$analyze" = none ]; then
        echo "skip: systemd-analyze is not installed"
        exit 77
fi
if ! "$analyze" security --help 2>/dev/null | grep -q -e --offline; then
        echo "skip: this systemd-analyze cannot look at a unit that is not loaded"
        exit 77
fi

directory=$(mktemp -d)
trap 'rm -rf "$directory"' EXIT

# The program is not where the unit will find it; and no manual page is installed.
sed 's,^ExecStart=.*,ExecStart=/bin/true,' "$unit" >"$directory/adoubed.service"
faults=$("$analyze" verify --man=no "$directory/adoubed.service" 2>&1) || { printf '%s\n' "$faults"; exit 1; }
if [ -n "$faults" ]; then
        printf 'verify: %s\n' "$faults"
        exit 1
fi

"$analyze" security --offline=true --no-pager --threshold="$most" "$directory/adoubed.service" >"$directory/report" || {
        cat "$directory/report"
        exit 1
}
tail -n 1 "$directory/report"
