# prologue.sh - sourced by the scripts that run the program: a folder of their own, nothing of the user's, and words for what
# went wrong. $midpool is the program of the first argument; a script ends with: exit "$bad"
# SPDX-License-Identifier: MIT
set -u
midpool=$(realpath "$1")
folder=$(mktemp -d) && cd "$folder" || exit 1
trap 'rm -rf "$folder"' EXIT
unset MIDPOOL_DATA XDG_CACHE_HOME
export HOME="$folder" LC_ALL=C COLUMNS=200
bad=0
complain() { echo "$*" >&2; bad=1; }
run() { "$midpool" "$@" >out 2>err || { complain "midpool $*: $(cat err)"; return 1; }; }
has() { # WHAT TEXT...: each in the last output
    what=$1
    shift
    for text; do grep -qF -- "$text" out || complain "$what: no '$text' in: $(head -c 1500 out)"; done
}
