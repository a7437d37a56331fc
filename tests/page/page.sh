#!/bin/sh
# page.sh - runs page.py where chromium and python3 are there. Usage: page.sh MIDPOOL MADE FOLDER
# SPDX-License-Identifier: MIT
set -u
for need in chromium python3; do
    if ! command -v "$need" > /dev/null; then
        echo "skipped: no $need (Debian's package of that name)"
        exit 77
    fi
done
exec python3 "$3/page.py" "$(realpath "$1")" "$(realpath "$2")"
