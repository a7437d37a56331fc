#!/bin/sh
# test_targets.sh - machines that could not keep the promise of equal bits are refused when the build is set up, with the reason:
# big-endian ones, and those without fused multiply-adds. The compiler is this machine's; what Meson is told of it is not.
# Usage: test_targets.sh SOURCE_ROOT
# SPDX-License-Identifier: MIT
set -u
root=$1
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT INT TERM

refused() { # FAMILY ENDIAN REASON
    cat > "$folder/machine.ini" <<INI
[binaries]
c = 'gcc'
pkgconfig = 'pkg-config'
[host_machine]
system = 'linux'
cpu_family = '$1'
cpu = '$1'
endian = '$2'
INI
    if meson setup "$folder/build-$1" "$root" --cross-file "$folder/machine.ini" > "$folder/log" 2>&1; then
        echo "a machine of family $1, $2 endian, was not refused"
        exit 1
    fi
    grep -q "ERROR: .*$3" "$folder/log" || { echo "$1: another reason than '$3':"; tail -n 5 "$folder/log"; exit 1; }
}

refused s390x big 'little-endian'
refused riscv64 little 'fused multiply-adds'
