#!/bin/sh
# abi.sh - every declaration of midpool.h that a program may have been compiled with is still there, word for word: abi.txt has
# them, under the number of the interface. One that changes or goes needs a new number (`abi` in meson.build), unless no release
# had it. MIDPOOL_ABI_WRITE=1 writes abi.txt anew, for a new number or a declaration that was added.
# Usage: abi.sh SOURCE_ROOT ABI CC...
# SPDX-License-Identifier: MIT
set -eu
source=$1 abi=$2 frozen=$1/tests/api/abi.txt
shift 2
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT INT TERM

# One line a declaration: what midpool.h and status.h have at file scope, structs with their fields.
printf '#include "midpool.h"\n' >"$scratch/all.c"
"$@" -std=gnu11 -E -I"$source/include" "$scratch/all.c" | awk '
    /^# [0-9]+ "/ { ours = $3 ~ /\/midpool\.h"$/ || $3 ~ /\/midpool\/status\.h"$/; next }
    /^#/ || !ours { next }
    { text = text " " $0 }
    END {
        n = length(text)
        for (i = 1; i <= n; i++) {
            c = substr(text, i, 1)
            depth += (c == "{") - (c == "}")
            line = line c
            if (c != ";" || depth > 0) continue
            gsub(/__attribute__ *\(\([^;]*\)\)\)/, "", line)
            gsub(/[ \t]+/, " ", line)
            sub(/^ /, "", line)
            print line
            line = ""
        }
    }' | LC_ALL=C sort -u >"$scratch/declared"
[ "$(wc -l <"$scratch/declared")" -gt 50 ] || { echo "midpool.h declares next to nothing" >&2; exit 1; }
{ echo "abi $abi"; cat "$scratch/declared"; } >"$scratch/now"
if [ -n "${MIDPOOL_ABI_WRITE:-}" ]; then
    cp "$scratch/now" "$frozen"
    exit
fi

[ -f "$source/debian/libmidpool$abi.install" ] && grep -qx "Package: libmidpool$abi" "$source/debian/control" ||
    { echo "abi is $abi in meson.build, but debian/ has no package libmidpool$abi" >&2; exit 1; }
was=$(sed -n '1s/^abi //p' "$frozen")
[ "$was" = "$abi" ] || { echo "abi is $abi in meson.build, abi.txt has number $was: write it anew (MIDPOOL_ABI_WRITE=1)" >&2; exit 1; }
sed 1d "$frozen" >"$scratch/was"
LC_ALL=C comm -23 "$scratch/was" "$scratch/declared" >"$scratch/gone"
LC_ALL=C comm -13 "$scratch/was" "$scratch/declared" >"$scratch/new"
if [ -s "$scratch/gone" ]; then
    echo "programs compiled with interface $abi may use these, which changed or went; raise abi in meson.build:" >&2
    cat "$scratch/gone" >&2
    exit 1
fi
[ -s "$scratch/new" ] || exit 0
echo "not in abi.txt yet (MIDPOOL_ABI_WRITE=1 sh tests/api/abi.sh . $abi cc):" >&2
cat "$scratch/new" >&2
exit 1
