/* fuzz_jsonl.c - noise as a data set of JSON lines. The first byte says what is wanted of it: values of edges or not, and the
 * data of a model or any.
 *
 * Whatever is accepted must be graphs that pass every check, and must come back from the lines it is written as.
 * SPDX-License-Identifier: MIT */
#include "../tests/data/pour.h"
#include "data/jsonl.h"
#include "data/stats.h"

#include <stdio.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static mp_err read_again(const mp_raw *raw, mp_arena *a, mp_raw *out)
{
    static char path[64];
    const mp_dataset_as as = { .edges = true };
    mp_tap tap;
    if (!path[0]) snprintf(path, sizeof path, "/tmp/midpool-fuzz-%d.jsonl", (int)getpid());
    MP_TRY(mp_jsonl_write(raw, NULL, path));
    MP_TRY(mp_tap_file(path, &tap));
    mp_err e = mp_jsonl_read(path, NULL, "S", tap, &as, a, out);
    remove(path);
    return e;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const mp_recipe recipe = {
        .attributes = 1, .label_columns = 1, .label_count = { 4 }, .edge_label_columns = 1, .edge_label_count = { 3 }
    };
    static const int64_t classes[] = { 0, 1 };
    static const char *const names[] = { "a", "b" };
    if (size == 0) return 0;
    mp_dataset_as as = { .edges = data[0] & 1 };
    if (data[0] & 2)
        as = (mp_dataset_as){ .recipe = &recipe,
                              .task = &mp_task_classify,
                              .classes = 2,
                              .class_value = classes,
                              .class_name = data[0] & 4 ? names : NULL };
    memory m = { { (const char *)data + 1, size - 1 }, (size_t)(data[0] >> 3) + 1 };
    mp_arena *a = mp_arena_new(1 << 16);
    mp_raw raw, again;
    mp_dataset d;
    mp_folds folds;
    mp_stats s;
    if (mp_jsonl_read("noise", NULL, "S", (mp_tap){ pour, leave, &m }, &as, a, &raw) == MP_OK) {
        mp_assert(mp_graph_check(&raw.graphs) == MP_OK);
        mp_assert(read_again(&raw, a, &again) == MP_OK);
        mp_assert(again.graphs.edges == raw.graphs.edges && !again.graph_label == !raw.graph_label);
        if (raw.fold_text && mp_folds_parse(raw.fold_text, raw.graphs.graphs, a, &folds) == MP_OK)
            mp_assert(folds.count > 0);
        if (mp_dataset_build(&raw, &as, a, &d) == MP_OK) mp_stats_of(&d, a, &s);
    }
    mp_arena_free(a);
    return 0;
}
