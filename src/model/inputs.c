/* inputs.c - what a recipe of features makes of the inputs of a network (model.h).
 * SPDX-License-Identifier: MIT */
#include "model/model.h"

/* Columns of attributes or degrees are numbers: one table. Each column of labels is a table. */
static mp_tables tables_of(int numbers, int columns, const int *count)
{
    mp_tables t = { 0 };
    if (numbers) t.rows[t.count++] = numbers;
    for (int k = 0; k < columns; k++) t.rows[t.count++] = count[k];
    return t;
}

mp_inputs mp_inputs_of(const mp_recipe *r, int outputs)
{
    mp_inputs in = { .features = mp_recipe_columns(r), .edge_features = mp_recipe_edge_columns(r), .outputs = outputs };
    _Static_assert(MP_TABLES_MOST >= MP_MAX_LABEL_COLUMNS + 1, "a table for each column of labels, and one of numbers");
    in.tables = tables_of(r->attributes, r->label_columns, r->label_count);
    if (r->degree != MP_DEGREE_NONE) in.tables.count = 0;
    in.edge_tables = tables_of(r->edge_attributes, r->edge_label_columns, r->edge_label_count);
    return in;
}
