#!/bin/sh
# usage.sh FOLDER - exit codes and messages of midpool selftest.
# SPDX-License-Identifier: MIT
temp=$(mktemp -d) || exit 1
trap 'rm -rf "$temp"' EXIT
failed=0

# expect CODE TEXT ARGUMENT...: the command ends with the code and says the text.
expect() {
    code=$1 text=$2
    shift 2
    out=$("$MIDPOOL_BIN" selftest "$@" 2>&1)
    got=$?
    case $got,$out in
    "$code",*"$text"*) ;;
    *)
        echo "selftest $*: expected exit code $code and '$text', got $got and: $out"
        failed=1
        ;;
    esac
}

expect 0 "0 failed" --golden "$1"
expect 0 '"failed":0' --golden "$1" --json
expect 0 "grad.w.pools.2.gcn.lin.weight" --golden "$1" --verbose
expect 0 "--tolerance" --help
expect 1 "FAIL net_sag_h1: " --golden "$1" --tolerance 1e-9
expect 2 "--golden DIR"
expect 2 "tolerance" --golden "$1" --tolerance none
expect 2 "did you mean" --goldem "$1"
expect 1 "No such file" --golden "$temp/none"
expect 1 "no golden files" --golden "$temp"
sed 's/spec_rocauc/nopc_rocauc/' "$1/spec_rocauc.safetensors" >"$temp/a.safetensors"
expect 1 "skip a.safetensors (nopc_rocauc): unknown case" --golden "$temp"
cp "$1/gcn_conv.safetensors" "$temp"
expect 0 "1 passed, 0 failed, 1 skipped" --golden "$temp"
cp "$1/gcn_conv.safetensors" "$temp/again.safetensors"
expect 0 "ok   again.safetensors (gcn_conv)" --golden "$temp"
head -c 5000 "$1/le_conv.safetensors" >"$temp/cut.safetensors"
expect 1 "FAIL cut.safetensors: " --golden "$temp"
mkdir "$temp/folder.safetensors"
expect 1 "FAIL folder.safetensors: " --golden "$temp"
exit $failed
