#!/bin/bash
# SPDX-License-Identifier: MIT
# What the completion of adoubectl offers, in bash itself, against a service: $A is its bus, on which is the board "Table 1". A board with a
# game and questions is told, not asked for.
# Usage: completion.sh ADOUBECTL COMPLETION
set -u

adoubectl=$1
shown='[{"Board":{"Name":"Table 1"},"Game":{"Questions":[[3,"promotion",["q","r"]],[14,"result",["1-0","none"]]],"Claims":[]},'
shown+='"Touch":{"Permitted":["e2e3","e2e4","g1f3","g1h3"],"Reason":"none"}}]'
adoubectl() {
        if [ "${*: -2:1}" = show ] && [ "${*: -1}" = "Table 1" ]; then
                printf '%s\n' "$shown"
        else
                "$adoubectl" "$@"
        fi
}
source "$2"

faults=0
# offers WORD... = CANDIDATE...: what is offered for the last WORD; "..." at the end: among others
offers() {
        local words=() wanted found
        while [ "$1" != = ]; do
                words+=("$1")
                shift
        done
        shift
        COMP_WORDS=(adoubectl --bus "$A" "${words[@]}")
        COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
        COMPREPLY=()
        _adoubectl
        found="${COMPREPLY[*]}"
        wanted="$*"
        if [ "$found" = "$wanted" ] || { [ "${wanted% ...}" != "$wanted" ] && [[ "$found " == "${wanted%...}"* ]]; }; then
                return
        fi
        printf '%s: wanted "%s", found "%s"\n' "${words[*]}" "$wanted" "$found"
        faults=$((faults + 1))
}

offers '' = list check games pgn ...
offers sh = show
offers help ar = arbiter
offers help arbiter en = enter-move
offers clock '' = start stop press set add text
offers arbiter st = stop-clocks
offers show '' = 'Table\ 1'
offers show Tab = 'Table\ 1'
offers show 'Table\' = 'Table\ 1'
offers clock press '' = 'Table\ 1'
offers pgn 'Table\ 1' '' =
offers --json show Tab = 'Table\ 1'
offers resign 'Table\ 1' w = white
offers claim 'Table\ 1' white '' = repetition fifty-moves touch-move illegal-move flag
offers claim 'Table\ 1' white repetition --intended e2 = e2e3 e2e4
offers arbiter enter-move 'Table\ 1' g1 = g1f3 g1h3
offers arbiter correct-move 'Table\ 1' 1 b8 =
offers arbiter rule-accident 'Table\ 1' a = a1 a2 a3 a4 a5 a6 a7 a8
offers result 'Table\ 1' 1 = 1-0 1/2-1/2
offers answer 'Table\ 1' '' = 3 14
offers answer 'Table\ 1' 14 '' = 1-0 none
offers promote 'Table\ 1' '' = q r b n
offers new-game 'Table\ 1' --tempo '' = standard rapid blitz
offers new-game 'Table\ 1' --tempo=r = rapid
offers new-game 'Table\ 1' --rules fide200 = fide2009 fide2001
offers new-game 'Table\ 1' --time-control 3m --pu = --published
offers list --n = --names
offers round l = load
offers add a '' = dgt

# Every command that begins with a board offers boards.
while read -r name; do
        offers $name Tab = 'Table\ 1'
done < <("$adoubectl" help | sed -n 's/^  \([a-z][a-z -]*\) BOARD\b.*/\1/p')

exit $((faults > 0))
