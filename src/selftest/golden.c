/* golden.c - from a file to a verdict: which case it is, run by which function.
 * SPDX-License-Identifier: MIT */
#include "selftest/golden_run.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* The row with the longest name wins. A new pooling operator needs a row only where the name of a case stands
 * for an option that its metadata do not say. */
/* clang-format off */
static const mp_golden_kind kinds[] = {
    { .name = "gcn_conv",             .run = mp_golden_conv, .conv = "gcn" },
    { .name = "graph_conv",           .run = mp_golden_conv, .conv = "graphconv" },
    { .name = "gin_conv",             .run = mp_golden_conv, .conv = "gin" },
    { .name = "le_conv",              .run = mp_golden_conv, .conv = "leconv-pyg" },
    { .name = "spec_gcn_noloop",      .run = mp_golden_conv, .conv = "gcn-noloop" },
    { .name = "spec_graph_conv_mean", .run = mp_golden_conv, .conv = "graphconv-mean" },
    { .name = "spec_sage_conv",       .run = mp_golden_conv, .conv = "sage" },
    { .name = "spec_gat_conv",        .run = mp_golden_conv, .conv = "gat" },
    { .name = "spec_le_conv",         .run = mp_golden_conv, .conv = "leconv" },
    { .name = "spec_ogb_gcn",         .run = mp_golden_bonds, .conv = "ogb-gcn" },
    { .name = "spec_ogb_gin",         .run = mp_golden_bonds, .conv = "ogb-gin" },
    { .name = "topk_pool",            .run = mp_golden_pool, .op = "topk", .options = "variant=pyg", .gated = true },
    { .name = "sag_pool",             .run = mp_golden_pool, .op = "sag",  .options = "variant=pyg score-conv=gcn", .gated = true },
    { .name = "asap_pool",            .run = mp_golden_pool, .op = "asap", .options = "variant=pyg", .fixed = "select.weight" },
    { .name = "mid",                  .run = mp_golden_pool, .options = "mix=before" },
    { .name = "spec",                 .run = mp_golden_pool, .options = "" },
    { .name = "spec_ipool_local",     .run = mp_golden_pool, .op = "ipool", .options = "pick=local" },
    { .name = "net",                  .run = mp_golden_net,  .options = "mix=before" },
    { .name = "set2set",              .run = mp_golden_set2set },
    { .name = "sort_pool",            .run = mp_golden_sort },
    { .name = "edge_pool",            .run = mp_golden_edge },
    { .name = "spec_haar",            .run = mp_golden_haar },
    { .name = "diff_pool",            .run = mp_golden_cluster, .form = 0 },
    { .name = "mincut_pool",          .run = mp_golden_cluster, .form = 1 },
    { .name = "mem_pool",             .run = mp_golden_mem },
    { .name = "spec_layer_norm",      .run = mp_golden_norm, .form = 0 },
    { .name = "spec_batch_norm",      .run = mp_golden_norm, .form = 1 },
    { .name = "spec_gmt_mab",         .run = mp_golden_mab },
    { .name = "spec_gmt",             .run = mp_golden_gmt },
    { .name = "spec_bce_nan",         .run = mp_golden_bce },
    { .name = "spec_rocauc",          .run = mp_golden_auc },
};
/* clang-format on */

/* The words of `name` at the start of `whole`, which goes on with another word or not at all. */
static bool begins(const char *whole, const char *name)
{
    size_t n = strlen(name);
    return strncmp(whole, name, n) == 0 && (whole[n] == '\0' || whole[n] == '_');
}

static const mp_golden_kind *kind_of(const char *name)
{
    const mp_golden_kind *best = NULL;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (begins(name, kinds[i].name) && (!best || strlen(kinds[i].name) > strlen(best->name))) best = &kinds[i];
    return best;
}

static mp_err run_case(mp_case *k, mp_span bytes, const char *file)
{
    MP_TRY(mp_case_open(k, bytes, file));
    k->out->name = k->name;
    const mp_golden_kind *row = kind_of(k->name);
    if (!row) {
        k->skip = "unknown case";
        return MP_OK;
    }
    MP_TRY(row->run(k, row));
    if (k->skip || k->stop) return MP_OK;
    mp_case_leftovers(k);
    return k->out->checks ? MP_OK : mp_fail(MP_ERR_INPUT, "the file has nothing to compare with");
}

static const char *first_wrong(const mp_golden *out, mp_arena *a)
{
    const mp_golden_check *q = out->first;
    while (!q->wrong) q = q->next;
    return out->wrong == 1 ? q->wrong : mp_arena_printf(a, "%s, and %d more", q->wrong, out->wrong - 1);
}

void mp_golden_run(mp_span bytes, const char *file, double tolerance, mp_arena *a, mp_golden *out)
{
    const char *slash = strrchr(file, '/');
    *out = (mp_golden){ .name = slash ? slash + 1 : file };
    mp_golden_check *none = NULL;
    mp_case k = { .arena = a, .step = mp_arena_new(1 << 16), .tolerance = tolerance, .out = out, .tail = &none };
    mp_err e = run_case(&k, bytes, file);
    mp_arena_free(k.step);
    if (e != MP_OK) {
        out->verdict = MP_GOLDEN_FAILED;
        out->why = mp_arena_text(a, mp_message(), strlen(mp_message()));
    } else if (k.skip) {
        out->verdict = MP_GOLDEN_SKIPPED;
        out->why = k.skip;
    } else if (out->wrong) {
        out->verdict = MP_GOLDEN_FAILED;
        out->why = first_wrong(out, a);
    }
}

static int by_name(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static bool is_golden(const char *name)
{
    static const char end[] = ".safetensors";
    size_t n = strlen(name);
    return n > sizeof end - 1 && strcmp(name + n - (sizeof end - 1), end) == 0;
}

static mp_err read_names(DIR *d, const char *folder, mp_arena *a, const char *const **path, int *n)
{
    int cap = 64;
    const char **list = MP_NEW(a, const char *, cap);
    *n = 0;
    errno = 0;
    for (const struct dirent *e; (e = readdir(d)) != NULL;) {
        if (!is_golden(e->d_name)) continue;
        if (*n == cap) {
            cap = mp_room(cap, (int64_t)cap + 1, 0, "files");
            MP_MORE(a, list, *n, cap);
        }
        list[(*n)++] = mp_arena_printf(a, "%s/%s", folder, e->d_name);
    }
    if (errno) return mp_fail(MP_ERR_IO, "%s: %s", folder, strerror(errno));
    qsort(list, (size_t)*n, sizeof *list, by_name);
    *path = list;
    return MP_OK;
}

mp_err mp_golden_list(const char *folder, mp_arena *a, const char *const **path, int *n)
{
    DIR *d = opendir(folder);
    if (!d) return mp_fail(MP_ERR_IO, "%s: %s", folder, strerror(errno));
    mp_err e = read_names(d, folder, a, path, n);
    closedir(d);
    return e;
}
