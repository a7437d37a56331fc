#!/bin/sh
# examples.sh - configurations that midpool init writes and those of examples/ run as they are, shortened. Usage: examples.sh
# MIDPOOL SOURCE
# SPDX-License-Identifier: MIT
# shellcheck source=../rig/prologue.sh
. "$(dirname "$0")/../rig/prologue.sh"
source=$2
run data generate er --out E --graphs 40 --nodes 12 --columns 4
mkdir -p work && cd work && mv ../E . || exit 1
sha() { sed -n 's/.*"model_sha256":"\([0-9a-f]*\)".*/\1/p' out; }
refused() { # CODE TEXT WORDS...
    code=$1 text=$2
    shift 2
    "$midpool" "$@" > out 2> err
    [ $? = "$code" ] && grep -qF -- "$text" err || complain "midpool $*: exit code or words are others: $(cat err)"
}
# Every line that was commented out is in use; but for what needs another value first, or a task with numbers for labels.
uncomment() {
    awk '/^# / && (/\(where( |$)/ || /^# regress/) { stays = 1 }
         /^#[a-z]/ && !stays { sub(/^#/, "") }
         !/^# / { stays = 0 }
         { print }'
}

run init
refused 2 "midpool.yaml: is there already" init
refused 2 "midpool.yaml: is there already" init midpool.yaml --pool topk
run init other.yaml --pool TopKPooling
grep -q '^pool: topk$' other.yaml || complain "another method: $(grep pool: other.yaml)"
grep -q 'midpool train MUTAG --config other.yaml' other.yaml || complain "the file does not know its name"
refused 2 "no operator 'sagg'" init --pool sagg -
refused 2 "one method" init --pool sag,topk -
refused 2 "--pool: is for a configuration of one method" init --sweep --pool sag -
refused 1 "/none/x.yaml: cannot be written" init /none/x.yaml
[ ! -e - ] || complain "init - made a file"

short="--epochs 1 --hidden 4 --threads 1 --quiet --json"
# shellcheck disable=SC2086
{
    run train E --config midpool.yaml $short && plain=$(sha)
    run train E --mid $short && [ -n "$plain" ] && [ "$plain" = "$(sha)" ] || complain "the configuration is not that of --mid"
    uncomment < midpool.yaml > all.yaml
    [ "$(grep -c '^[a-z]' all.yaml)" -gt 20 ] || complain "lines cannot be taken into use: $(cat all.yaml)"
    run train E --config all.yaml $short && [ "$plain" = "$(sha)" ] || complain "defaults that are spelt out change the model"
    run cv E --config all.yaml $short --seeds 1 --folds 2 --store a.db
    for pool in $("$midpool" ops --json | tr '{' '\n' | sed -n 's/^"name":"\([a-z0-9]*\)","title".*/\1/p'); do
        run init --pool "$pool" --all - && uncomment < out > "$pool.yaml"
        run train E --config "$pool.yaml" $short && plain=$(sha)
        run init --pool "$pool" - && mv out plain.yaml
        run train E --config plain.yaml $short && [ "$plain" = "$(sha)" ] || complain "$pool: what it spells out changes the model"
        tried="${tried:-} $pool"
    done
}
[ "$(echo "$tried" | wc -w)" -ge 20 ] || complain "methods: $tried"

run init --sweep
cmp sweep.yaml "$source/examples/sweep.yaml" || complain "init --sweep is not examples/sweep.yaml"
run init - && cmp out "$source/examples/train.yaml" || complain "init - is not examples/train.yaml"
for file in "$source"/examples/*.yaml; do
    name=$(basename "$file")
    # shellcheck disable=SC2086
    case $name in
    train.yaml) run train E --config "$file" $short ;;
    cv.yaml)
        run cv E --config "$file" --dry-run
        run cv E --config "$file" $short --seeds 1 --folds 2 --store "$name.db"
        ;;
    sweep*.yaml)
        run sweep "$file" --datasets E --dry-run
        grep -q "runs" out err || complain "$name: $(cat out err)"
        points=
        grep -q '^points:' "$file" && points="--points 3"
        grep -q '^search: halving' "$file" && points="$points --least-epochs 1"
        run sweep "$file" --datasets E --epochs 3 --seeds 1 --folds 2 $points --store "$name.db" --quiet
        ;;
    *) complain "examples/$name is not tried" ;;
    esac
done
exit "$bad"
