# Completion of midpool for bash: the program says what fits.
# SPDX-License-Identifier: MIT
_midpool()
{
    local cur=${COMP_WORDS[COMP_CWORD]} word about
    [ "$cur" = = ] && cur=
    COMPREPLY=()
    while IFS=$'\t' read -r word about; do
        case $word in
        :files) mapfile -t -O "${#COMPREPLY[@]}" COMPREPLY < <(compgen -f -- "$cur") ;;
        :folders) mapfile -t -O "${#COMPREPLY[@]}" COMPREPLY < <(compgen -d -- "$cur") ;;
        *) COMPREPLY+=("$word") ;;
        esac
        case $word in :*) compopt -o filenames 2>/dev/null ;; esac
    done < <("${COMP_WORDS[0]}" complete "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
    case ${COMPREPLY[*]-} in *, | *=) compopt -o nospace 2>/dev/null ;; esac
}
complete -F _midpool midpool
