/* cmd_selftest.c - midpool selftest: golden files against what this machine computes, one line a case.
 * SPDX-License-Identifier: MIT */
#include "base/json.h"
#include "cli/cli.h"
#include "cli/commands.h"
#include "math/kernels.h"
#include "selftest/golden.h"

#include <string.h>

typedef struct selftest {
    int json, verbose;
    double tolerance;
    const char *golden;
} selftest;

#define AT(field) offsetof(selftest, field)
static const mp_opt own[] = {
    { "tolerance", MP_OPT_REAL, AT(tolerance), "1e-5", 0, 1, NULL,
      "largest difference, as a share of a tensor's largest entry" },
    { "verbose", MP_OPT_FLAG, AT(verbose), "false", 0, 1, NULL, "a line for every tensor that was compared" },
    { "json", MP_OPT_FLAG, AT(json), "false", 0, 1, NULL, "one JSON object in place of lines" },
    { 0 },
};
static const mp_cli_group groups[] = { { "options", own, 0 }, { 0 } };
static const mp_cli_text texts[] = {
    { "golden", AT(golden), NULL, "DIR", "folder of golden files (*.safetensors)" },
    { 0 },
};
static mp_err run(void *conf, const mp_cli_args *args);
const mp_cli mp_cmd_selftest = {
    .name = "selftest",
    .operands = "--golden DIR",
    .summary = "Outputs and gradients of layers, poolings and networks against golden files of a reference.",
    .examples = "midpool selftest --golden tests/golden",
    .more = "Kept nodes, edges and their order must be equal; \"=\" says so. Numbers are the largest "
            "difference over the\n"
            "tensors of a kind, divided by the largest entry of each. Cases this program does not know are "
            "skipped.\n"
            "MIDPOOL_ISA=base, v3 or v4 picks the instruction set. Exit code 1 when a case fails or there is "
            "none.",
    .size = sizeof(selftest),
    .groups = groups,
    .texts = texts,
    .run = run,
};

static const char *const verdicts[] = {
    [MP_GOLDEN_PASSED] = "ok", [MP_GOLDEN_FAILED] = "FAIL", [MP_GOLDEN_SKIPPED] = "skip"
};

/* The part of a tensor's name that cases have in common: "grad.w" of "grad.w.lin.weight". */
static size_t kind_length(const char *tensor)
{
    size_t n = strcspn(tensor, ".");
    return tensor[n] ? n + 1 + strcspn(tensor + n + 1, ".") : n;
}

static bool same_kind(const mp_golden_check *a, const mp_golden_check *b)
{
    size_t n = kind_length(a->tensor);
    return n == kind_length(b->tensor) && strncmp(a->tensor, b->tensor, n) == 0;
}

/* One entry for each kind of tensor, where its first tensor stands. */
static void print_errors(mp_buf *b, const mp_golden *g)
{
    for (const mp_golden_check *q = g->first, *r; q; q = q->next) {
        for (r = g->first; r != q && !same_kind(q, r);) r = r->next;
        if (r != q) continue;
        double most = 0;
        for (r = q; r; r = r->next)
            if (same_kind(q, r) && r->error > most) most = r->error;
        mp_buf_printf(b, "  %.*s ", (int)kind_length(q->tensor), q->tensor);
        if (q->exact)
            mp_buf_puts(b, "=");
        else
            mp_buf_printf(b, "%.1e", most);
    }
}

/* The case, behind the name of its file where that is another: a folder may hold a case several times. */
static const char *label(const char *path, const mp_golden *g, mp_arena *a)
{
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    size_t n = strlen(g->name);
    bool same = strncmp(name, g->name, n) == 0 && (name[n] == '\0' || strcmp(name + n, ".safetensors") == 0);
    return same ? g->name : mp_arena_printf(a, "%s (%s)", name, g->name);
}

static void print_line(mp_buf *b, const char *name, const mp_golden *g)
{
    if (g->verdict != MP_GOLDEN_PASSED) {
        mp_buf_printf(b, "%-4s %s: %s\n", verdicts[g->verdict], name, g->why);
        return;
    }
    mp_buf_printf(b, "%-4s %-22s", verdicts[g->verdict], name);
    print_errors(b, g);
    mp_buf_puts(b, "\n");
}

static void print_checks(mp_buf *b, const mp_golden *g)
{
    for (const mp_golden_check *q = g->first; q; q = q->next) {
        if (q->wrong)
            mp_buf_printf(b, "       %s\n", q->wrong);
        else if (q->exact)
            mp_buf_printf(b, "       %-34s =\n", q->tensor);
        else
            mp_buf_printf(b, "       %-34s %.1e\n", q->tensor, q->error);
    }
}

