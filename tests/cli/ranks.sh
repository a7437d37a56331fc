#!/bin/sh
# Ranks of MPI: the rows are those of --jobs, whatever dies on the way. Usage: ranks.sh MIDPOOL ROWS MODULE_FOLDER [KILLS]
#
# KILLS (2 unless told): how often a random rank is killed in the middle, and the same command started again.
# Under sanitizers it is not run: Open MPI leaks by itself. What it sends is tested there by test_data_parcel and test_order.
rows=$(realpath "$2") modules=$3 kills=${4:-2}
# shellcheck source=../rig/prologue.sh
. "$(dirname "$0")/../rig/prologue.sh"

done_in() { # STORE: runs that are finished
    "$rows" "$1" 2>/dev/null | grep -c " status 1 "
}
same() { # WHAT STORE STORE RUNS
    "$rows" "$2" >have && "$rows" "$3" >want || complain "$1: no rows"
    cmp -s have want || complain "$1: other rows: $(diff have want | head -4 | cut -c 1-160)"
    [ "$(done_in "$2")" = "$4" ] || complain "$1: $(done_in "$2") runs instead of $4"
}

# ---- without the module one line says so, instead of several programs that do the same
mkdir alone && cp "$midpool" alone/midpool
run data generate colors3 --out C --train 60 --val 30 --test 30 --large 0 --large-c 0 --max-nodes 12 --seed 5
few="cv C --pool topk --seeds 1 --epochs 1 --quiet"
# shellcheck disable=SC2086
env -u MIDPOOL_PLUGINS OMPI_COMM_WORLD_SIZE=4 alone/midpool $few --store alone.db >out 2>err
code=$?
[ "$code" = 1 ] && [ "$(wc -l <err)" = 1 ] && grep -q "built without MPI" err || complain "without the module: exit $code, $(cat err)"
[ -e alone.db ] && complain "without the module: there is a store"
# shellcheck disable=SC2086
env -u MIDPOOL_PLUGINS OMPI_COMM_WORLD_SIZE=4 alone/midpool $few --store alone.db --workers fork >out 2>err || complain "--workers fork: $(cat err)"
# shellcheck disable=SC2086
env OMPI_COMM_WORLD_SIZE=1 alone/midpool $few --store one.db >out 2>err || complain "one process: $(cat err)"

command -v mpirun >/dev/null && [ -e "$modules/midpool_mpi.so" ] || {
    echo "no mpirun, or built without MPI: ranks are not tested"
    [ "$bad" = 0 ] && exit 77
    exit 1
}
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 MIDPOOL_PLUGINS="$modules" TMPDIR="$folder"
mpi="mpirun --oversubscribe --bind-to none -n 4"

# ---- steps of srun that MPI does not connect, and one process alone, are told in one line
for how in "SLURM_STEP_ID=0 SLURM_STEP_NUM_TASKS=3" "PMI_SIZE=3"; do
    # shellcheck disable=SC2086
    env $how "$midpool" $few --store apart.db >out 2>err
    code=$?
    [ "$code" = 2 ] && [ "$(wc -l <err)" = 1 ] && grep -q "MPI does not connect them.*--mpi=pmix" err || complain "$how: exit $code, $(cat err)"
done
# shellcheck disable=SC2086
"$midpool" $few --store apart.db --workers mpi >out 2>err && complain "--workers mpi without ranks is taken"
grep -q "needs at least two processes" err || complain "--workers mpi without ranks: $(cat err)"
[ -e apart.db ] && complain "a store was made where nothing could be trained"

# ---- the same rows and models as --jobs: folds, methods, what is prepared, models
study="cv C --pool sag,haar --seeds 4 --epochs 4 --hidden 16 --quiet"
# shellcheck disable=SC2086
run $study --jobs 2 --store jobs.db --models jobs-models
# shellcheck disable=SC2086
$mpi "$midpool" $study --store ranks.db --models ranks-models >out 2>err || complain "mpirun: $(cat err)"
same ranks ranks.db jobs.db 8
diff -r jobs-models ranks-models >/dev/null || complain "ranks: other models than --jobs 2"
has "ranks" SAGPool HaarPool "4 of 4"

