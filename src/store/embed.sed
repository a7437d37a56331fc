# embed.sed - turns schema.sql into a C header with one string.
# SPDX-License-Identifier: MIT
1i /* Made from schema.sql by embed.sed. */\
static const char schema_sql[] =
s/.*/    "&\\n"/
$a     ;
