#!/bin/sh
# rebuild.sh methods|options - examples/rebuild, which knows docs/math.md alone, gives the program's answers to 1e-5: for
# every method, base and MID, or for the options that change what a model computes.
#
# The data set is generated: its features are random numbers, so that no two nodes tie (math.md 1.3), and node labels. The
# numbers are large, so that the answers of different graphs lie apart, which is checked too.
# SPDX-License-Identifier: MIT
set -u
python=/usr/bin/python3
"$python" -c 'import numpy' 2> /dev/null || python=python3
"$python" -c 'import numpy' 2> /dev/null || { echo "skipped: there is no numpy (python3-numpy)"; exit 77; }
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
bad=0

count=0
model() { # FOLDER OPTIONS...: trains a model and has it answered by the program
    at=$work/model.$((count += 1))
    data=$1
    shift
    echo "$data" > "$at.data"
    echo "$*" > "$at.options"
    "$MIDPOOL_BIN" train "$data" --epochs 3 --hidden 16 --lr 0.01 --threads 1 --out "$at.st" "$@" > "$work/log" 2>&1 &&
        "$MIDPOOL_BIN" predict "$at.st" "$data" --csv > "$at.ours" 2> "$work/log" ||
        { echo "$*: $(tail -n 1 "$work/log")" >&2; bad=1; }
}

rebuild() { # answers all models by examples/rebuild: one process, because numpy takes long to load
    "$python" -B - "$MIDPOOL_SOURCE/examples/rebuild" "$work"/model.*.st << 'END'
import contextlib, runpy, sys, traceback
program, *models = sys.argv[1:]
for model in models:
    sys.argv = [program, model, open(model[:-3] + ".data").read().strip()]
    with open(model[:-3] + ".theirs", "w") as out, contextlib.redirect_stdout(out):
        try:
            runpy.run_path(program, run_name="__main__")
        except Exception:
            traceback.print_exc()
END
}

compare() { # MODEL
    paste -d , "$1.ours" "$1.theirs" | awk -F , -v what="$(cat "$1.options")" '
        NR == 1 { half = NF / 2 }
        NF != 2 * int(half) || $1 != $(half + 1) { most = 1 } # a line is missing
        NR == 1 { next }
        { for (i = 2; i <= half; i++) { d = $i - $(i + half); if (d < 0) d = -d; if (!(d <= most)) most = d } }
        NR == 2 || $half < low { low = $half }
        NR == 2 || $half > high { high = $half }
        END {
            printf "%-60s %d graphs, answers spread %.1e, largest difference %.1e\n", what, NR - 1, high - low, most
            exit !(most <= 1e-5 && high - low >= 5e-4)
        }' || { echo "$(cat "$1.options"): the answers differ, or do not differ between graphs" >&2; bad=1; }
}

"$MIDPOOL_BIN" data generate er --out "$work/ER" --graphs 24 --nodes 15 --edges 20 --columns 3 > "$work/log" || exit 1
awk -F , -v OFS=, '{ for (i = 1; i <= NF; i++) $i *= 3; print }' "$work/ER/ER_node_attributes.txt" > "$work/large"
mv "$work/large" "$work/ER/ER_node_attributes.txt"
awk '{ print NR * 7 % 3 + 2 ", " int(NR / 4) % 2 }' "$work/ER/ER_node_attributes.txt" > "$work/ER/ER_node_labels.txt"
"$MIDPOOL_BIN" data generate er --out "$work/bare/ER" --graphs 24 --nodes 15 --edges 20 --columns 0 > "$work/log" || exit 1

mkdir -p "$work/bonds/ER" && cp "$work"/ER/ER_* "$work/bonds/ER/" # the same with labels and attributes of edges
awk -F '[, ]+' '{ print ($1 + $2) % 3 + 1 }' "$work/ER/ER_A.txt" > "$work/bonds/ER/ER_edge_labels.txt"
awk -F '[, ]+' '{ print ($1 * $2) % 7 / 3 - 1 ", " ($1 + $2) % 2 }' "$work/ER/ER_A.txt" > "$work/bonds/ER/ER_edge_attributes.txt"

if [ "$1" = methods ]; then
    for pool in topk sag att asap hgpsl vip rep ug gsa cgi tap ipool; do
        model "$work/ER" --pool $pool
        model "$work/ER" --pool $pool --mid
    done
    for pool in set2set sort edge haar diff mincut mem gmt; do model "$work/ER" --pool $pool; done
    model "$work/bare/ER" --pool gmt # degrees as features
else
    while read -r options; do
        # shellcheck disable=SC2086
        model "$work/ER" $options
    done << 'END'
