#!/bin/sh
# manual.sh - every command has a manual page that the build makes and that mandoc finds nothing wrong with, and every option of
# every command is in it. Usage: manual.sh MIDPOOL FOLDER_OF_PAGES MIDPOOL.1
# SPDX-License-Identifier: MIT
# shellcheck source=../rig/prologue.sh
. "$(dirname "$0")/../rig/prologue.sh"
pages=$2 overview=$3

"$midpool" man --out made
for page in made/*.1; do
    cmp -s "$page" "$pages/${page#made/}" || complain "docs/man/meson.build: ${page#made/} is not installed as the program makes it"
done
[ "$(ls made)" = "$(cd "$pages" && ls -- *.1)" ] || complain "docs/man/meson.build lists other commands than the program"

for page in made/*.1; do
    name=${page#made/}
    grep -q "^.Xr ${name%.1} 1" "$overview" || complain "docs/midpool.1 does not point to $name"
done
commands=$("$midpool" help | sed -n 's/^  \([a-z]*\)  .*/\1/p')
[ "$(echo "$commands" | wc -l)" -gt 15 ] || complain "no commands: $commands"
for c in $commands; do
    "$midpool" man "$c" > page.1
    cmp -s page.1 "made/midpool-$c.1" || complain "midpool man $c is another page"
    "$midpool" "$c" --help-all | sed -nE 's/^  --(\[no-\])?([a-z0-9-]+)( .*|$)/\2/p' > options
    while read -r option; do
        grep -q -e "^.It Fl -$option\( \|\$\)" page.1 || complain "midpool-$c(1) has no --$option"
    done < options
done
[ "$(grep -c '^.It Fl' made/midpool-train.1)" -gt 100 ] || complain "midpool-train(1) lacks options"
grep -q '^.It Fl -edge-attributes Ar WORD$' made/midpool-data.1 || complain "midpool-data(1) lacks the options of convert"
grep -q '^midpool completion bash > ~/' made/midpool-completion.1 || complain "examples are not as they were typed"

if command -v mandoc > /dev/null; then
    mandoc -T lint -W warning made/*.1 || complain "mandoc has found something"
    mandoc -T utf8 made/midpool-predict.1 | grep -q '{"nodes":3, "edges":\[\[0,1\],\[1,2\]\]' || complain "a line of JSON was changed"
else
    echo "mandoc is not installed: pages are not checked for form"
fi

if "$midpool" man trian 2> said; then complain "there is no such page"; fi
grep -q "no command 'trian'" said || complain "$(cat said)"
if "$midpool" man 2> said; then complain "which page?"; fi
if "$midpool" man --out /proc/none 2> said; then complain "/proc was written to"; fi
grep -q "/proc/none" said || complain "$(cat said)"
exit "$bad"
