#!/bin/bash
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

# all PATH INTERFACE: its properties in one line of JSON, all of one moment
all() {
        busctl "$busctl_bus" --auto-start=no --json=short call $name "$1" org.freedesktop.DBus.Properties GetAll s "$name.$2" 2>/dev/null
}

# value JSON NAME: one of them, without its quotes
value() { printf '%s' "$1" | sed -n 's/.*"'"$2"'":{"type":"[^"]*","data":\([^}]*\)}.*/\1/p' | sed 's/^"\(.*\)"$/\1/'; }

# time_left CLOCK white|black Ms: counted on from AsOf by the side whose clock runs; /proc/uptime is CLOCK_BOOTTIME
time_left() {
        ms=$(value "$1" "$3")
        [ "${ms:--1}" -ge 0 ] || return 0
        if [ "$(value "$1" Running)" = "$2" ]; then
                ms=$((ms - $(awk '{ printf "%d", $1 * 1000 }' /proc/uptime) + $(value "$1" AsOf) / 1000))
        fi
        printf ', %s %d:%02d:%02d' "$2" $((ms / 3600000)) $((ms / 60000 % 60)) $((ms / 1000 % 60))
}

# show PATH [PLY WHAT]: without them the last move, which is the last one of a list
show() {
        game=$(all "$1" Game) clock=$(all "$1" Clock)
        ply=${2:-$(value "$game" Ply)}
        what=${3:-$(value "$game" San | sed 's/.*[[,]"\([^"]*\)"]$/\1/; s/^\[]$/-/')}
        printf '%s: %s, ply %s, %s%s%s\n' "$(value "$(all "$1" Board)" Name)" "$(value "$game" State)" "$ply" "$what" \
                "$(time_left "$clock" white WhiteMs)" "$(time_left "$clock" black BlackMs)"
}

show_all() {
        for path in $(busctl "$busctl_bus" --auto-start=no --list tree $name 2>/dev/null | grep /board/); do
                show "$path"
        done
}

show_all
# gdbus goes on when the service does not, and says when it is back. A line is: PATH: INTERFACE.SIGNAL (ARGUMENTS)
exec {monitor}< <(exec gdbus monitor "$gdbus_bus" --dest $name)
trap "kill $!" EXIT
trap exit INT TERM
while read -r -u "$monitor" path signal arguments; do
        path=${path%:}
        case "$path $signal $arguments" in
        *" $name.Game.MoveCompleted "*)
                show "$path" "$(echo "$arguments" | sed 's/^[^,]*, [^,]*, uint32 \([0-9]*\),.*/\1/')" "$(echo "$arguments" | cut -d, -f5 | tr -d " '")"
                ;;
        *" $name.Game.GameEnded "*)
                game=$(all "$path" Game)
                show "$path" "" "$(value "$game" Result) $(value "$game" Termination)"
                ;;
        *"does not have an owner"*) echo "adoubed is away" ;;
        *"is owned by"*) show_all ;;
        esac
done
