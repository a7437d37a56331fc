/* fuzz_stream.c - noise as a stream of graphs: JSON lines, or the files of a TUDataset in the order of mp_tu_part with form
 * feeds between. The first byte says which, and how few bytes a read gives.
 *
 * Whatever is read must be graphs that pass every check.
 * SPDX-License-Identifier: MIT */
#include "../tests/data/pour.h"
#include "data/stream.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void read_all(mp_stream *s)
{
    mp_piece p;
    bool got = true;
    mp_piece_init(&p);
    while (mp_stream_cut(s, &p, &got) == MP_OK && got) {
        mp_err e = mp_stream_read(s, &p);
        while (e == MP_OK && p.more) e = mp_stream_read(s, &p);
        if (p.count > 0) mp_assert(mp_graph_check(&p.data.graphs) == MP_OK && p.data.graphs.graphs == p.count);
        if (e != MP_OK) break;
    }
    mp_piece_free(&p);
    mp_stream_close(s);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const mp_recipe labels = { .attributes = 1,
                                      .label_columns = 1,
                                      .label_count = { 4 },
                                      .edge_attributes = 1,
                                      .edge_label_columns = 1,
                                      .edge_label_count = { 3 } },
                           degrees = { .degree = MP_DEGREE_ONE_HOT, .degree_max = 3 };
    static const int64_t classes[] = { 0, 1 };
    if (size == 0) return 0;
    mp_dataset_as as = {
        .recipe = data[0] & 1 ? &labels : &degrees, .task = &mp_task_classify, .classes = 2, .class_value = classes
    };
    memory part[MP_TU_PARTS] = { 0 };
    mp_tap tap[MP_TU_PARTS] = { 0 };
    mp_span rest = { (const char *)data + 1, size - 1 };
    mp_stream *s;
    part[0] = (memory){ rest, (size_t)(data[0] >> 2) + 1 };
    if (data[0] & 2) {
        read_all(mp_stream_jsonl("noise", NULL, (mp_tap){ pour, leave, &part[0] }, &as));
        return 0;
    }
    for (int i = 0; i < MP_TU_PARTS; i++) {
        const char *end = rest.n ? memchr(rest.p, '\f', rest.n) : NULL;
        size_t n = end ? (size_t)(end - rest.p) : rest.n, step = end ? n + 1 : n;
        part[i] = (memory){ { rest.p, n }, (size_t)(data[0] >> 2) + 1 };
        if (n) tap[i] = (mp_tap){ pour, leave, &part[i] };
        rest = (mp_span){ rest.p + step, rest.n - step };
    }
    if (mp_stream_tu("T", tap, &as, &s) == MP_OK) read_all(s);
    return 0;
}
