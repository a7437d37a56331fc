#!/bin/sh
# page.sh - runs a test of pages where the programs it needs are there. Usage: page.sh "chromium OTHER..." SCRIPT ARGUMENTS...
# SPDX-License-Identifier: MIT
set -u
needs=$1
shift
for need in python3 $needs; do
    if ! command -v "$need" > /dev/null; then
        echo "skipped: no $need (Debian's package of that name)"
        exit 77
    fi
done
exec python3 "$@"
