#!/bin/sh
# install.sh - make install puts files below DESTDIR and PREFIX and nowhere else; make uninstall takes them away again. The
# Makefile is tried on a small project of its own, so that the build under test keeps its prefix.
# Usage: install.sh SOURCE_ROOT
# SPDX-License-Identifier: MIT
set -eu
root=$1
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT INT TERM
unset DESTDIR PREFIX BUILD MAKEFLAGS MAKELEVEL

fail() {
    echo "$1" >&2
    exit 1
}
files() { # below a folder
    (cd "$1" 2>/dev/null && find . ! -type d | sort | tr '\n' ' ') || true
}

project=$scratch/project
mkdir -p "$project/scripts"
cp "$root/Makefile" "$project/"
cp "$root/scripts/uninstall" "$project/scripts/"
echo 'exit 0' >"$project/scripts/setup"
echo 'int main(void) { return 0; }' >"$project/one.c"
cat >"$project/meson.build" <<'END'
project('one', 'c')
executable('one', 'one.c', install : true)
shared_library('two', 'one.c', version : '1.2.3', soversion : '1', install : true, install_dir : 'lib')
install_headers('one.c', subdir : 'midpool')
custom_target('site', output : 'html', command : ['sh', '-c', 'mkdir -p $1 && echo > $1/index.html', '-', '@OUTPUT@'],
  install : true, install_dir : 'share/doc/midpool')
END
cd "$project"
there="./bin/one ./include/midpool/one.c ./lib/libtwo.so ./lib/libtwo.so.1 ./lib/libtwo.so.1.2.3 ./share/doc/midpool/html/index.html "

make install PREFIX="$scratch/first" >"$scratch/log" 2>&1 || fail "make install: $(cat "$scratch/log")"
[ "$(files "$scratch/first")" = "$there" ] || fail "PREFIX has: $(files "$scratch/first")"

make install PREFIX=/second DESTDIR="$scratch/stage" >"$scratch/log" 2>&1 || fail "with DESTDIR: $(cat "$scratch/log")"
[ "$(files "$scratch/stage/second")" = "$there" ] || fail "DESTDIR has: $(files "$scratch/stage")"
[ ! -e /second ] || fail "/second was made"

echo keep >"$scratch/first/bin/other"
make uninstall PREFIX="$scratch/first" >"$scratch/log" 2>&1 || fail "make uninstall: $(cat "$scratch/log")"
[ "$(files "$scratch/first")" = "./bin/other " ] || fail "left in PREFIX: $(files "$scratch/first")"
[ ! -e "$scratch/first/include/midpool" ] || fail "an empty folder is left"
make uninstall PREFIX=/second DESTDIR="$scratch/stage" >"$scratch/log" 2>&1 || fail "make uninstall: $(cat "$scratch/log")"
[ "$(files "$scratch/stage")" = "" ] || fail "left in DESTDIR: $(files "$scratch/stage")"
