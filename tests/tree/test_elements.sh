#!/bin/sh
# test_elements.sh - only src/math touches elements: ops, layers, pooling parts, baselines and networks call kernels, so that
# another device is another table of kernels. In these folders no file
#   1. indexes an array of numbers, its own (declared in the file as mp_real *, double * or float *) or a member of a struct
#      of a header (x->v[i], p->key[v]), or reads or writes through a pointer to one (*loss = 0);
#   2. copies or fills one (memcpy, memmove, memset);
#   3. includes math/fun.h or math/simd.h, which have the functions of single numbers.
# Usage: test_elements.sh SOURCE_ROOT
# SPDX-License-Identifier: MIT
set -u
root=$1
cd "$root" || exit 1

held="src/grad src/nn src/pool src/baseline src/model"

# What is left out, and why.
excused() {
    case $1 in
    src/nn/params.c) ;;         # first values and files: weights before they are on a device and after
    src/model/checkpoint.c) ;;  # the same, to and from files
    src/model/safetensors.c) ;; # files of numbers
    *) return 1 ;;
    esac
}

files=
for folder in $held; do
    for file in "$folder"/*.c "$folder"/*.h; do
        [ -f "$file" ] || continue
        excused "$file" || files="$files $file"
    done
done

# Names of arrays come from declarations: after a type of numbers, each `*name` of the list, and `name[` of mp_real (a few
# doubles in a struct are settings). Files are read whole, without comments and text.
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT INT TERM
cat >"$scratch/look.awk" <<'AWK'
function strip(s,   out, i, n, c, two) {
    n = length(s)
    for (i = 1; i <= n; i++) {
        c = substr(s, i, 1)
        two = substr(s, i, 2)
        if (two == "/*") {
            for (i += 2; i <= n && substr(s, i, 2) != "*/"; i++) if (substr(s, i, 1) == "\n") out = out "\n"
            i++
        } else if (c == "\"") {
            for (i++; i <= n && substr(s, i, 1) != "\""; i++) if (substr(s, i, 1) == "\\") i++
            out = out "\"\""
        } else
            out = out c
    }
    return out
}

