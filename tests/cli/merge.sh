#!/bin/sh
# The parts of a study, joined, are the study: the same rows and the same table, and nothing is left to train. What does not belong
# together is refused. Usage: merge.sh MIDPOOL ROWS
rows=$(realpath "$2")
# shellcheck source=../rig/prologue.sh
. "$(dirname "$0")/../rig/prologue.sh"

run data generate colors3 --out C --train 60 --val 20 --test 20 --large 0 --large-c 0 --max-nodes 9 --seed 5
run data generate colors3 --out D --train 60 --val 20 --test 20 --large 0 --large-c 0 --max-nodes 9 --seed 6
study="--pool sag,topk --hidden 16 --epochs 10 --lr 0.01 --patience 0 --threads 1 --seeds 5 --jobs 2"
# shellcheck disable=SC2086
run cv C $study --store whole.db
cp out table
for i in 1 2 3; do
    # shellcheck disable=SC2086
    run cv C $study --store "part$i.db" --part "$i/3"
done
run merge all.db part1.db part2.db part3.db
has merge "3 stores into all.db: 10 runs added, 0 were there, 0 failed"
run merge all.db part2.db whole.db
has "merge once more" "0 runs added,"
"$rows" whole.db >want && "$rows" all.db >have || complain "rows"
cmp -s want have || complain "rows differ: $(diff want have | head -4 | cut -c 1-160)"
# shellcheck disable=SC2086
run cv C $study --store all.db
cmp -s table out || complain "another table: $(diff table out | head -5)"
grep -q "10 of 10 runs were in all.db already" err || complain "runs are trained again: $(cat err)"
# shellcheck disable=SC2086
run cv D $study --store other.db
"$midpool" merge all.db other.db >out 2>err
[ $? = 1 ] && grep -q "its data set COLORS-3 is another than that of" err || complain "other data are joined: $(cat err)"
"$midpool" merge all.db 2>err
[ $? = 2 ] || complain "merge of one store: $(cat err)"
"$midpool" merge new.db nothing.db 2>err
[ $? = 1 ] && grep -q "nothing.db: No such file" err || complain "merge of nothing: $(cat err)"
[ ! -e new.db ] || complain "merge of nothing made a store"
exit "$bad"