--pool topk --arch colors --mid
--pool sag --arch triangles --mid
--pool topk --layers 4 --ratio 0.3 --conv graphconv
--pool topk --conv sage
--pool sag --conv gin
--pool sag --conv gat
--pool topk --conv cheb
--pool topk --conv leconv
--pool sag --conv leconv-pyg --score-conv leconv
--pool sag --conv leconv-authors --score-conv gin
--pool topk --conv graphconv-mean
--pool ug --conv graphconv-mean
--pool topk --conv gcn-raw
--pool sag --conv gcn-noloop --score-conv gcn-noloop
--pool asap --conv gat
--pool set2set --conv cheb
--pool topk --score-dim 5 --width multihead
--pool topk --score-dim 3 --width repeat
--pool topk --score-dim 3 --width mlp
--pool topk --mid --combine max
--pool topk --mid --combine l2
--pool topk --mid --rank activated
--pool topk --variant pyg
--pool topk --variant authors
--pool topk --adj-power 2
--pool topk --gate sigmoid
--pool topk --min-score 0.05
--pool topk --min-score 0.05 --score-dim 3 --combine l2
--pool topk --min-score 0.05 --variant authors
--pool sag --variant pyg
--pool sag --variant pyg --mid
--pool sag --variant pyg --min-score 0.05
--pool sag --score-conv sage
--pool sag --score-conv gat
--pool sag --score-conv cheb --min-score 0.05
--pool att --attention local --dnorm --mid
--pool att --assign raw
--pool att --scale-n
--pool asap --variant pyg
--pool asap --variant authors
--pool hgpsl --lap-norm sym --no-sparse
--pool hgpsl --candidates sampled --hops 2
--pool hgpsl --next-conv gcn --lambda 0.3
--pool hgpsl --gate identity --mid
--pool vip --hops 2 --vip-adj literal
--pool vip --vip-adj induced
--pool rep --rep-score original --lambda 0.5 --ratio 0.2
--pool rep --rep-select peak
--pool ug --square after
--pool ug --binary --ratio 0.3
--pool gsa --variant authors
--pool gsa --mix before --fusion raw --alpha 0.3
--pool gsa --fusion none
--pool cgi --variant authors --mid
--pool tap --scale-n --lambda 0.5 --connectivity
--pool ipool --pick local --lambda 0.1
--pool ipool --overlap cosine --hops 3
--pool ipool --gate tanh --mid
--pool sag --edge-loss 0.4
--pool topk --arch colors --conv chebygin --cheb-order 3 --score-from previous --min-score 0.05
--pool sag --arch colors --conv chebygin --cheb-order 5 --cheb-agg sum --cheb-layers 2 --score-conv chebygin --score-layers 3
--pool topk --score-from input --mid
--pool topk --score-from previous --variant authors
--pool sag --score-from input --encoder embed --score-layers 2
--pool ug --score-from previous --multiplier 2
--pool asap --readout sum --multiplier 0.5
--pool topk --arch colors --readout mean
--pool topk --arch triangles --readout max+mean
--pool set2set --conv chebygin --cheb-order 3 --cheb-agg sum
--pool asap --edge-loss 0.3 --mid --edge-loss-in test
--pool rep --edge-loss 0.5
--pool set2set --processing-steps 2
--pool sort --sort-form dgcnn
--pool sort --sort-k 8 --conv sage
--pool edge --layers 4
--pool mincut --norm-adj
--pool mem --heads 2
--pool gmt --heads 4 --ln
--pool gmt --attend keys --heads 2 --clusters 2
--pool hgpsl --encoder embed
--pool topk --conv gat --encoder embed
--pool topk --conv cheb --encoder embed
--pool sag --conv sage --encoder embed --arch colors
--pool diff --encoder embed
--pool mincut --encoder embed
--pool mem --encoder embed
--pool sort --encoder embed --sort-form dgcnn
--pool haar --encoder embed
END
    for task in regress binary count; do # the same graphs with two labels, of which some are missing
        mkdir -p "$work/$task/ER" && cp "$work"/ER/ER_* "$work/$task/ER/" && rm "$work/$task/ER/ER_graph_labels.txt"
        awk -v task=$task '{ y = NR * 5 % 7; first = y; second = y % 3 }
            task == "regress" { first = y / 100 - 0.02; second = y / 300 }
            task == "binary" { first = y % 2; second = (y > 3) }
            { print first "," (NR % 5 ? second : "nan") }' "$work/ER/ER_graph_labels.txt" > "$work/$task/ER/ER_graph_attributes.txt"
        model "$work/$task/ER" --pool sag --task $task
    done
    model "$work/regress/ER" --pool sag --task regress --no-standardise
    while read -r options; do
        # shellcheck disable=SC2086
        model "$work/bonds/ER" $options
    done << 'END'
--pool topk --conv gine
--pool sag --conv ogb-gcn --mid
--pool tap --conv ogb-gin
--pool topk --conv gine --adj-power 2
--pool asap --conv gine
--pool hgpsl --conv ogb-gcn
--pool vip --vip-adj induced --conv gine
--pool set2set --conv gine
--pool edge --conv ogb-gcn
--pool gmt --conv ogb-gin
--pool sag --conv ogb-gcn --encoder embed --mid
--pool topk --conv gine --encoder embed
--pool gmt --conv ogb-gcn --encoder embed
END
fi
rebuild
for model in "$work"/model.*.ours; do compare "${model%.ours}"; done
exit $bad