static void put_case(mp_buf *b, const char *file, const mp_golden *g)
{
    mp_json_open(b, '{');
    mp_json_add_text(b, "name", g->name);
    mp_json_add_text(b, "file", file);
    mp_json_add_text(b, "verdict", verdicts[g->verdict]);
    mp_json_add_text(b, "why", g->why);
    mp_json_key(b, "checks");
    mp_json_open(b, '[');
    for (const mp_golden_check *q = g->first; q; q = q->next) {
        mp_json_open(b, '{');
        mp_json_add_text(b, "tensor", q->tensor);
        mp_json_add_bool(b, "exact", q->exact);
        mp_json_add_real(b, "error", q->error);
        mp_json_add_text(b, "wrong", q->wrong);
        mp_json_close(b, '}');
    }
    mp_json_close(b, ']');
    mp_json_close(b, '}');
}

static void run_file(const char *path, double tolerance, mp_arena *a, mp_golden *g)
{
    mp_span bytes;
    const char *slash = strrchr(path, '/');
    if (mp_slurp(path, 0, a, &bytes) == MP_OK)
        mp_golden_run(bytes, path, tolerance, a, g);
    else
        *g = (mp_golden){
            slash ? slash + 1 : path, MP_GOLDEN_FAILED, mp_arena_text(a, mp_message(), strlen(mp_message())), NULL, 0, 0
        };
}

/* Lines are printed as they come; JSON at the end. */
static mp_err run_files(const selftest *s, const char *const *path, int n, int count[3], mp_buf *json)
{
    mp_arena *a = mp_arena_new(1 << 20);
    mp_err e = MP_OK;
    for (int i = 0; i < n && e == MP_OK; i++) {
        mp_golden g;
        mp_buf line = { 0 };
        mp_arena_reset(a);
        run_file(path[i], s->tolerance, a, &g);
        count[g.verdict]++;
        if (s->json) {
            put_case(json, path[i], &g);
            continue;
        }
        print_line(&line, label(path[i], &g, a), &g);
        if (s->verbose) print_checks(&line, &g);
        e = mp_cli_print(line.p, line.n);
        mp_buf_free(&line);
    }
    mp_arena_free(a);
    return e;
}

static void put_counts(mp_buf *b, const selftest *s, const int count[3])
{
    mp_json_add_text(b, "golden", s->golden);
    mp_json_add_text(b, "isa", mp_kernels_get()->isa);
    mp_json_add_real(b, "tolerance", s->tolerance);
    mp_json_add_int(b, "passed", count[MP_GOLDEN_PASSED]);
    mp_json_add_int(b, "failed", count[MP_GOLDEN_FAILED]);
    mp_json_add_int(b, "skipped", count[MP_GOLDEN_SKIPPED]);
}

static mp_err run_folder(const selftest *s, const char *const *path, int n, int count[3])
{
    mp_buf b = { 0 };
    if (s->json) {
        mp_json_open(&b, '{');
        mp_json_key(&b, "cases");
        mp_json_open(&b, '[');
    }
    mp_err e = run_files(s, path, n, count, &b);
    if (s->json) {
        mp_json_close(&b, ']');
        put_counts(&b, s, count);
        mp_json_close(&b, '}');
        mp_buf_puts(&b, "\n");
    } else {
        mp_buf_printf(&b, "%d passed, %d failed, %d skipped\n", count[MP_GOLDEN_PASSED], count[MP_GOLDEN_FAILED],
                      count[MP_GOLDEN_SKIPPED]);
    }
    if (e == MP_OK) e = mp_cli_print(b.p, b.n);
    mp_buf_free(&b);
    return e;
}

static mp_err run(void *conf, const mp_cli_args *args)
{
    const selftest *s = conf;
    const char *const *path;
    int n, count[3] = { 0 };
    if (!s->golden) return mp_fail(MP_ERR_USAGE, "expected: midpool selftest --golden DIR");
    MP_TRY(mp_golden_list(s->golden, args->arena, &path, &n));
    if (n == 0) return mp_fail(MP_ERR_INPUT, "%s: no golden files (*.safetensors) here", s->golden);
    MP_TRY(run_folder(s, path, n, count));
    if (count[MP_GOLDEN_FAILED]) return mp_fail(MP_ERR_INPUT, "%d of %d cases failed", count[MP_GOLDEN_FAILED], n);
    if (!count[MP_GOLDEN_PASSED]) return mp_fail(MP_ERR_INPUT, "%s: no case that this program knows", s->golden);
    return MP_OK;
}
