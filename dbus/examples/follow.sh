#!/bin/sh
# SPDX-License-Identifier: MIT
# Follows all boards with gdbus and busctl: one line when a move is completed or a game ends, with the clocks as they are then.
# Usage: follow.sh [system|session|ADDRESS]
set -u
name=org.adoube.Boards1

case "${1:-system}" in
system) gdbus_bus=--system busctl_bus=--system ;;
session) gdbus_bus=--session busctl_bus=--user ;;
*) gdbus_bus=--address=$1 busctl_bus=--address=$1 ;;
esac

# get PATH INTERFACE PROPERTY: its value alone
get() {
        busctl "$busctl_bus" --auto-start=no --json=short get-property $name "$1" "$name.$2" "$3" 2>/dev/null |
                sed 's/.*"data"://; s/}$//; s/^"\(.*\)"$/\1/'
}

# time_left PATH white|black Ms: counted on from AsOf by the side whose clock runs; /proc/uptime is CLOCK_BOOTTIME
time_left() {
        ms=$(get "$1" Clock "$3")
        [ "${ms:--1}" -ge 0 ] || return 0
        if [ "$(get "$1" Clock Running)" = "$2" ]; then
                ms=$((ms - $(awk '{ printf "%d", $1 * 1000 }' /proc/uptime) + $(get "$1" Clock AsOf) / 1000))
        fi
        printf ', %s %d:%02d:%02d' "$2" $((ms / 3600000)) $((ms / 60000 % 60)) $((ms / 1000 % 60))
}

# show PATH PLY WHAT
show() {
        printf '%s: %s, ply %s, %s%s%s\n' "$(get "$1" Board Name)" "$(get "$1" Game State)" "$2" "$3" \
                "$(time_left "$1" white WhiteMs)" "$(time_left "$1" black BlackMs)"
}

# All boards as they are; the last word of the list of moves.
show_all() {
        for path in $(busctl "$busctl_bus" --auto-start=no --list tree $name 2>/dev/null | grep /board/); do
                show "$path" "$(get "$path" Game Ply)" "$(get "$path" Game San | sed 's/.*[[,]"\([^"]*\)"]$/\1/; s/^\[]$/-/')"
        done
}

show_all
# gdbus goes on when the service does not, and says when it is back. A line is: PATH: INTERFACE.SIGNAL (ARGUMENTS)
gdbus monitor "$gdbus_bus" --dest $name | while read -r path signal arguments; do
        path=${path%:}
        case "$path $signal $arguments" in
        *" $name.Game.MoveCompleted "*)
                show "$path" "$(echo "$arguments" | sed 's/^[^,]*, [^,]*, uint32 \([0-9]*\),.*/\1/')" "$(echo "$arguments" | cut -d, -f5 | tr -d " '")"
                ;;
        *" $name.Game.GameEnded "*) show "$path" "$(get "$path" Game Ply)" "$(get "$path" Game Result) $(get "$path" Game Termination)" ;;
        *"does not have an owner"*) echo "adoubed is away" ;;
        *"is owned by"*) show_all ;;
        esac
done
