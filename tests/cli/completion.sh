#!/bin/sh
# completion.sh - what shells offer: bash for real, fish and zsh where they are installed. Usage: completion.sh MIDPOOL SOURCE
# SPDX-License-Identifier: MIT
# shellcheck source=../rig/prologue.sh
. "$(dirname "$0")/../rig/prologue.sh"
source=$2
mkdir -p sets/TINY bin folder
touch sets/TINY/TINY_A.txt sets/TINY/TINY_graph_indicator.txt sets/TINY/TINY_graph_labels.txt mine.jsonl model.safetensors
export MIDPOOL_DATA="$PWD/sets"
ln -s "$midpool" bin/midpool
export PATH="$PWD/bin:$PATH"

for shell in bash zsh fish; do
    midpool completion $shell > "printed.$shell" || complain "midpool completion $shell ends with $?"
    cmp "printed.$shell" "$source/src/cli/complete.$shell" || complain "midpool completion $shell prints another script"
done
if midpool completion csh 2> said; then complain "there is none for csh"; fi
grep -q "expected bash, zsh or fish" said || complain "$(cat said)"

cat > ask.bash << 'END'
source printed.bash
COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
_midpool
printf '%s\n' "${COMPREPLY[@]}"
END
in_bash() { bash ask.bash midpool "$@"; }
# A name on the command line ends behind the word that is typed; names of zsh and fish come with a meaning.
in_fish() { fish --no-config -c 'source printed.fish; complete -C "$argv"' -- "midpool $*" | cut -f1; }
cat > ask.zsh << 'END'
compdef() { }
_describe() { local c; for c in "${(@P)2}"; do print -r -- "${${c%%:*}}"; done }
_files() { if [[ $1 == -/ ]]; then print -r -l -- *(/N); else print -r -l -- *(N); fi }
source printed.zsh
words=("$@") CURRENT=$#
_midpool
END
in_zsh() { zsh -f ask.zsh midpool "$@"; }

offers() { # WORD NOT -- WORDS...: WORD is offered for the last of WORDS, NOT is not ("": whatever)
    word=$1 not=$2
    shift 3
    $ask "$@" > offered || complain "$ask $*: $(cat offered)"
    grep -qxF -e "$word" offered || complain "$ask $*: no $word in: $(tr '\n' ' ' < offered)"
    if [ -n "$not" ] && grep -qxF -e "$not" offered; then complain "$ask $*: $not in: $(tr '\n' ' ' < offered)"; fi
}
try() { # in the shell of $ask
    offers train demo -- tr
    offers demo '' -- ''
    offers convert '' -- data ''
    offers triangles er -- data generate t
    offers convert '' -- help data con
    offers --patience --lr -- train --pa
    offers --help-all '' -- train --h
    offers --no-resume --resume -- train --no-re
    offers --score-layers --alpha -- train --pool sag --s
    offers --alpha '' -- train --pool gsa --al
    offers sag topk -- train --pool s
    offers gin auto -- cv MUTAG --conv g
    offers graphconv '' -- train --mid --conv g
    offers nested val -- cv --select n
    offers sag,topk topk -- cv --pool sag,t
    offers roc_auc '' -- train --metric ro
    offers authors '' -- train --preset au
    offers TINY '' -- train T
    offers TINY '' -- data info TI
    offers jsonl csv -- data convert X Y --format j
    offers classification '' -- reproduce cl
    offers bash '' -- completion b
    offers mine.jsonl '' -- init m
    offers gsa sag -- init --pool gs
    offers mine.jsonl '' -- train m
    offers model.safetensors '' -- predict mo
    offers mine.jsonl '' -- train TINY --config m
}

ask=in_bash
try
offers sag topk -- train --pool = s # as bash takes --pool=s apart
offers folder mine.jsonl -- cv TINY --models ''
[ -z "$(in_bash train --epochs '')" ] || complain "numbers are offered: $(in_bash train --epochs '')"
[ -z "$(in_bash xyzzy '')" ] || complain "a command that there is not has words: $(in_bash xyzzy '')"
[ "$(bash -c 'source printed.bash; complete -p midpool')" = "complete -F _midpool midpool" ] || complain "bash is not told"

if command -v zsh > /dev/null; then
    zsh -n printed.zsh
    ask=in_zsh
    try
    offers --pool=sag --pool=topk -- train --pool=s
    offers folder mine.jsonl -- cv TINY --models ''
else
    echo "zsh is not installed: its completion is not tried"
fi
if command -v fish > /dev/null; then
    fish --no-execute printed.fish
    ask=in_fish
    try
    offers folder/ mine.jsonl -- cv TINY --models ''
else
    echo "fish is not installed: its completion is not tried"
fi
exit "$bad"
