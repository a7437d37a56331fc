#!/bin/sh
# exports.sh - the shared and the static library show the names that installed headers declare, and no others; the shared one
# needs nothing but libc, libm and threads, and has no means to print, to end its host or to take its signals.
# Usage: exports.sh SOURCE_ROOT BUILD_ROOT SHARED STATIC SANITIZED CC...
# SPDX-License-Identifier: MIT
set -eu
source=$1 build=$2 shared=$3 static=$4 sanitized=$5
shift 5
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT INT TERM
bad=0

# Every header that is installed, as the compiler sees it.
for header in "$source"/include/midpool.h "$source"/include/midpool/*.h "$build"/include/midpool/*.h; do
    echo "#include \"$header\""
done >"$scratch/all.c"
"$@" -std=gnu11 -E -I"$source/include" -I"$build/include" "$scratch/all.c" >"$scratch/text"

# Declarations at file scope of those headers: functions and objects that are not static.
cat >"$scratch/names.awk" <<'AWK'
/^# [0-9]+ "/ { ours = index($3, "/midpool.h\"") || $3 ~ /\/include\/midpool\/[a-z_]*\.h"$/; next }
/^#/ || !ours { next }
{ text = text $0 "\n" }
function balanced(s, open, shut,   i, depth, c) { # the length of what begins with `open`
    for (i = 1; i <= length(s); i++) {
        c = substr(s, i, 1)
        depth += (c == open) - (c == shut)
        if (depth == 0) return i
    }
    return length(s)
}
function without(s, word, open, shut,   out, at) {
    while ((at = index(s, word)) > 0) {
        out = out substr(s, 1, at - 1) " "
        s = substr(s, at + length(word))
        sub(/^[ \n]*/, "", s)
        s = substr(s, balanced(s, open, shut) + 1)
    }
    return out s
}
function add(s,   n, part, i, name) {
    gsub(/[ \n]+/, " ", s)
    sub(/^ /, "", s)
    if (s == "" || s ~ /^(static|typedef|extern "C")/ || s ~ /^(struct|enum|union) [a-z_]* ?(@|$)/) return
    if (index(s, "(")) { # a function
        sub(/ ?\(.*/, "", s)
        n = split(s, part, /[ *]/)
        print part[n]
        return
    }
    n = split(s, part, /,/)
    for (i = 1; i <= n; i++) {
        name = part[i]
        sub(/[ ]*(\[.*)?$/, "", name)
        sub(/.*[ *]/, "", name)
        print name
    }
}
END {
    text = without(text, "__attribute__", "(", ")")
    gsub(/extern "C" \{/, "", text)
    n = length(text)
    for (i = 1; i <= n; i++) {
        c = substr(text, i, 1)
        if (c == "{") {
            i += balanced(substr(text, i), "{", "}") - 1
            if (s ~ /static[^;]*\)[ \n]*$/) s = ""; else s = s "@"
        } else if (c == ";") {
            add(s)
            s = ""
        } else
            s = s c
    }
}
AWK
awk -f "$scratch/names.awk" "$scratch/text" | sort -u >"$scratch/declared"
[ "$(wc -l <"$scratch/declared")" -gt 50 ] || { echo "the headers declare next to nothing" >&2; exit 1; }

same() { # WHAT FILE
    diff "$scratch/declared" "$2" >"$scratch/diff" && return
    echo "$1: < is declared but not shown, > is shown but not declared" >&2
    grep '^[<>]' "$scratch/diff" >&2
    bad=1
}
nm -D --defined-only "$shared" | awk 'NF == 3 && $3 !~ /^__odr_asan/ { print $3 }' | sort -u >"$scratch/shown"
same "$shared" "$scratch/shown"
nm -g --defined-only "$static" | awk 'NF == 3 && $3 !~ /^__odr_asan/ { print $3 }' | sort -u >"$scratch/shown"
same "$static" "$scratch/shown"
grep -v '^\(mp_\|midpool\)' "$scratch/declared" >&2 && bad=1

[ "$sanitized" = none ] || exit $bad
# A bug says so on stderr and aborts (base/err.c). Nothing else prints, ends the process, or touches its signals and children.
for used in $(nm -D --undefined-only "$shared" | sed 's/.* U //; s/@.*//'); do
    case $used in
    exit | _exit | quick_exit | fork | vfork | exec* | kill | raise | signal | sig* | wait* | system) ;;
    printf | vprintf | __printf_chk | __vprintf_chk | puts | putchar | putc | fputs | fputc | fwrite | perror | dprintf | stdout) ;;
    *) continue ;;
    esac
    echo "$shared uses $used" >&2
    bad=1
done
for needed in $(readelf -d "$shared" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p'); do
    case $needed in
    libc.so* | libm.so* | libpthread.so* | ld-linux*) ;;
    *) echo "$shared needs $needed" >&2; bad=1 ;;
    esac
done
readelf -d "$shared" | grep -q 'SONAME.*\[libmidpool\.so\.[0-9]*\]' || { echo "$shared: no soname" >&2; bad=1; }
exit $bad
