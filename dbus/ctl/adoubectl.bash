# SPDX-License-Identifier: MIT
# Completion of adoubectl for bash: commands, options and their words, boards, sides, questions, and the moves that the rules permit.

_adoubectl_ask() {
        adoubectl "${bus[@]}" "$@" 2>/dev/null
}

# Of the commands whose first word is $1 the second ones; without it the first words of all.
_adoubectl_names() {
        local name
        for name in $names; do
                if [[ -z $1 ]]; then
                        printf '%s\n' "${name%% *}"
                elif [[ $name == "$1 "* ]]; then
                        printf '%s\n' "${name#* }"
                fi
        done
}

_adoubectl_options() {
        adoubectl help "$@" 2>/dev/null | sed -n 's/^  \(--[a-z0-9-]*\).*/\1/p'
}

# The moves that are permitted on a board; touches may be hidden from the caller, and then there are none.
_adoubectl_moves() {
        _adoubectl_ask --json show "$1" | sed -n 's/.*"Permitted":\[\([^]]*\)\].*/\1/p' | tr -d '"' | tr , '\n'
}

# The open questions of a board, a line each: number, kind, choices.
_adoubectl_questions() {
        _adoubectl_ask --json show "$1" | sed -n 's/.*"Questions":\[\(\[.*\]\)\],"Claims".*/\1/p' | sed 's/\]\],\[/]\n[/g' | tr -d '[]"' | tr , ' '
}

# The words that an option's value may be.
_adoubectl_values() {
        case $1 in
        --bus) printf 'system\nsession\n' ;;
        --board) _adoubectl_ask list --names ;;
        --tempo) printf 'standard\nrapid\nblitz\n' ;;
        --completion) printf 'clock\nrelease\nauto\n' ;;
        --enforcement) printf 'observe\nreferee\n' ;;
        --supervised | --training | --published) printf 'yes\nno\n' ;;
        --rules) printf 'fide2023\nfide2018\nfide2014\nfide2009\nfide2001\nfide1997\nfide1993\nseed002\nseed000\n' ;;
        --result) printf '1-0\n0-1\n1/2-1/2\n0-0\n+/-\n-/+\n-/-\n' ;;
        --pieces) printf 'figurines\nde\nfr\nes\n' ;;
        --intended) _adoubectl_moves "$2" ;;
        esac
}

# Candidates for a word of a command: its place from 1 after the command's own words, and the words before it.
_adoubectl_word() {
        local command=$1 place=$2 board=$3
        shift 3
        case $command:$place in
        list:* | check:* | games:* | identify:* | round*:* | *-game:[2-9] | resync:2 | show:2 | remove:2 | pgn:2 | watch:2) ;;
        add:2) printf 'dgt\n' ;;
        add:*) ;;
        *:1) _adoubectl_ask list --names ;;
        arbiter\ enter-move:2 | arbiter\ correct-move:3) _adoubectl_moves "$board" ;;
        answer:2) _adoubectl_questions "$board" | cut -d' ' -f1 ;;
        answer:3) _adoubectl_questions "$board" | sed -n "s/^$1 [^ ]* //p" | tr ' ' '\n' ;;
        result:2 | arbiter\ declare-result:2) printf '1-0\n0-1\n1/2-1/2\n0-0\n+/-\n-/+\n-/-\n' ;;
        orientation:2) printf 'normal\nrotated\nauto\n' ;;
        promote:2) printf 'q\nr\nb\nn\n' ;;
        claim:3) printf 'repetition\nfifty-moves\ntouch-move\nillegal-move\nflag\n' ;;
        arbiter\ penalise:3) printf 'warning\nadd-opponent-time\nreduce-own-time\nloss\npoints-own\npoints-opponent\nexpulsion\n' ;;
        arbiter\ rule:3) printf 'upheld\nrejected\n' ;;
        arbiter\ rule-accident:2) printf '%s\n' {a..h}{1..8} ;;
        claim:2 | resign:2 | draw*:2 | adjust:2 | end-adjust:2 | call-arbiter:2 | clock\ press:2 | clock\ add:2 | arbiter\ penalise:2 | \
                arbiter\ observe-flag:2 | arbiter\ player-present:2)
                printf 'white\nblack\n'
                ;;
        esac
}

_adoubectl() {
        local IFS=$'\n' cur words cword i said=() bus=() command names option candidates
        # An address of a bus has colons and equals signs, at which bash cuts words.
        if declare -F _get_comp_words_by_ref >/dev/null; then
                _get_comp_words_by_ref -n := cur words cword
        else
                cur=${COMP_WORDS[COMP_CWORD]} words=("${COMP_WORDS[@]}") cword=$COMP_CWORD
        fi
        for ((i = 1; i < cword; i++)); do
                case ${words[i]} in
                --bus) bus=(--bus "${words[++i]}") ;;
                --bus=*) bus=("${words[i]}") ;;
                --names | --force | --persist | --live | --until-finished | --captions | --chess960 | --replace | --json | --help) ;;
                --*=*) ;;
                --*) ((++i)) ;;
                *) said+=("${words[i]//[\\\"\']/}") ;;
                esac
        done

        names=$(adoubectl help --names 2>/dev/null)
        command=${said[0]-}
        if ((${#said[@]} > 1)) && [[ -n $(_adoubectl_names "$command") ]]; then
                command="$command ${said[1]}" said=("$command ${said[1]}" "${said[@]:2}")
        fi
        option=${words[cword - 1]}
        if [[ $cur == --*=* ]]; then
                option=${cur%%=*} cur=${cur#*=}
        fi

        if [[ $option == --?* ]] && candidates=$(_adoubectl_values "$option" "${said[1]-}") && [[ -n $candidates ]]; then
                :
        elif [[ $cur == --* ]]; then
                candidates=$'--bus\n--json\n--help\n'$(IFS=' '; _adoubectl_options $command)
        elif ((${#said[@]} == 0)); then
                candidates=$(_adoubectl_names '' | uniq)$'\nhelp'
        elif [[ $command == help ]]; then
                candidates=$(_adoubectl_names "${said[1]-}" | uniq)
        elif [[ $command != *' '* ]] && candidates=$(_adoubectl_names "$command") && [[ -n $candidates ]]; then
                :
        elif [[ $command == 'round load' ]] || [[ $command == add && ${#said[@]} -eq 3 ]]; then
                COMPREPLY=($(compgen -f -- "$cur"))
                return
        else
                candidates=$(_adoubectl_word "$command" ${#said[@]} "${said[1]-}" "${said[@]:2}")
        fi

        cur=${cur//[\\\"\']/}
        COMPREPLY=()
        for i in $candidates; do
                [[ $i == "$cur"* ]] && COMPREPLY+=("$(printf %q "$i")")
        done
        ! declare -F __ltrim_colon_completions >/dev/null || __ltrim_colon_completions "$cur"
}
complete -F _adoubectl adoubectl
