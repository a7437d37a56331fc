/* ogb_mapping.c - mapping/mol.csv of a set in OGB's raw layout: a header, then a record a graph with its labels, SMILES and id.
 *
 * Labels are those of graph-label.csv and not read again; their names are the header's, as far as it has one for each.
 * SPDX-License-Identifier: MIT */
#include "data/csv.h"
#include "data/ogb_mapping.h"

#include <string.h>

static const char *const *names_before(const mp_csv_head *h, int count, mp_arena *a)
{
    const char **name = MP_NEW_RAW(a, const char *, count);
    for (int k = 0; k < count; k++) name[k] = mp_arena_text(a, h->name[k], strlen(h->name[k]));
    return name;
}

/* The texts of one column; NULL when there is no such. */
static const char **column_of(int column, int graphs, mp_arena *a)
{
    return column < 0 ? NULL : MP_NEW(a, const char *, graphs);
}

static void keep(const char **list, int graph, const mp_csv_record *record, int column, mp_arena *a)
{
    if (list) list[graph] = mp_arena_text(a, record->field[column].p, record->field[column].n);
}

mp_err mp_ogb_mapping(mp_span text, const char *file, mp_arena *scratch, mp_arena *a, mp_raw *raw)
{
    mp_csv csv = { .file = file };
    mp_csv_record record;
    mp_csv_head head;
    int graphs = raw->graphs.graphs, n = 0;
    bool got;
    MP_TRY(mp_csv_next(&csv, &text, scratch, &record, &got));
    if (!got) return mp_fail(MP_ERR_INPUT, "%s: empty", file);
    MP_TRY(mp_csv_names(&csv, &record, scratch, &head));
    int smiles = mp_csv_column(&head, "smiles"), id = mp_csv_column(&head, "mol_id");
    const char **molecules = column_of(smiles, graphs, a), **ids = column_of(id, graphs, a);
    for (;;) {
        mp_arena_mark here = mp_arena_here(scratch);
        MP_TRY(mp_csv_next(&csv, &text, scratch, &record, &got));
        if (!got) break;
        if (n == graphs)
            return mp_fail(MP_ERR_INPUT, "%s:%lld: a record more than there are graphs, %d", file,
                           (long long)record.line, graphs);
        keep(molecules, n, &record, smiles, a);
        keep(ids, n, &record, id, a);
        n++;
        mp_arena_back(scratch, here);
    }
    if (n < graphs) return mp_fail(MP_ERR_INPUT, "%s: %d records for %d graphs", file, n, graphs);
    raw->smiles = molecules;
    raw->id = ids;
    if (raw->target && smiles == raw->target_columns) raw->target_name = names_before(&head, smiles, a);
    return MP_OK;
}
