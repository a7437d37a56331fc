#!/bin/sh
# references.sh ROOT - scripts/references accepts what is there, names what is not, and the tree itself passes.
# SPDX-License-Identifier: MIT
set -u
root=$1
tree=$(mktemp -d) || exit 1
trap 'rm -rf "$tree"' EXIT
bad=0

check() { # WANTED LINE: the answer for a tree whose one source file has this line
    printf '/* %s */\n' "$2" > "$tree/a.c"
    got=$(sh "$root/scripts/references" "$tree")
    [ "$got" = "$1" ] || { echo "for '$2' got '$got', not '$1'" >&2; bad=1; }
}

mkdir "$tree/docs"
printf '# A text\n\n## 1 One\n\n### 1.1 More\n\n## 2 Two\n' > "$tree/docs/math.md"
printf '# No numbers\n' > "$tree/plain.md"
check "" "math.md 1.1, and docs/math.md 2"
check "" "math.md 1, 1.1 and 2; math.md 1 to 2"
check "" "plain.md 7"
check "./a.c:1: math.md has no section 1.2" "(math.md 1.2)"
check "./a.c:1: math.md has no section 3" "math.md 1.1 to 3"
check "./a.c:1: there is no other.md" "see docs/other.md 1"
check "./a.c:1: cites a document that is not in the tree" "METHODS 1.1"
check "./a.c:1: cites a document that is not in the tree" "by EXPERIMENTS 3.4"
rm -rf "$tree/a.c"
printf '%s\n' '- Figures are in docs/gone.md.' > "$tree/CHANGELOG.md"
check "" "math.md 1.1"
rm -rf "$tree/a.c" "$tree/CHANGELOG.md"
sh "$root/scripts/references" "$root" || bad=1
exit $bad
