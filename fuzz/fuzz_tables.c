/* fuzz_tables.c - noise as the tables graphs.csv, nodes.csv and edges.csv, with a line of one ! between two. The first byte says
 * whether values of edges are wanted, and which tables there are.
 *
 * Whatever is accepted must be graphs that pass every check.
 * SPDX-License-Identifier: MIT */
#include "data/stats.h"
#include "data/tables.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0) return 0;
    mp_dataset_as as = { .edges = data[0] & 1 };
    mp_tables t = { .where = "noise" };
    mp_span rest = { (const char *)data + 1, size - 1 };
    mp_arena *a = mp_arena_new(1 << 16), *text = mp_arena_new(1 << 14);
    for (int p = 0; p < MP_FRAME_PARTS; p++) {
        const char *mark = p + 1 < MP_FRAME_PARTS && rest.n ? memmem(rest.p, rest.n, "\n!\n", 3) : NULL;
        size_t n = mark ? (size_t)(mark - rest.p) + 1 : rest.n;
        bool there = p == MP_FRAME_EDGES || !(data[0] & (2 << p));
        if (there) t.file[p] = mp_tables_file[p];
        t.text[p] = (mp_span){ rest.p, n };
        rest = mark ? (mp_span){ mark + 3, rest.n - n - 2 } : (mp_span){ rest.p, 0 };
    }
    mp_raw raw;
    mp_dataset d;
    mp_stats s;
    if (mp_tables_parse(&t, &as, text, a, &raw) == MP_OK) {
        raw.name = "S";
        mp_assert(mp_graph_check(&raw.graphs) == MP_OK);
        if (mp_dataset_build(&raw, &as, a, &d) == MP_OK) mp_stats_of(&d, a, &s);
    }
    mp_arena_free(text);
    mp_arena_free(a);
    return 0;
}
