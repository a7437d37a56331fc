#!/bin/sh
# Three commands at once on one store, killed at random and started again: the rows are those of one command alone, and no run
# that was finished is trained twice. Under tests/rig/postgres.sh the store is in a server; CRASH of the kills (0: none) is followed by
# a crash of the server for two seconds, in which runs may be trained twice. Usage: share.sh MIDPOOL ROWS [KILLS [CRASH]], 50 and 0 when not said
rows=$(realpath "$2")
kills=${3:-50}
crash=${4:-0}
here=$(dirname "$(realpath "$0")")
# shellcheck source=../rig/prologue.sh
. "$here/../rig/prologue.sh"

run data generate colors3 --out C --train 60 --val 20 --test 20 --large 0 --large-c 0 --max-nodes 9 --seed 5
seeds=$((10 + 4 * kills))
[ "$kills" -le 10 ] || seeds=$((20 * kills)) # a quiet machine is done with fewer before all kills
study="cv C --pool sag --hidden 16 --epochs 100 --lr 0.01 --patience 0 --threads 1 --seeds $seeds --jobs 2"

store=shared.db
[ -z "${MIDPOOL_POSTGRES:-}" ] || store="postgresql://midpool:geheim@/lab?host=$MIDPOOL_POSTGRES"
postgres=$here/../rig/postgres.sh

chance() { # below N
    echo $(($(od -An -N2 -tu2 /dev/urandom) % $1))
}

# Command I on the store; its log is what all commands of that number said.
start() {
    # shellcheck disable=SC2086
    "$midpool" $study --store "$store" >"table$1" 2>>"log$1" &
    eval "pid$1=$!"
}

# shellcheck disable=SC2086
run $study --store alone.db
cp out table
for i in 1 2 3; do start $i; done
n=0
while [ "$n" -lt "$kills" ]; do
    if [ "$crash" -gt 0 ]; then
        sleep 0.02 # commands are hit while they open the store, too
    else
        sleep "0.$((5 + $(chance 25)))"
    fi
    i=$((1 + $(chance 3)))
    eval "victim=\$pid$i"
    # shellcheck disable=SC2154
    kill -9 "$victim" 2>/dev/null && n=$((n + 1)) || break
    wait "$victim" 2>/dev/null
    if [ "$crash" -gt 0 ] && [ "$n" = "$crash" ]; then
        "$postgres" stop
        sleep 2
        "$postgres" start
    fi
    start $i
done
[ "$n" -gt 0 ] || complain "the commands ended before one could be killed"
for i in 1 2 3; do
    eval "wait \$pid$i" || complain "command $i: $(tail -3 "log$i")"
    cmp -s table "table$i" || complain "command $i prints another table: $(diff table "table$i" | head -5)"
done
"$rows" alone.db >want || complain "rows of alone.db"
"$rows" "$store" >have || complain "rows of $store"
cmp -s want have || complain "rows differ: $(diff want have | head -4 | cut -c 1-160)"
grep -h "epochs, val" log1 log2 log3 | sed 's/^[0-9]*\/[0-9]* //; s/:.*//' | sort >trained
again=$(uniq -d trained)
[ -z "$again" ] || [ "$crash" -gt 0 ] || complain "trained twice: $again"
for left in ./*.unfinished; do
    [ ! -e "$left" ] || complain "$left is left: $(ls "$left")"
done
grep -q geheim log1 log2 log3 && complain "a password is shown"
echo "$n kills, $(wc -l <want) runs, $(wc -l <trained) of them told"
exit "$bad"
