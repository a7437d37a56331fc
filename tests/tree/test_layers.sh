#!/bin/sh
# test_layers.sh - the rules that the tree itself must keep:
#   1. a file includes only from its own folder or from folders before it in the list below;
#   2. every header compiles alone;
#   3. a source of more than 500 lines says why in its opening comment, with the words "lines because";
#   4. numbers go in and out through base/text.c, which does not ask the host's locale: no other file reads one with
#      strtod or its like, or writes one with printf or its like, or calls a function that depends on the locale;
#   5. every op of grad/ops.h is in grad/op_list.h, from which the gradient tests are made;
#   6. only src/cli prints or exits; a bug ends the program in base/err.c;
#   7. memory of the library comes from base/alloc.c, which a host can replace: no other file of it calls malloc or its kin.
# Usage: test_layers.sh SOURCE_ROOT [COMPILER]
# SPDX-License-Identifier: MIT
set -u
root=$1
compiler=${2:-cc}
layers="base conf math cuda graph grad nn task pool baseline chem data model train api store study report experiment selftest cli"
bad=0
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT INT TERM

complain() {
    echo "$1" >&2
    bad=1
}

place() { # of a folder in the list; 0: not there
    n=0
    for layer in $layers; do
        n=$((n + 1))
        [ "$layer" = "$1" ] && { echo $n; return; }
    done
    echo 0
}

cd "$root" || exit 1

for folder in src/*/; do
    folder=${folder#src/}
    folder=${folder%/}
    own=$(place "$folder")
    [ "$own" -gt 0 ] || { complain "src/$folder is not in the list of layers"; continue; }
    for file in src/"$folder"/*.c src/"$folder"/*.h; do
        [ -f "$file" ] || continue
        for included in $(sed -n 's/^[[:space:]]*#[[:space:]]*include[[:space:]]*"\([^"]*\)".*/\1/p' "$file"); do
            case $included in
            midpool/*) ;; # public headers
            */*)
                other=$(place "${included%%/*}")
                [ "$other" -gt 0 ] || complain "$file includes $included, which is in no layer"
                [ "$other" -le "$own" ] || complain "$file includes $included, which stands above it"
                ;;
            *) ;; # the public header, or one that the build generates
            esac
        done
    done
done

for header in src/*/*.h include/*.h include/midpool/status.h; do
    [ -f "$header" ] || continue
    case $header in
    src/*) name=${header#src/} ;;
    *) name=${header#include/} ;;
    esac
    printf '#include "%s"\ntypedef int mp_not_empty;\n' "$name" >"$scratch/alone.c"
    # simd.h and fun.h hold static functions of which a file uses some
    "$compiler" -std=gnu11 -D_GNU_SOURCE -Wall -Wextra -Werror -Wno-unused-function -Isrc -Iinclude -fsyntax-only \
        "$scratch/alone.c" 2>"$scratch/log" || complain "$header does not compile alone: $(head -n 3 "$scratch/log")"
done

for file in src/*/*.c src/*/*.h include/*.h tests/*/*.c tests/*/*.h fuzz/*.c; do
    [ -f "$file" ] || continue
    lines=$(wc -l <"$file")
    [ "$lines" -gt 500 ] || continue
    awk '/\*\// { print; exit } { print }' "$file" | grep -q "lines because" ||
        complain "$file has $lines lines and does not say why (\"lines because ...\" in its opening comment)"
done

# Statements, which end in ';', so that a call and its format may stand on several lines.
for file in src/*/*.c src/*/*.h; do
    [ "$file" = src/base/text.c ] && continue
    awk -v file="$file" 'BEGIN { RS = ";" }
        { gsub("%%", ""); flat = $0; gsub("\n", " ", flat) }
        flat ~ /(^|[^a-z_])(strto(d|f|ld)(_l)?|atof|setlocale|str(n?casecmp|coll)|v(s|sn|f|d)?printf|to(upper|lower)|is(alpha|alnum|space|print|upper|lower)) *\(/ ||
        flat ~ /(^|[^a-z_])(v?(s|sn|f|d)?printf|v?(s|f)?scanf) *\(.*%[-+ #0-9.*]*l?[aefgAEFG]/ {
            sub(/^ +/, "", flat); print file ": depends on the locale: " substr(flat, 1, 120) }' "$file"
done >"$scratch/locale"
while read -r line; do complain "$line"; done <"$scratch/locale"

for op in $(sed -n 's/^\(mp_mat \*\|void \)mp_\([a-z0-9_]*\)(mp_ctx \*c,.*/\2/p' src/grad/ops.h); do
    grep -q "OP($op)" src/grad/op_list.h || grep -q "OP(${op%_of})" src/grad/op_list.h ||
        complain "src/grad/ops.h has mp_$op, which src/grad/op_list.h does not list: its gradient is not tested"
done

for file in src/*/*.c src/*/*.h; do
    case $file in src/cli/* | src/base/err.c) continue ;; esac
    grep -nHE '(^|[^a-z_])(v?printf|puts|putchar|perror|exit) *\(|(^|[^a-z_])(stdout|stderr|STD(OUT|ERR)_FILENO)([^a-z_]|$)' "$file"
done >"$scratch/prints"
while read -r line; do complain "$line: only src/cli prints or exits"; done <"$scratch/prints"

# archive.c and fetch.c are the program's, mpi.c is a module.
grep -nE '(^|[^a-z_>.])(malloc|calloc|realloc|posix_memalign|aligned_alloc|strdup|strndup|asprintf|open_memstream) *\(' \
    src/base/*.c src/conf/*.c src/math/*.c src/graph/*.c src/grad/*.c src/nn/*.c src/task/*.c src/pool/*.c src/baseline/*.c src/chem/*.c \
    src/data/*.c src/model/*.c src/train/*.c src/api/*.c | grep -vE '^src/(base/alloc|data/archive|data/fetch|train/mpi)\.c:' >"$scratch/malloc"
while read -r line; do complain "memory that no host can provide: $line"; done <"$scratch/malloc"

exit $bad
