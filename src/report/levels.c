/* levels.c - see levels.h.
 * SPDX-License-Identifier: MIT */
#include "report/levels.h"
#include "report/svg_axis.h"

#include <math.h>

/* The picture of one level; `column` 0 shows its score, i its i-th column. */
static const char *draw(const mp_svg_graph_spec *graph, int level, int column, mp_arena *a)
{
    mp_svg_level one = graph->level[level];
    mp_svg_graph_spec alone = *graph;
    const char *name = one.title ? one.title : mp_arena_printf(a, "level %d", level + 1);
    mp_buf svg = { 0 };
    if (column) {
        one = mp_svg_column(&one, column - 1, a);
        name = mp_arena_printf(a, "%s, %s", name, one.title);
    }
    one.title = name;
    alone.title = NULL; /* the figure has it */
    alone.levels = 1;
    alone.level = &one;
    mp_svg_graph(&alone, &svg);
    const char *text = mp_arena_text(a, svg.p, svg.n);
    mp_buf_free(&svg);
    return text;
}

static const char *csv_of(const mp_svg_graph_spec *graph, int columns, mp_arena *a)
{
    mp_buf b = { 0 };
    mp_buf_puts(&b, "level,node,score,kept");
    for (int c = 1; c <= columns; c++) mp_buf_printf(&b, ",column %d", c);
    mp_buf_puts(&b, "\n");
    for (int i = 0; i < graph->levels; i++) {
        const mp_svg_level *l = &graph->level[i];
        for (int v = 0; v < l->nodes; v++) {
            mp_buf_printf(&b, "%d,%d", i + 1, l->node[v]);
            mp_csv_number(&b, ",", l->score ? l->score[v] : (double)NAN);
            mp_buf_puts(&b, l->kept ? l->kept[v] ? ",1" : ",0" : ",");
            for (int c = 0; c < columns; c++)
                mp_csv_number(&b, ",", l->column[(size_t)v * (size_t)columns + (size_t)c]);
            mp_buf_puts(&b, "\n");
        }
    }
    const char *text = mp_arena_text(a, b.p, b.n);
    mp_buf_free(&b);
    return text;
}

mp_picture mp_levels_picture(const mp_svg_graph_spec *graph, const char *title, const char *note, mp_arena *a)
{
    int own = graph->levels && graph->level[0].column ? graph->level[0].columns : 0;
    for (int i = 0; i < graph->levels; i++)
        mp_assert(!own || (graph->level[i].column && graph->level[i].columns == own));
    int columns = own > 1 ? own + 1 : 1; /* one column alone is what the ranking looked at */
    const char **frame = MP_NEW(a, const char *, (size_t)graph->levels *(size_t)columns + 1);
    const char **name = MP_NEW(a, const char *, columns);
    for (int c = 0; c < columns; c++)
        name[c] = c ? mp_arena_printf(a, "score column %d", c) : "what nodes are ranked by";
    for (int i = 0; i < graph->levels; i++)
        for (int c = 0; c < columns; c++) frame[i * columns + c] = draw(graph, i, c, a);
    return (mp_picture){ .title = title,
                         .note = note,
                         .csv = csv_of(graph, own, a),
                         .levels = graph->levels,
                         .columns = columns,
                         .frame = frame,
                         .column_name = name };
}
