#!/bin/sh
# molecules.sh - the commands of docs/molecules.md do what the page says. Usage: molecules.sh MIDPOOL
# SPDX-License-Identifier: MIT
# shellcheck source=../rig/prologue.sh
. "$(dirname "$0")/../rig/prologue.sh"
page=$MIDPOOL_SOURCE/docs/molecules.md
cp "$MIDPOOL_SOURCE/examples/molecules.csv" "$MIDPOOL_SOURCE/examples/new.csv" . || exit 1
if ! "$midpool" data info molecules.csv --label acid > out 2>&1; then
    grep -q librdkit out && { echo "skipped: $(cat out)"; exit 77; }
    cat out >&2
    exit 1
fi
sed -n 's/^    midpool //p' "$page" > commands
[ "$(wc -l < commands)" = 5 ] || complain "the page has $(wc -l < commands) commands, not five"
n=0
while read -r words; do
    n=$((n + 1))
    # shellcheck disable=SC2086
    "$midpool" $words > out.$n 2> err.$n || complain "midpool $words: $(cat err.$n)"
done < commands
grep -q '^graphs  *120$' out.1 || complain "data info: $(cat out.1)"
grep -q 'TopKPool .* 3 of 3$' out.2 || complain "cv: $(cat out.2)"
grep -q '<html' report.html && grep -qi 'calibration' report.html || complain "the page lacks calibration"
sed -n 1p answered.csv | grep -qx 'name,smiles,note,probability_acid,probability_amine,spread_acid,spread_amine' ||
    complain "answers: $(sed -n 1p answered.csv)"
[ "$(wc -l < answered.csv)" = 5 ] || complain "a row was lost: $(cat answered.csv)"
grep -qx 'not a molecule,C1CC,the ring is open,,,,' answered.csv || complain "the open ring: $(cat answered.csv)"
grep -q '^new.csv:5: no answer: ' err.4 || complain "the open ring is not named: $(cat err.4)"
# The data can be learned: aspirin is an acid.
awk -F , '/^aspirin/ { exit !($(NF - 3) > 0.5) }' answered.csv || complain "aspirin: $(sed -n 2p answered.csv)"
grep -q '<svg' aspirin.svg && grep -q '>O<' aspirin.svg || complain "no oxygen in the picture"
exit $bad
