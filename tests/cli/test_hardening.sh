#!/bin/sh
# test_hardening.sh PROGRAM FORTIFIED - the program was linked and compiled with the checks that meson.build asks for:
# position-independent, tables read-only after the start (full RELRO), stack frames with a canary, checked library calls
# (where FORTIFIED is yes), and a stack that cannot be executed.
# SPDX-License-Identifier: MIT
command -v readelf > /dev/null || exit 77
program=$1
bad=0

need() { # WHAT PATTERN READELF-OPTION
    readelf -W "$3" "$program" | grep -q "$2" && return
    echo "$program: no $1" >&2
    bad=1
}

need "position-independent code" 'DYN (Position-Independent\|DYN (Shared object' --file-header
need "read-only tables (RELRO)" GNU_RELRO --program-headers
need "binding at the start (-z now)" 'BIND_NOW\|Flags:.*NOW' --dynamic
need "stack that is data alone" 'GNU_STACK.* RW  *0x' --program-headers
need "stack protector" __stack_chk_fail --dyn-syms
[ "$2" = yes ] && need "checked library calls" '__[a-z]*_chk' --dyn-syms
exit $bad
