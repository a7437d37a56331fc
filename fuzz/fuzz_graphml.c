/* fuzz_graphml.c - noise as GraphML. The first byte says what is wanted of it: values of edges or not, and the data of a model or
 * any.
 *
 * Whatever is accepted must be graphs that pass every check, and, where the format has a place for it, come back from the file it is
 * written as.
 * SPDX-License-Identifier: MIT */
#include "data/graphml.h"
#include "data/stats.h"

#include <stdio.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static mp_err parse(mp_span text, const mp_dataset_as *as, mp_arena *a, mp_raw *out)
{
    mp_arena *scratch = mp_arena_new(1 << 14);
    mp_frame *f = mp_frame_new(as, scratch);
    mp_graphml_set set;
    mp_err e = mp_graphml_parse(text, "noise", NULL, f, scratch, a, &set);
    if (e == MP_OK) e = mp_frame_finish(f, "noise", a, out);
    mp_arena_free(scratch);
    if (e == MP_OK) out->name = set.name ? set.name : "S";
    return e;
}

static void write_again(const mp_raw *raw, mp_arena *a)
{
    static char path[64];
    const mp_dataset_as as = { .edges = true };
    mp_span text;
    mp_raw again;
    if (!path[0]) snprintf(path, sizeof path, "/tmp/midpool-fuzz-%d.graphml", (int)getpid());
    if (mp_graphml_write(raw, NULL, path) != MP_OK) return;
    mp_assert(mp_slurp(path, 0, a, &text) == MP_OK);
    remove(path);
    mp_assert(parse(text, &as, a, &again) == MP_OK);
    mp_assert(again.graphs.edges == raw->graphs.edges && again.graphs.nodes == raw->graphs.nodes);
    mp_assert(!again.graph_label == !raw->graph_label && again.label_columns == raw->label_columns);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const mp_recipe recipe = { .attributes = 1, .label_columns = 1, .label_count = { 2 } };
    static const int64_t classes[] = { 0, 1 };
    static const char *const names[] = { "a", "b" }, *const attribute[] = { "w" }, *const label[] = { "kind" };
    static const char *const *const word[] = { names };
    static const int words[] = { 2 };
    static const mp_names columns = { 1, 1, attribute, label, words, word };
    if (size == 0) return 0;
    mp_dataset_as as = { .edges = data[0] & 1 };
    if (data[0] & 2)
        as = (mp_dataset_as){ .recipe = &recipe,
                              .task = &mp_task_classify,
                              .classes = 2,
                              .class_value = classes,
                              .class_name = data[0] & 4 ? names : NULL,
                              .names = data[0] & 8 ? &columns : NULL };
    mp_arena *a = mp_arena_new(1 << 16);
    mp_raw raw;
    mp_dataset d;
    mp_stats s;
    if (parse((mp_span){ (const char *)data + 1, size - 1 }, &as, a, &raw) == MP_OK) {
        mp_assert(mp_graph_check(&raw.graphs) == MP_OK);
        write_again(&raw, a);
        if (mp_dataset_build(&raw, &as, a, &d) == MP_OK) mp_stats_of(&d, a, &s);
    }
    mp_arena_free(a);
    return 0;
}
