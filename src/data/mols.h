/* mols.h - molecules out of a table (csv.h): a column of SMILES, columns of labels, and a split by rule.
 *
 * Rows that are no molecule are left out and said (mp_left), or end the reading where the caller is strict. All graphs have the
 * features and ranges of the Open Graph Benchmark (chem.h).
 * SPDX-License-Identifier: MIT */
#ifndef MP_MOLS_H
#define MP_MOLS_H

#include "data/csv.h"
#include "data/raw.h"

typedef struct mp_mols { /* a table and which of its columns are what */
    const char *file;    /* opens messages */
    const mp_dataset_as *as;
    mp_columns want;
    mp_csv_head head;
    int smiles, id; /* columns; no id: -1 */
    int labels;
    const int *label; /* labels: their columns, -1 where the table has none that a model knows */
    const char *const *label_name;
    int time; /* column of the split by time; -1: none */
} mp_mols;

/* Settles the columns by the names in the header and what `as` says of them, which may be NULL. Everything else must stay. */
MP_MUST mp_err mp_mols_settle(const char *file, const mp_csv_head *head, const mp_dataset_as *as, mp_arena *a,
                              mp_mols *out);

/* What the rows of the table say. */
typedef struct mp_mols_rows {
    mp_raw raw;                  /* all but its name and its split */
    const char *const *scaffold; /* B, where the split is by scaffold */
    const mp_span *time;         /* B, where it is by time */
} mp_mols_rows;

/* All of it. `set` is what the set is called. Takes the tap. */
MP_MUST mp_err mp_mols_read_all(const char *file, const char *set, mp_tap tap, const mp_dataset_as *as, mp_arena *a,
                                mp_raw *out);

/* ---- splits: eight tenths train, one validates, one tests ---- */

/* Fails when it is none of: scaffold, random, stratified, these two with ":SEED", time:COLUMN. */
MP_MUST mp_err mp_mols_split_check(const char *split);

/* Makes raw's split by the rule of t->want.split (NULL: scaffold). */
MP_MUST mp_err mp_mols_split(const mp_mols *t, const mp_mols_rows *rows, mp_arena *a, mp_raw *raw);

#endif
