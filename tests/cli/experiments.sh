#!/bin/sh
# Tables and figures of `midpool reproduce`, frozen: small versions of every experiment that measures no time. Usage: experiments.sh MIDPOOL SOURCE
#
# experiments.txt holds the tables as a document, then the SHA-256 of every figure and of its data. A change that is meant writes the file
# anew: MIDPOOL_FROZEN=FILE names where this build's goes.
# shellcheck source=../rig/prologue.sh
. "$(dirname "$0")/../rig/prologue.sh"
frozen=$2/tests/cli/experiments.txt

mkdir data
# Rings and stars with three kinds of nodes.
awk 'BEGIN {
    for (g = 0; g < 24; g++) {
        n = 5 + (g * 7) % 6; star = g % 2
        printf("{\"nodes\":%d,\"edges\":[", n)
        for (v = 1; v < n; v++) printf("%s[%d,%d]", v > 1 ? "," : "", star ? 0 : v - 1, v)
        if (!star) printf(",[0,%d]", n - 1)
        printf("],\"labels\":[")
        for (v = 0; v < n; v++) printf("%s%d", v ? "," : "", (v * (g + 3)) % 3)
        printf("],\"y\":%d}\n", star)
    }
}' > data/TINY.jsonl
run data generate colors3 --out data/COLORS-3 --train 40 --val 20 --test 20 --large 10 --large-c 5 --seed 3

small() { # NAMES OPTIONS...
    run reproduce "$@" --quick --data data --store r.db --out page.html --quiet --jobs 2 --markdown tables.txt --figures figures && cat tables.txt
}
{
    small classification,improvement,ablation,robustness,sensitivity,dimension,score-correctness,information-gain,score-columns,kept-neighbours,case-studies \
        --datasets TINY --folds 2
    small generalisation --datasets COLORS-3
    small reconstruction --datasets RING,DAVID
    small distinct
    sha256sum figures/*
} > outputs.txt

[ -n "${MIDPOOL_FROZEN:-}" ] && cp outputs.txt "$MIDPOOL_FROZEN"
diff -u "$frozen" outputs.txt || bad=1
exit "$bad"
