# SPDX-License-Identifier: MIT
# Completion of adoubectl for bash: commands, options, boards, sides, and the moves that the rules permit.

_adoubectl_ask() {
        adoubectl "${bus[@]}" "$@" 2>/dev/null
}

_adoubectl_options() {
        adoubectl help "$@" 2>/dev/null | sed -n 's/^  \(--[a-z0-9-]*\).*/\1/p'
}

_adoubectl() {
        local IFS=$'\n' cur=${COMP_WORDS[COMP_CWORD]} word i words=() bus=() command candidates
        for ((i = 1; i < COMP_CWORD; i++)); do
                word=${COMP_WORDS[i]}
                case $word in
                --bus)
                        bus=(--bus "${COMP_WORDS[++i]}")
                        ;;
                --*) ;;
                *) words+=("${word//\\/}") ;;
                esac
        done

        if [[ ${COMP_WORDS[COMP_CWORD - 1]} == --bus ]]; then
                candidates=$'system\nsession'
        elif [[ ${words[0]} == help ]]; then
                candidates=$(adoubectl help --names 2>/dev/null | cut -d' ' -f1 | sort -u)
        elif [[ $cur == -* ]]; then
                candidates=$'--bus\n--json\n--help\n'$(_adoubectl_options "${words[@]:0:2}")
        elif ((${#words[@]} == 0)); then
                candidates=$(adoubectl help --names 2>/dev/null | cut -d' ' -f1 | sort -u)$'\nhelp'
        else
                command=$(adoubectl help --names 2>/dev/null | grep "^${words[0]} " | cut -d' ' -f2)
                if [[ -n $command && ${#words[@]} -eq 1 ]]; then
                        candidates=$command
                else
                        [[ -n $command ]] && words=("${words[0]} ${words[1]}" "${words[@]:2}")
                        case ${words[0]}:${#words[@]} in
                        add:* | games:* | identify:* | check:* | list:* | 'round load':*)
                                COMPREPLY=($(compgen -f -- "$cur"))
                                return
                                ;;
                        'round '*) ;;
                        *:1)
                                candidates=$(_adoubectl_ask list --names)
                                ;;
                        'arbiter enter-move:2' | 'arbiter correct-move:3')
                                candidates=$(_adoubectl_ask --json show "${words[1]}" |
                                        sed -n 's/.*"Permitted":\[\([^]]*\)\].*/\1/p' | tr -d '"' | tr , '\n')
                                ;;
                        result:2 | 'arbiter declare-result:2')
                                candidates=$'1-0\n0-1\n1/2-1/2\n0-0\n+/-\n-/+\n-/-'
                                ;;
                        orientation:2)
                                candidates=$'normal\nrotated\nauto'
                                ;;
                        promote:2)
                                candidates=$'q\nr\nb\nn'
                                ;;
                        claim:3)
                                candidates=$'repetition\nfifty-moves\ntouch-move\nillegal-move\nflag'
                                ;;
                        'arbiter penalise:3')
                                candidates=$'warning\nadd-opponent-time\nreduce-own-time\nloss\npoints-own\npoints-opponent\nexpulsion'
                                ;;
                        'arbiter rule:3')
                                candidates=$'upheld\nrejected'
                                ;;
                        claim:2 | resign:2 | draw*:2 | adjust:2 | end-adjust:2 | call-arbiter:2 | 'clock press:2' | 'clock add:2' | \
                                'arbiter penalise:2' | 'arbiter observe-flag:2' | 'arbiter player-present:2')
                                candidates=$'white\nblack'
                                ;;
                        esac
                fi
        fi
        COMPREPLY=($(compgen -W "$candidates" -- "${cur//\\/}"))
        for i in "${!COMPREPLY[@]}"; do
                COMPREPLY[i]=${COMPREPLY[i]// /\\ }
        done
}
complete -F _adoubectl adoubectl
