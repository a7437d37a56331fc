/* fuzz_mols.c - noise as a table of molecules for a model. The first byte says which model, and how few bytes a read gives.
 *
 * Columns that are settled are columns of the table, labels that are accepted are some that the model knows. Where the module of
 * chemistry is there, the table is read as a stream too: the rows are those of the records, the graphs pass every check.
 * SPDX-License-Identifier: MIT */
#include "../tests/data/pour.h"
#include "chem/chem.h"
#include "data/mols.h"

#include <math.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_columns(const mp_mols *t)
{
    int n = t->head.columns;
    mp_assert(t->smiles >= 0 && t->smiles < n && t->id < n && (t->labels == 0 || t->labels == t->as->targets));
    for (int k = 0; k < t->labels; k++) mp_assert(t->label[k] >= -1 && t->label[k] < n);
}

static void check_labels(const mp_mols *t, const double *v)
{
    for (int k = 0; k < t->labels; k++) {
        bool known = t->as->classes ? v[k] == 0 || v[k] == 1 : !t->as->task->fits || t->as->task->fits(v[k]);
        mp_assert(isnan(v[k]) || (isfinite(v[k]) && known));
    }
}

/* How many records have labels, if all have; -1: one is refused. */
static int64_t read_records(mp_span text, const mp_dataset_as *as, mp_arena *a)
{
    mp_csv csv = { .file = "noise" };
    mp_span header;
    mp_mols t;
    mp_csv_record r;
    bool got = true;
    double label[2];
    int64_t rows = 0;
    if (mp_mols_head(&csv, &text, as, a, &header, &t) != MP_OK) return -1;
    check_columns(&t);
    while (mp_csv_next(&csv, &text, a, &r, &got) == MP_OK && got) {
        if (mp_mols_known(&t, &r, label) != MP_OK) return -1;
        check_labels(&t, label);
        rows++;
    }
    return got ? -1 : rows;
}

/* Every row of a table without faults; -1: it has some. */
static int64_t read_stream(mp_stream *s)
{
    mp_piece p;
    bool got = true;
    int64_t rows = 0;
    mp_err e;
    mp_piece_init(&p);
    while ((e = mp_stream_cut(s, &p, &got)) == MP_OK && got) {
        do {
            e = mp_stream_read(s, &p);
            if (e == MP_OK) mp_assert(p.first == rows);
            if (p.count > 0) mp_assert(mp_graph_check(&p.data.graphs) == MP_OK && p.data.graphs.graphs == p.count);
            rows += p.rows;
        } while (e == MP_OK && p.more);
        if (e != MP_OK) break;
    }
    mp_piece_free(&p);
    mp_stream_close(s);
    return e == MP_OK ? rows : -1;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const int64_t value[] = { 0, 1 };
    static const char *const word[] = { "inert", "toxic" }, *const name[] = { "y", "z" };
    if (size == 0) return 0;
    mp_recipe recipe = { .label_columns = MP_ATOM_COLUMNS };
    memcpy(recipe.label_count, mp_atom_range, sizeof mp_atom_range);
    const mp_dataset_as model[] = {
        { .task = &mp_task_classify, .targets = 1, .classes = 2, .class_value = value, .class_name = word },
        { .task = &mp_task_classify, .targets = 1, .classes = 2, .class_value = value },
        { .task = &mp_task_binary, .targets = 1, .class_name = word },
        { .task = &mp_task_binary, .targets = 2 },
        { .task = &mp_task_regress, .targets = 2 },
    };
    mp_dataset_as as = model[(data[0] & 7) % 5];
    as.recipe = &recipe;
    as.target_name = name;
    mp_arena *a = mp_arena_new(1 << 14);
    memory m = { { (const char *)data + 1, size - 1 }, (size_t)(data[0] >> 3) + 1 };
    mp_stream *s;
    int64_t rows = read_records(mp_without_mark(m.rest), &as, a);
    if (mp_stream_csv("noise", (mp_tap){ pour, leave, &m }, &as, a, &s) == MP_OK) {
        int64_t streamed = read_stream(s);
        mp_assert(rows < 0 || streamed == rows);
    }
    mp_arena_free(a);
    return 0;
}
