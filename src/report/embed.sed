# embed.sed - turns page.css and page.js into lines of C: a string each. Comments that have a line of their own stay out.
# SPDX-License-Identifier: MIT
/^ *\/\*.*\*\/$/d
s/^ *//
/^$/d
s/\\/\\\\/g
s/"/\\"/g
s/.*/"&\\n",/
