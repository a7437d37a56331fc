#!/bin/sh
# installed.sh - what 'meson install' puts into a folder suffices: pkg-config and CMake find it there, every example builds from it
# alone against the shared and against the static library, and runs; a C++ compiler takes the header; uninstall leaves nothing.
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
flag=
compiler=$*
[ "$sanitize" = none ] || flag=-fsanitize=$sanitize
# shellcheck disable=SC2086
set -- "$@" $flag

prefix=$(meson introspect "$build" --buildoptions | tr '{' '\n' | sed -n 's/.*"name": "prefix", "value": "\([^"]*\)".*/\1/p')
[ -n "$prefix" ] || prefix=/usr/local
DESTDIR=$scratch/stage meson install -C "$build" --no-rebuild >"$scratch/log" 2>&1 || fail "install: $(tail -n 5 "$scratch/log")"
tree=$scratch/stage$prefix
[ -f "$tree/include/midpool.h" ] && [ -f "$tree/include/midpool/operator.h" ] || fail "no headers in $tree/include"
pc=$(find "$tree" -name midpool.pc) libs=$(dirname "$(find "$tree" -name libmidpool.so)")
[ -n "$pc" ] && [ -h "$libs/libmidpool.so" ] && [ -f "$libs/libmidpool.a" ] || fail "no midpool.pc, libmidpool.so or libmidpool.a"

