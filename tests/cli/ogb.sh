#!/bin/sh
# A set in OGB's raw layout through every command: the preset of molecules holds by itself and gets the bonds it needs, models and
# answers are the same from folders, packed folders and JSON lines. Usage: ogb.sh MIDPOOL
# shellcheck source=../rig/prologue.sh
. "$(dirname "$0")/../rig/prologue.sh"

# Forty chains of 3 to 5 atoms; nitrogen tells the first label, the first bond the second.
mkdir -p S/raw S/mapping S/split/scaffold
awk 'BEGIN {
    print "first,\"second, of two\",smiles,mol_id" >"S/mapping/mol.csv"
    for (b = 0; b < 40; b++) {
        n = 3 + b % 3; y = int(b / 2) % 2; z = int(b / 3) % 2
        print n >"S/raw/num-node-list.csv"
        print n - 1 >"S/raw/num-edge-list.csv"
        for (v = 0; v < n; v++) print (y && v == 1 ? 6 : 5) ",0," (v % 4) ",5,1,0,2,0,0" >"S/raw/node-feat.csv"
        for (v = 1; v < n; v++) {
            print (b % 2 ? v "," v - 1 : v - 1 "," v) >"S/raw/edge.csv"
            print (v == 1 ? z : 0) ",0,0" >"S/raw/edge-feat.csv"
        }
        print y "," (b % 5 == 4 ? "nan" : z) >"S/raw/graph-label.csv"
        print y "," (b % 5 == 4 ? "" : z) ",\"C,C\",m" b >"S/mapping/mol.csv"
        print b >("S/split/scaffold/" (b % 4 < 2 ? "train" : b % 4 == 2 ? "valid" : "test") ".csv")
    }
}'

run data info S
has info "graphs          40" "174" "split           train        20 graphs"
run data list --data .
has list "S "

# The same again, packed and as JSON lines.
mkdir a b
run data convert S a/S --format ogb
run data convert a/S b/S --format ogb
for member in $(cd S && find . -type f); do
    gzip -dc "a/S/$member.gz" | cmp -s - "S/$member" || complain "convert: $member.gz has another text"
    cmp -s "a/S/$member.gz" "b/S/$member.gz" || complain "convert: $member.gz has other bytes the second time"
done
run data convert S S.jsonl
run data convert S.jsonl c/S --format ogb
for member in $(cd S && find . -type f); do
    gzip -dc "c/S/$member.gz" | cmp -s - "S/$member" || complain "convert: $member.gz has another text after JSON lines"
done

quick="--hidden 8 --layers 2 --epochs 4 --patience 0 --threads 1 --quiet"
for from in S a/S S.jsonl; do
    name=$(echo "$from" | tr / _)
    # shellcheck disable=SC2086
    run train "$from" --pool sag $quick --json --out "$name.st"
    has "train $from" '"task":"binary"' '"conv":"ogb-gcn"' '"encoder":"embed"'
    cmp -s S.st "$name.st" || complain "train: the model from $from is another than that from S"
    run predict S.st "$from" --csv
    has "predict $from" "first" "second, of two"
    cp out "$name.csv"
    cmp -s S.csv "$name.csv" || complain "predict: answers for $from are others than for S"
    : >parts.csv
    for part in 1/3 2/3 3/3; do
        run predict S.st "$from" --csv --part $part
        cat out >>parts.csv
    done
    cmp -s S.csv parts.csv || complain "predict: parts of $from are other answers than those of the whole"
done
run explain S.st a/S --graph 3
has explain "graph 3 of S"

# A network that is asked for and reads no bonds gets none.
# shellcheck disable=SC2086
run train S --conv gcn $quick --out plain.st
run predict plain.st S.jsonl

# Several networks, some with bonds and some without, over one set.
# shellcheck disable=SC2086
run cv S --pool sag,topk --seeds 1 $quick --store r.db
has cv "SAGPool" "TopKPool"
printf 'datasets: [S]\npool: sag\nconv: [gcn, ogb-gcn]\nrows: [conv]\nencoder: none\nhidden: 8\nlayers: 2\nepochs: 2\nseeds: 1\n' >sweep.yaml
run sweep sweep.yaml --store w.db --quiet
has sweep "conv gcn" "conv ogb-gcn"

printf '0,1\n7,0\n' >S/raw/edge.csv
"$midpool" data info S >out 2>err && complain "info: a set with too few edges was read"
grep -qF "S: S/raw/edge.csv: 2 lines for 119 edges" err || complain "info: $(cat err)"
exit $bad
