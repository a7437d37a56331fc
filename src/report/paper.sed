# paper.sed - turns paper.csv into a C table: what follows a colon in a method's name becomes a field of its own, a number that
# is not there is NONE.
# SPDX-License-Identifier: MIT
1c /* Made from paper.csv by paper.sed. */\
static const mp_paper_row rows[] = {
s/^\([^,]*,[^,]*,[^,:]*\):\{0,1\}\([^,]*\),/\1,\2,/
s/^\([^,]*\),\([^,]*\),\([^,]*\),\([^,]*\),\([^,]*\),\([^,]*\),\([^,]*\),\([^,]*\),\([^,]*\)$/    { "\1", "\2", "\3", "\4", \5, "\6", \7, \8, "\9" },/
s/, ,/, NONE,/
s/, ,/, NONE,/
$a };
