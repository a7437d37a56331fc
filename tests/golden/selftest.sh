#!/bin/sh
# selftest.sh ISA FOLDER - golden files with the kernels of one instruction set; 77 (skipped) where the machine lacks it.
# SPDX-License-Identifier: MIT
out=$(MIDPOOL_ISA=$1 "$MIDPOOL_BIN" selftest --golden "$2" 2>&1)
code=$?
printf '%s\n' "$out"
case $out in
*"no such instruction set"*) [ "$1" != base ] && exit 77 ;;
esac
exit $code
