/* mols.h - molecules out of a table (csv.h): a column of SMILES, columns of labels, and a split by rule.
 *
 * Rows that are no molecule are left out and said (mp_left), or end the reading where the caller is strict. All graphs have the
 * features and ranges of the Open Graph Benchmark (chem.h).
 * SPDX-License-Identifier: MIT */
#ifndef MP_MOLS_H
#define MP_MOLS_H

#include "data/csv.h"
#include "data/raw.h"
#include "data/stream.h"

/* What columns of SMILES are usually called, in any case of letters. */
#define MP_SMILES_NAMES "smiles, canonical_smiles, isomeric_smiles, structure"

typedef struct mp_mols { /* a table and which of its columns are what */
    const char *file;    /* opens messages */
    const mp_dataset_as *as;
    mp_columns want;
    mp_csv_head head;
    int smiles, id; /* columns; no id: -1 */
    int labels;
    const int *label; /* labels: their columns, -1 where the table has none that a model knows */
    const char *const *label_name;
    int note; /* column that is kept for a split, or because it was asked for; -1: none */
} mp_mols;

/* Takes the header off the text, which must stay, and settles the columns by its names and what `as` says of them, which may be
 * NULL. *raw: its bytes. Fails with what was expected, and the names there are. */
MP_MUST mp_err mp_mols_head(mp_csv *csv, mp_span *text, const mp_dataset_as *as, mp_arena *a, mp_span *raw,
                            mp_mols *out);

/* The labels of a record as the model t->as tells them: its classes from 0, or numbers; NaN where one is missing. Fails with
 * FILE:LINE and column when it is none the model may know. */
MP_MUST mp_err mp_mols_known(const mp_mols *t, const mp_csv_record *r, double *out);

/* Puts FILE:LINE and the SMILES before the message of a record that is no molecule. */
mp_err mp_mols_blame(const mp_mols *t, const mp_csv_record *r, mp_err e);

/* What the rows of the table say. */
typedef struct mp_mols_rows {
    mp_raw raw;                  /* all but its name and its split */
    const char *const *scaffold; /* B, where the split is by scaffold */
} mp_mols_rows;

/* All of it. `set` is what the set is called. Takes the tap. */
MP_MUST mp_err mp_mols_read_all(const char *file, const char *set, mp_tap tap, const mp_dataset_as *as, mp_arena *a,
                                mp_raw *out);

/* As a stream for the model `as`: a record a row (stream.h), whether it became a graph or not. `name` and `as` must stay; what is
 * known of columns is in the arena. The tap is the stream's from now on, also when it fails. */
MP_MUST mp_err mp_stream_csv(const char *name, mp_tap tap, const mp_dataset_as *as, mp_arena *a, mp_stream **out);

#endif
