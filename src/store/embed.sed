# embed.sed - turns SQL into a C header: a string for each version, without the comments between statements.
# SPDX-License-Identifier: MIT
1i /* Made from SQL by embed.sed. */\
static const char *const schema_step[] = {
/^-- Version [2-9]/i     ,
/^--/d
s/"/\\"/g
s/.*/    "&\\n"/
$a };
