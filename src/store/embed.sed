# embed.sed - turns schema.sql into a C header: a string for each version.
# SPDX-License-Identifier: MIT
1i /* Made from schema.sql by embed.sed. */\
static const char *const schema_step[] = {
/^-- Version [2-9]/i     ,
s/.*/    "&\\n"/
$a };
