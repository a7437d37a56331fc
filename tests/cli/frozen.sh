#!/bin/sh
# What the program prints, frozen: help, tables, answers, explanations, reports. Usage: frozen.sh MIDPOOL SOURCE
#
# frozen.txt holds the outputs one after the other; pages and pictures as their SHA-256. Times and dates are masked.
# A change that is meant writes the file anew: MIDPOOL_FROZEN=FILE names where this build's outputs go.
# shellcheck source=../rig/prologue.sh
. "$(dirname "$0")/../rig/prologue.sh"
frozen=$2/tests/cli/frozen.txt
export COLUMNS=80

show() { # COMMAND...: its output and exit code, under a heading
    echo "== midpool $*"
    "$midpool" "$@" 2>&1 | sed -E \
        -e 's/"((train_)?seconds[a-z_]*|peak_bytes|val_seconds)":[0-9.e+-]+/"\1":0/g' \
        -e 's/[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:]+Z/DATE/g' -e 's/[0-9.]+ (s|ms|MiB|GiB)( |,|;|$)/N \1\2/g'
}
hash() { # FILE: of pages and pictures
    printf '== %s: ' "$1"
    sed -E -e 's/[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:]+Z/DATE/g' -e 's/[0-9.]+ (s|min|ms|h)</TIME</g' "$1" | sha256sum | cut -d' ' -f1
}

{
    show help
    show help --ratio
    show train --pool sag --help
    show train --help-all
    for c in demo ops train cv sweep predict explain report compare merge export status selftest "data list" "data info" "data generate colors3" \
        "data generate triangles" "data generate distinct" "data generate er" "data generate community" "data generate david" "data audit" "data convert" "data split" "data from-smiles" "data fetch" "bench epoch" "bench er"; do
        # shellcheck disable=SC2086
        show $c --help
    done
    show ops
    show ops --json
    show data generate colors3 --out C --train 40 --val 20 --test 20 --large 10 --large-c 5 --seed 3
    show data generate triangles --out T --train 30 --val 10 --test 10 --large 10
    show data generate er --out E --nodes 40
    for f in C/* T/* E/*; do [ -f "$f" ] && hash "$f"; done
    show data info C --json
    show data audit T
    show train C --pool sag --mid --hidden 8 --epochs 3 --out m.st --quiet
    show predict m.st C --csv
    show predict m.st C --json
    show explain m.st C --graph 3 --svg kept.svg
    show explain m.st C --graph 3 --json
    show explain m.st C --graph 3 --draw 2 --json
    hash kept.svg
    show cv C --pool sag,topk --mid --grid paper --hidden 8 --epochs 3 --seeds 2 --store r.db --quiet
    show cv C --pool sag --hidden 8 --epochs 4 --seeds 1 --store r.db --json --quiet
    show report r.db --out page.html --title Frozen
    show report r.db --out page.html --title Frozen --json
    hash page.html
    show compare r.db
    show demo --seeds 2 --epochs 5 --store demo.db --out demo.html --quiet
    hash demo.html
} > outputs.txt

[ -n "${MIDPOOL_FROZEN:-}" ] && cp outputs.txt "$MIDPOOL_FROZEN"
diff -u "$frozen" outputs.txt
