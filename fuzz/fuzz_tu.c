/* fuzz_tu.c - noise as a data set: the parts of a TUDataset in the order of mp_tu_part, with form feeds
 * between.
 *
 * An empty part is a missing file. Whatever is accepted must be a graph that passes every check.
 * SPDX-License-Identifier: MIT */
#include "data/audit.h"
#include "data/stats.h"
#include "data/tu.h"

#include <stdint.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const names[] = { "T", "COLORS-3", "TRIANGLES", "ZINC_12k" };
    if (size == 0) return 0;
    mp_tu_files f = { .name = names[data[0] % 4], .edges = !(data[0] & 4) };
    mp_span rest = { (const char *)data + 1, size - 1 };
    for (int part = 0; part < MP_TU_PARTS; part++) {
        const char *end = rest.n ? memchr(rest.p, '\f', rest.n) : NULL;
        size_t n = end ? (size_t)(end - rest.p) : rest.n, step = end ? n + 1 : n;
        if (n) f.part[part] = (mp_span){ rest.p, n };
        rest = (mp_span){ rest.p + step, rest.n - step };
    }
    mp_arena *a = mp_arena_new(1 << 16);
    mp_raw raw;
    mp_dataset d;
    if (mp_tu_parse(&f, a, &raw) == MP_OK && mp_dataset_build(&raw, NULL, a, &d) == MP_OK) {
        mp_assert(mp_graph_check(&d.graphs) == MP_OK);
        mp_assert(d.x.cols == mp_recipe_columns(&d.recipe));
        for (int i = 0; i < d.x.ptr[d.graphs.nodes]; i++) mp_assert(d.x.col[i] >= 0 && d.x.col[i] < d.x.cols);
        if (d.graphs.edge_x) mp_assert(d.graphs.edge_x->rows == d.graphs.edges);
        mp_stats s;
        mp_audit r;
        mp_stats_of(&d, a, &s);
        mp_audit_run(&d, NULL, a, &r);
    }
    mp_arena_free(a);
    return 0;
}
