#!/bin/sh
# docs/results.md is of this build: a few of its runs, trained again, have the model files that its store names.
# Usage: results.sh MIDPOOL SOURCE
source=$2
data=${MIDPOOL_DATA:-$source/../shared/datasets}
[ -e "$data/MUTAG.zip" ] || [ -d "$data/MUTAG" ] || { echo "no MUTAG in $data: skipped"; exit 77; }
command -v python3 >/dev/null || { echo "no python3: skipped"; exit 77; }
data=$(realpath "$data")
# shellcheck source=../rig/prologue.sh
. "$(dirname "$0")/../rig/prologue.sh"

"$source/scripts/results-store" unpack "$source/docs/results.db.xz" kept.db || complain "the kept store cannot be unpacked"
run reproduce classification --datasets MUTAG --pools sag,topk,gsa,set2set,mincut --seeds 1 --grid none --part 2/23 --data "$data" --store again.db \
    --jobs 2 --out page.html
python3 - <<'END' || complain "results of another build"
import sqlite3, sys
rows = {}
for name in ("kept", "again"):
    with sqlite3.connect(name + ".db") as store:
        rows[name] = {key: rest for key, *rest in store.execute(
            "SELECT key, json_extract(config, '$.pool'), fold, epochs, test_metric, model_sha256 FROM run")}
again = rows["again"]
missing = [again[k] for k in again if k not in rows["kept"]]
other = [(rows["kept"][k], again[k]) for k in again if k in rows["kept"] and rows["kept"][k] != again[k]]
print(len(again), "runs again; not kept:", missing, "differ:", other)
sys.exit(not again or bool(missing) or bool(other))
END
exit "$bad"