# ---- a study that takes seconds, for those who are killed
long="cv C --pool sag --seeds 12 --epochs 1200 --patience 0 --hidden 16 --quiet"
# shellcheck disable=SC2086
run $long --jobs 2 --store long.db

ranks_of() { # PID of mpirun: pids of its ranks
    pgrep -P "$1"
}
number_of() { # PID: the number of that rank
    tr '\0' '\n' <"/proc/$1/environ" 2>/dev/null | sed -n 's/^OMPI_COMM_WORLD_RANK=//p'
}
begin() { # STORE OPTIONS_OF_MPIRUN...: starts it and waits for the first run
    store=$1
    shift
    # shellcheck disable=SC2086
    $mpi "$@" "$midpool" ${longer:-$long} --store "$store" >out 2>err &
    pid=$!
    i=0
    while [ $i -lt 600 ] && [ "$(done_in "$store")" -lt "${least:-1}" ] && kill -0 "$pid" 2>/dev/null; do
        sleep 0.05
        i=$((i + 1))
    done
}
nobody_left() { # of what was started here
    i=0
    while [ $i -lt 100 ] && pgrep -f -- "$folder" >/dev/null; do
        sleep 0.1
        i=$((i + 1))
    done
    pgrep -af -- "$folder" && complain "$1: somebody is left"
}

# ---- the workers that ranks forked die: their runs are tried once more, the study goes on
begin worker.db
workers=
for rank in $(ranks_of "$pid"); do
    [ "$(number_of "$rank")" = 0 ] || workers="$workers $(pgrep -P "$rank")"
done
# shellcheck disable=SC2086
kill -9 $workers
wait "$pid" || complain "a worker was killed: $(cat err)"
grep -q "signal 9.*trying once more" err || complain "a worker was killed: nothing is said of it: $(cat err)"
same "a worker was killed" worker.db long.db 12

# ---- a rank dies, and mpirun was asked to go on
begin recovered.db --enable-recovery
for rank in $(ranks_of "$pid"); do
    [ "$(number_of "$rank")" = 2 ] && kill -9 "$rank"
done
wait "$pid"
grep -q "rank 2 on .* is gone; trying once more" err || complain "recovery: nothing is said of the rank: $(cat err)"
same recovery recovered.db long.db 12
nobody_left recovery

# ---- mpirun is told to end: ranks save and end. (Open MPI 4.1.4 may crash over it: then ranks notice, and end as well.)
longer=$(echo "$long" | sed 's/--seeds 12/--seeds 500/') # many runs, not long ones: the first is waited for
begin told.db
longer=
kill -TERM "$pid"
wait "$pid" && complain "told to end: exit code 0"
nobody_left "told to end"
before=$(done_in told.db)
[ "$before" -lt 500 ] || complain "told to end: all runs were finished"

# ---- a random rank dies: mpirun ends the others, nothing that was finished is trained again
n=0 before=0
while [ "$n" -lt "$kills" ]; do
    least=$((before < 12 ? before : 12))
    begin killed.db
    sleep "0.$(od -An -N1 -tu1 /dev/urandom | tr -d ' ')"
    victim=$(ranks_of "$pid" | shuf -n 1)
    [ -n "$victim" ] && kill -9 "$victim" 2>/dev/null
    (sleep 60 && kill -9 "$pid") 2>/dev/null & # mpirun itself may hang when all its ranks are dead
    dog=$!
    wait "$pid"
    kill "$dog" 2>/dev/null
    nobody_left "kill $n"
    now=$(done_in killed.db)
    [ "$now" -ge "$before" ] || complain "kill $n: $before runs were there, now $now"
    [ "$now" -lt 12 ] || { rm -f killed.db*; now=0; }
    before=$now n=$((n + 1))
done
# shellcheck disable=SC2086
$mpi "$midpool" $(echo "$long" | sed 's/--quiet//') --store killed.db >out 2>err || complain "started again: $(cat err)"
[ "$before" = 0 ] || grep -q "^$before of 12 runs were in killed.db already" err || complain "started again: $before runs were there: $(cat err)"
same "started again" killed.db long.db 12
nobody_left "the end"
exit "$bad"