# The names that a list declares; rest: the text behind the type.
function declared(rest, few, names,   depth, stars, name, c) {
    while (1) {
        stars = 0
        while (match(rest, /^[ \n]*(const|restrict|\*)/)) {
            if (substr(rest, RSTART + RLENGTH - 1, 1) == "*") stars++
            rest = substr(rest, RLENGTH + 1)
        }
        if (!match(rest, /^[ \n]*[A-Za-z_][A-Za-z0-9_]*/)) return
        name = substr(rest, 1, RLENGTH)
        gsub(/[ \n]/, "", name)
        rest = substr(rest, RLENGTH + 1)
        if (rest !~ /^[ \n]*\(/ && (stars || (few && rest ~ /^[ \n]*\[/))) names[name] = 1
        for (depth = 0; rest != ""; rest = substr(rest, 2)) {
            c = substr(rest, 1, 1)
            if (c == "(" || c == "[" || c == "{") depth++
            if (c == ")" || c == "]" || c == "}") depth--
            if (depth < 0 || (depth == 0 && (c == ";" || c == ","))) break
        }
        if (rest == "" || depth < 0 || c == ";") return
        rest = substr(rest, 2)
    }
}

function all_declared(s, names,   type) {
    while (match(s, /(^|[^A-Za-z0-9_])(mp_real|double|float)[ *\n]/)) {
        type = substr(s, RSTART, RLENGTH)
        s = substr(s, RSTART + RLENGTH - 1)
        declared(substr(s, 1, 2000), type ~ /mp_real/, names)
    }
}

function line_of(s, at,   head) {
    head = substr(s, 1, at)
    return gsub(/\n/, "", head) + 1
}

# Every match of a pattern, unless what stands before it is a type of numbers: a declaration.
function look(s, pattern, what,   from, rest, before, line) {
    from = 0
    rest = s
    while (match(rest, pattern)) {
        before = substr(s, 1, from + RSTART)
        sub(/[ \n*]*.?$/, "", before)
        if (before !~ /(mp_real|double|float)$/) {
            line = line_of(s, from + RSTART + RLENGTH - 1)
            if (!((line what) in told)) print file ":" line ": " what
            told[line what] = 1
        }
        from += RSTART + RLENGTH - 1
        rest = substr(s, from + 1)
    }
}

# Reading or writing through a pointer: `*name` where it cannot be a product, a declaration or under sizeof.
function look_through(s, name,   n, part, i, at, line, rest, before) {
    n = split(s, part, /[;{}]/)
    at = 0
    for (i = 1; i <= n; i++) {
        rest = part[i]
        if (match(rest, "(^|[=(?:+<>&|!-]|return)[ \n]*\\*[ \n]*\\(*" name "([^A-Za-z0-9_]|$)") && rest !~ /^[ \n]*#/) {
            before = substr(rest, 1, RSTART)
            line = line_of(s, at + RSTART + RLENGTH - 1)
            if (before !~ /sizeof *\(?$/) print file ":" line ": goes through the pointer " name
        }
        at += length(rest) + 1
    }
}

{ text = text $0 "\n" }
END {
    s = strip(text)
    if (mode == "members") {
        all_declared(s, names)
        for (name in names) print name
        exit
    }
    all_declared(s, names)
    for (name in names) {
        look(s, "(^|[^A-Za-z0-9_])" name "[ ]*\\[", "indexes " name)
        look(s, "mem(cpy|move|set)\\([^;]*[^A-Za-z0-9_]" name "([^A-Za-z0-9_]|$)", "copies or fills " name)
        look_through(s, name)
    }
    n = split(members, list, " ")
    for (i = 1; i <= n; i++) {
        look(s, "(->|\\.)" list[i] "[ ]*\\[", "indexes ->" list[i])
    }
    look(s, "mem(cpy|move|set)\\([^;]*->[vg]([^A-Za-z0-9_]|$)", "copies or fills ->v or ->g")
    look(text, "#include \"math/(fun|simd).h\"", "includes functions of single numbers")
}
AWK
# Structs of headers: fields, without the parameters of functions.
members=$(for header in src/math/kernels.h src/math/plain.h src/graph/*.h src/grad/*.h src/nn/*.h src/pool/*.h src/baseline/*.h; do
    sed -n '/^typedef struct/,/^}/p' "$header" | awk -v mode=members -f "$scratch/look.awk"
done | sort -u | tr '\n' ' ')

look() { # FILE NAME-IN-MESSAGES
    awk -v file="$2" -v members="$members" -f "$scratch/look.awk" "$1"
}

# The check itself: every line with "bad" is found, and no other.
cat >"$scratch/sample.c" <<'EOF_SAMPLE'
#include "math/fun.h" /* bad */
typedef struct part { mp_real *row; int *keep; } part;
static void some(mp_ctx *c, const mp_real *in, mp_mat *x, const int *which, mp_real *out, part *p)
{
    mp_real *a = MP_NEW_RAW(c->arena, mp_real, 4), s = 2, *b = NULL;
    double *sums = MP_NEW(c->arena, double, 4);
    c->k->axpy(out, s, in, false, 4);
    c->k->rows_take(a + 2, x->v + 1, which, 0, which[0], p->keep[1]);
    x->v[1] = 0;                             /* bad */
    for (int i = 0; i < 4; i++) out[i] = s;  /* bad */
    s *= b [0] ;                             /* bad */
    s = *out * s;                            /* bad */
    *a = 1;                                  /* bad */
    if (x->g[which[1]] > 0) return;          /* bad */
    p->row[0] = s * s;                       /* bad */
    sums[1] = 0;                             /* bad */
    memcpy(a, in, 4 * sizeof *a);            /* bad */
    memset(x->g, 0, 4);                      /* bad */
    /* a[1] in a comment, and "a[1]" in text: */ mp_fail(MP_ERR_INPUT, "a[1] = %d", p->keep[0]);
}
EOF_SAMPLE
grep -n "bad \*/" "$scratch/sample.c" | cut -d: -f1 >"$scratch/want"
look "$scratch/sample.c" sample | cut -d: -f2 | sort -nu >"$scratch/have"
cmp -s "$scratch/want" "$scratch/have" || {
    echo "test_elements.sh finds lines $(tr '\n' ' ' <"$scratch/have")of its own sample, not $(tr '\n' ' ' <"$scratch/want")" >&2
    exit 1
}

[ -n "$files" ] || { echo "no files to hold in $root" >&2; exit 1; }
found=$(for file in $files; do look "$file" "$file"; done | sort -u)
[ -z "$found" ] && exit 0
echo "$found" >&2
exit 1
