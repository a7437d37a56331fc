#!/bin/sh
# installed.sh - what 'meson install' puts into a folder suffices: pkg-config finds it there, every example builds from it alone
# against the shared and against the static library, and runs; a C++ compiler takes the header; uninstall leaves nothing.
# Usage: installed.sh SOURCE_ROOT BUILD_ROOT SANITIZE CC...
# SPDX-License-Identifier: MIT
set -eu
source=$1 build=$2 sanitize=$3
shift 3
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT INT TERM
fail() {
    echo "$1" >&2
    exit 1
}
[ "$sanitize" = none ] || set -- "$@" "-fsanitize=$sanitize"

prefix=$(meson introspect "$build" --buildoptions | tr '{' '\n' | sed -n 's/.*"name": "prefix", "value": "\([^"]*\)".*/\1/p')
[ -n "$prefix" ] || prefix=/usr/local
DESTDIR=$scratch/stage meson install -C "$build" --no-rebuild >"$scratch/log" 2>&1 || fail "install: $(tail -n 5 "$scratch/log")"
tree=$scratch/stage$prefix
[ -f "$tree/include/midpool.h" ] && [ -f "$tree/include/midpool/operator.h" ] || fail "no headers in $tree/include"
pc=$(find "$tree" -name midpool.pc) libs=$(dirname "$(find "$tree" -name libmidpool.so)")
[ -n "$pc" ] && [ -h "$libs/libmidpool.so" ] && [ -f "$libs/libmidpool.a" ] || fail "no midpool.pc, libmidpool.so or libmidpool.a"

PKG_CONFIG_PATH=$(dirname "$pc") PKG_CONFIG_SYSROOT_DIR=
export PKG_CONFIG_PATH
flags=$(pkg-config --define-variable=prefix="$tree" --cflags --libs midpool)
version=$(pkg-config --modversion midpool)
static=$(pkg-config --define-variable=prefix="$tree" --static --libs-only-l midpool | sed 's/-lmidpool//')
cd "$scratch"
for example in "$source"/examples/*.c; do
    name=$(basename "$example" .c)
    # shellcheck disable=SC2086
    "$@" -std=c11 -Wall -Wextra -Werror -o "shared_$name" "$example" $flags -lm || fail "$name does not build"
    # shellcheck disable=SC2086
    "$@" -std=c11 -o "static_$name" "$example" -I"$tree/include" "$libs/libmidpool.a" $static || fail "$name does not build with the static library"
    for how in shared static; do
        case $name in quickstart) continue ;; esac
        LD_LIBRARY_PATH=$libs "./${how}_$name" >"$how.txt" 2>"$scratch/log" || fail "$how $name fails: $(cat "$scratch/log")"
        [ -s "$how.txt" ] || fail "$how $name says nothing"
    done
    cmp -s shared.txt static.txt || fail "$name: shared and static library differ"
    [ "$name" != own_operator ] || [ "$(sed 's/.*: //' shared.txt | sort -u | wc -l)" = 2 ] || fail "hub-power changes nothing"
done
LD_LIBRARY_PATH=$libs ./shared_quickstart rings.safetensors | grep -q '^class ' || fail "quickstart does not answer"

printf '#include <midpool.h>\n#include <cstdio>\nint main() { std::puts(mp_version()); return MIDPOOL_VERSION_MAJOR; }\n' >plus.cpp
if command -v g++ >/dev/null && [ "$sanitize" = none ]; then
    # shellcheck disable=SC2086
    g++ -Wall -Wextra -Wpedantic -Werror -o plus plus.cpp $flags || fail "the header is not C++"
    [ "$(LD_LIBRARY_PATH=$libs ./plus)" = "$version" ] || fail "mp_version and midpool.pc differ"
fi

sh "$source/scripts/uninstall" "$build" "$scratch/stage" >/dev/null
left=$(find "$scratch/stage" ! -type d)
[ -z "$left" ] || fail "uninstall leaves $left"
