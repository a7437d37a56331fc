#compdef midpool
# Completion of midpool for zsh: the program says what fits.
# SPDX-License-Identifier: MIT
_midpool() {
    local -a candidates
    local line name
    for line in "${(@f)$(${(Q)words[1]} complete "${(@Q)words[2,CURRENT]}" 2>/dev/null)}"; do
        case $line in
        '') ;;
        :files) _files ;;
        :folders) _files -/ ;;
        *)
            name=${line%%$'\t'*}
            candidates+=("${name//:/\\:}:${line#*$'\t'}")
            ;;
        esac
    done
    if (( $#candidates )); then _describe midpool candidates; fi
}
if [[ $funcstack[1] == _midpool ]]; then
    _midpool "$@"
else
    compdef _midpool midpool
fi