# The Python package is where Debian's python3 looks without being told.
package=$(find "$tree" -path '*-packages/midpool/__init__.py')
if [ -n "$package" ] && [ "$prefix" = /usr/local ] && [ -x /usr/bin/python3 ]; then
    folder=${package#"$scratch/stage"}
    /usr/bin/python3 -c 'import site, sys; sys.exit(sys.argv[1] not in site.getsitepackages())' "${folder%/midpool/*}" ||
        fail "python3 does not look in ${folder%/midpool/*}"
fi

PKG_CONFIG_PATH=$(dirname "$pc") PKG_CONFIG_SYSROOT_DIR=
export PKG_CONFIG_PATH
flags=$(pkg-config --define-variable=prefix="$tree" --cflags --libs midpool)
version=$(pkg-config --modversion midpool)
static=$(pkg-config --define-variable=prefix="$tree" --static --libs-only-l midpool | sed 's/-lmidpool//')
cd "$scratch"
for example in "$source"/examples/*.c; do
    name=$(basename "$example" .c)
    # shellcheck disable=SC2086
    "$@" -std=c11 -Wall -Wextra -Werror -o "shared_$name" "$example" $flags || fail "$name does not build"
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
LD_LIBRARY_PATH=$libs ./shared_explain kept.svg >/dev/null && grep -q '^<svg' kept.svg || fail "explain draws nothing"
LD_LIBRARY_PATH=$libs ./shared_quickstart rings.safetensors | grep -q '^class ' || fail "quickstart does not answer"

# CMake finds it, in a tree that was moved here, with the version it has and no other. A sanitizer sees nothing of it.
if [ "$sanitize" = none ] && command -v cmake >/dev/null; then
    mkdir project
    cp "$source/examples/train.c" project/
    cat >project/CMakeLists.txt <<'END'
cmake_minimum_required(VERSION 3.13)
project(outside C)
find_package(midpool ${WANTED} CONFIG REQUIRED)
find_package(midpool CONFIG REQUIRED)
foreach(name midpool static)
    add_executable(with_${name} train.c)
    target_link_libraries(with_${name} midpool::${name})
endforeach()
END
    asked() { # VERSION
        rm -rf project/build
        CC=$compiler cmake -S project -B project/build -DWANTED="$1" -DCMAKE_PREFIX_PATH="$tree" >"$scratch/log" 2>&1
    }
    major=${version%%.*} minor=${version#*.}
    minor=${minor%%.*}
    older=$((major > 0 ? major - 1 : 0)).$((major > 0 ? 0 : minor - 1)) # not compatible; of 0.0 there is none
    for other in "$older" "$major.$((minor + 1))" "$((major + 1))" "$version.1"; do
        asked "$other" && fail "CMake takes $version for $other"
        grep -q 'requested version' "$scratch/log" || fail "CMake: another reason than the version: $(cat "$scratch/log")"
    done
    asked "$major.$minor" || fail "CMake does not take $version for $major.$minor: $(cat "$scratch/log")"
    asked "$version" || fail "CMake does not find it: $(cat "$scratch/log")"
    cmake --build project/build >"$scratch/log" 2>&1 || fail "CMake does not build: $(cat "$scratch/log")"
    for how in midpool static; do
        "project/build/with_$how" >"$how.txt" || fail "built by CMake with $how, it fails"
    done
    cmp -s midpool.txt static.txt || fail "CMake: shared and static library differ"
    readelf -d project/build/with_midpool | grep -q 'NEEDED.*libmidpool\.so\.[0-9]*\]' || fail "CMake does not link the soname"
else
    echo "no cmake, or a sanitizer: find_package is not tried"
fi

# The program and the library make the same model of the same files and options, presets of the set included.
"$tree/bin/midpool" data generate colors3 --train 60 --val 30 --test 30 --large 0 --large-c 0 --out COLORS-3 >"$scratch/log" 2>&1 || fail "generate: $(cat "$scratch/log")"
wanted=$("$tree/bin/midpool" train ./COLORS-3 --pool topk --preset mid --epochs 2 --json --quiet | sed -n 's/.*"model_sha256":"\([0-9a-f]*\)".*/\1/p')
cat >same.c <<'END'
#include <midpool.h>
#include <stdio.h>
int main(void)
{
    static const char *const options[] = { "pool=topk", "preset=mid", "epochs=2", NULL };
    mp_data *d = NULL;
    mp_trained *m = NULL;
    mp_result r;
    mp_err e = mp_data_load("./COLORS-3", NULL, &d);
    if (e == MP_OK) e = mp_train(d, options, NULL, &m, &r);
    puts(e == MP_OK ? r.sha256 : mp_message());
    mp_trained_free(m);
    mp_data_free(d);
    return 0;
}
END
# shellcheck disable=SC2086
"$@" -o same same.c $flags || fail "same.c does not build"
got=$(LD_LIBRARY_PATH=$libs ./same)
[ -n "$wanted" ] && [ "$got" = "$wanted" ] || fail "the program makes model $wanted, the library $got"

# The headers are C++ for every compiler there is, with std::span and without.
printf '#include <midpool.h>\n#include <cstdio>\nint main() { std::puts(mp_version()); }\n' >plus.cpp
for plus in g++ clang++; do
    if ! command -v "$plus" >/dev/null || [ "$sanitize" != none ]; then continue; fi
    for std in 17 20; do
        for program in plus.cpp "$source/examples/rings.cpp"; do
            # shellcheck disable=SC2086
            "$plus" -std=c++$std -Wall -Wextra -Wpedantic -Wshadow -Werror -o plus "$program" $flags || fail "$plus, C++$std: $program does not build"
            LD_LIBRARY_PATH=$libs ./plus >"$(basename "$program").txt" || fail "$plus, C++$std: $program fails"
        done
        [ "$(cat plus.cpp.txt)" = "$version" ] || fail "mp_version and midpool.pc differ"
        grep -q '^refused: to: 3 values' rings.cpp.txt || fail "$plus, C++$std: rings says $(cat rings.cpp.txt)"
    done
done

# Files that Python makes of the package go with it. Folders of the system stay, those of a prefix of one's own do not.
for package in $(find "$tree" -name _midpool.pyi -printf '%h '); do
    mkdir "$package/__pycache__" && : >"$package/__pycache__/x.pyc"
done
sh "$source/scripts/uninstall" "$build" "$scratch/stage" >/dev/null
left=$(find "$scratch/stage" ! -type d -o -path "$tree/*midpool*")
[ -z "$left" ] || fail "uninstall leaves $left"
mkdir "$scratch/toy"
printf "project('toy')\ninstall_data('meson.build', install_dir : 'share/midpool/deep')\n" >"$scratch/toy/meson.build"
meson setup --prefix /opt/toy "$scratch/toy/build" "$scratch/toy" >"$scratch/log" 2>&1 || fail "toy: $(tail -n 5 "$scratch/log")"
DESTDIR=$scratch/other meson install -C "$scratch/toy/build" --no-rebuild >/dev/null
[ -f "$scratch/other/opt/toy/share/midpool/deep/meson.build" ] || fail "toy is not installed"
sh "$source/scripts/uninstall" "$scratch/toy/build" "$scratch/other" >/dev/null
[ ! -e "$scratch/other/opt/toy" ] && [ -d "$scratch/other/opt" ] || fail "uninstall leaves $(find "$scratch/other"), expected opt alone"
