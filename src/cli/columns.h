/* columns.h - options that say which columns of a table are what, for all commands that read data sets.
 * SPDX-License-Identifier: MIT */
#ifndef MP_CLI_COLUMNS_H
#define MP_CLI_COLUMNS_H

#include "cli/cli.h"
#include "data/dataset.h"
#include "data/mols.h"
#include "data/rules.h"

typedef struct mp_column_options {
    const char *smiles, *label, *split, *ignore;
    int strict;
} mp_column_options;

#define MP_SMILES_HELP "tables: column with SMILES; else the one called " MP_SMILES_NAMES

/* The rows of a command whose struct has the field `columns`. For commands that only answer, there is nothing to split. */
/* clang-format off */
#define MP_COLUMN_TEXTS(type) \
    { "smiles", offsetof(type, columns.smiles), NULL, "NAME", MP_SMILES_HELP }, \
    { "label", offsetof(type, columns.label), NULL, "NAMES", "tables, GraphML: columns to be learned, a,b" }, \
    { "ignore", offsetof(type, columns.ignore), NULL, "NAMES", "tables, GraphML: columns of nodes and edges that are no features, a,b" }
#define MP_COLUMN_SPLIT(type) \
    { "split", offsetof(type, columns.split), NULL, "HOW", "tables of molecules: " MP_RULES "; else scaffold" }
#define MP_COLUMN_STRICT(type) \
    { "strict", MP_OPT_FLAG, offsetof(type, columns.strict), "false", 0, 1, NULL, "tables: a row that is no molecule ends the command" }
/* clang-format on */

/* As the reader takes them. `labelled`: labels are needed. */
mp_columns mp_columns_of(const mp_column_options *o, bool labelled);

/* Lines on stderr about rows that were left out: the first ten, and how many there were. */
void mp_columns_left(const mp_left *left);

#endif
