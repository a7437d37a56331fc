# quote.sed - turns a text into lines of C: a string each.
# SPDX-License-Identifier: MIT
s/\\/\\\\/g
s/"/\\"/g
s/.*/"&\\n"/
