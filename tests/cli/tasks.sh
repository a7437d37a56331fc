#!/bin/sh
# Tasks from files to reports: numbers, yes/no labels of which some are missing, attributes of edges; from TUDataset files and
# from JSON lines. Usage: tasks.sh MIDPOOL
# shellcheck source=../rig/prologue.sh
. "$(dirname "$0")/../rig/prologue.sh"
refused() { # CODE TEXT ARGUMENTS...
    code=$1 text=$2
    shift 2
    "$midpool" "$@" >out 2>err
    got=$?
    [ "$got" = "$code" ] && grep -qF -- "$text" err || complain "midpool $*: exit $got, $(cat err); expected $code and '$text'"
}

# Small graphs of coloured nodes; their number of green ones is what sets with other labels are made from.
run data generate colors3 --out C --train 60 --val 20 --test 20 --large 0 --large-c 0 --max-nodes 9 --seed 5
like() { # NAME: the same graphs under another name, without labels and the split
    mkdir "$1"
    for part in A graph_indicator node_attributes; do cp "C/COLORS-3_$part.txt" "$1/$1_$part.txt"; done
}
label=C/COLORS-3_graph_attributes.txt
[ -f C/COLORS-3_graph_labels.txt ] && label=C/COLORS-3_graph_labels.txt
like REG && awk '{ printf "%.3f, %s\n", 100 + 7.5 * $1, NR % 9 == 0 ? "" : -$1 }' "$label" >REG/REG_graph_attributes.txt
like YES && awk '{ print ($1 > 2) "," (NR % 3 == 0 ? "nan" : ($1 > 4) ? 1 : 0) }' "$label" >YES/YES_graph_attributes.txt
# Edges know the class, nodes do not.
mkdir BOND
awk '{ print $1 % 2 }' "$label" >BOND/BOND_graph_labels.txt
cp C/COLORS-3_A.txt BOND/BOND_A.txt
cp C/COLORS-3_graph_indicator.txt BOND/BOND_graph_indicator.txt
awk '{ print 0 }' C/COLORS-3_graph_indicator.txt >BOND/BOND_node_labels.txt
awk 'FILENAME ~ /labels/ { y[FNR] = $1; next } FILENAME ~ /indicator/ { g[FNR] = $1; next }
     { split($0, e, /[ ,]+/); print y[g[e[1]]] + 3 }' BOND/BOND_graph_labels.txt BOND/BOND_graph_indicator.txt BOND/BOND_A.txt \
    >BOND/BOND_edge_labels.txt

quick="--hidden 16 --layers 2 --epochs 12 --lr 0.01 --patience 0 --threads 1"
for from in REG REG.jsonl; do
    [ "$from" = REG ] || run data convert REG REG.jsonl
    # shellcheck disable=SC2086
    run train "$from" --pool sag $quick --json --out "$from.st" --quiet
    has "$from" '"task":"regress"' '"metric":"mae"' '"val":{"mae":' '"rmse":' '"r2":' '"test":{"mae":'
    run predict "$from.st" "$from"
    has "$from" "graph  value_0  value_1"
    run predict "$from.st" "$from" --json
    has "$from" '"task":"regress"' '"values":[1' '"mae":'
    run explain "$from.st" "$from" --graph 3
    has "$from" "graph 3 of REG: value 1" "level 1:"
done
cmp -s REG.st REG.jsonl.st || complain "numbers: the model from JSON lines is another than that from TUDataset files"
awk 'NR > 1 && ($2 < 60 || $2 > 220) { exit 1 }' <<EOF || complain "numbers: answers are not in the unit of the labels"
$("$midpool" predict REG.st REG 2>/dev/null)
EOF
# shellcheck disable=SC2086
run train REG --pool sag $quick --loss huber --huber-delta 0.5 --metric r2 --stop-on metric --patience 5 --json --quiet
has "huber" '"metric":"r2"'
refused 2 "--loss: not used by the task binary; regress, count, node-numbers have it" train YES --loss huber
refused 2 "--huber-delta: not used by" train REG --huber-delta 2
refused 2 "metric: task regress has no 'accuracy'; it has mae" train REG --metric accuracy
refused 1 "cannot be learned as binary" train REG --task binary
refused 1 "classes must be one whole number a graph" train YES --task classify

printf '{"nodes":2,"edges":[[0,1]],"y":"%s"}\n' no yes no yes >named.jsonl
refused 1 "its classes are names, which cannot be learned as regress" train named.jsonl --task regress

for from in YES YES.jsonl; do
    [ "$from" = YES ] || run data convert YES YES.jsonl
    # shellcheck disable=SC2086
    run train "$from" --pool topk $quick --json --out "$from.st" --quiet
    has "$from" '"task":"binary"' '"metric":"roc_auc"' '"average_precision":' '"accuracy":'
    run predict "$from.st" "$from" --csv
    has "$from" "graph,label_0,label_1,probability_0,probability_1"
    run predict "$from.st" "$from" --json
    has "$from" '"labels":[' '"probabilities":[' '"accuracy":'
    run explain "$from.st" "$from" --graph 1 --json
    has "$from" '"task":"binary"' '"labels":[' '"levels":['
done
cmp -s YES.st YES.jsonl.st || complain "yes/no: the model from JSON lines is another than that from TUDataset files"

for from in BOND BOND.jsonl; do
    [ "$from" = BOND ] || run data convert BOND BOND.jsonl
    # shellcheck disable=SC2086
    run train "$from" --pool topk --conv gine $quick --epochs 80 --dropout 0 --json --out "$from.st" --quiet
    has "$from" '"task":"classify"' '"metric":"accuracy"' '"balanced_accuracy":' '"f1_macro":' '"mcc":' '"roc_auc":'
    run predict "$from.st" "$from"
    grep -q "^100.00 % agree" err || complain "$from: edges tell the class, and not all were found: $(cat err)"
    run explain "$from.st" "$from" --graph 1
    has "$from" "with probability"
done
cmp -s BOND.st BOND.jsonl.st || complain "edges: the model from JSON lines is another than that from TUDataset files"
refused 2 "conv: gine needs attributes of edges" train BOND --conv gine --edge-attributes ignore

# Studies choose by the metric and its direction, and reports show it.
# shellcheck disable=SC2086
run cv REG,YES --pool sag,topk --seeds 1 --folds 3 $quick --epochs 3 --store s.db --json --quiet
has "study" '"metric":"mae"' '"metric":"roc_auc"' '"task":"regress"'
# shellcheck disable=SC2086
run cv REG,YES --pool sag,topk --seeds 1 --folds 3 $quick --epochs 3 --store s.db --quiet
has "study" "mean absolute error" "ROC-AUC in percent"
run report s.db --out s.html
has "report" "mean absolute error" "ROC-AUC in percent"
run report s.db --out s.html --metric rmse
has "report" "root mean squared error"
run cv REG --pool sag --grid paper --seeds 1 --folds 3 --epochs 2 --hidden 8 --store g.db --json --quiet
python3 - out <<'EOF' 2>/dev/null || { [ $? = 1 ] && complain "a grid of errors: the chosen point is not the smallest on validation"; }
import json, sys
runs = json.load(open(sys.argv[1]))
means = {}
for r in runs["runs"]:
    means.setdefault((r["score_dim"], r["drop"]), []).append(r["val_metric"])
means = {k: sum(v) / len(v) for k, v in means.items()}
chosen = runs["studies"][0]["summary"]["val"]["chosen"][0]
best = min(means.values())
sys.exit(0 if abs(means[(chosen["score-dim"], chosen["drop"])] - best) < 1e-12 else 1)
EOF
exit $bad
