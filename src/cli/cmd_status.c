/* cmd_status.c - midpool status STORE: what is done, who is at work on what, what failed and why, how long it will take.
 *
 * Who is at work is what programs write into the store every few seconds (work.h); stores from before that tell what is done.
 * The store is opened anew for every look, so that one that is replaced, or brought up to date, is seen.
 * SPDX-License-Identifier: MIT */
#include "base/json.h"
#include "cli/cli.h"
#include "cli/commands.h"
#include "cli/progress.h"
#include "report/table.h"
#include "store/tally.h"
#include "store/work.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define EVERY_SECONDS 2
#define WINDOW        3600.0 /* seconds that the rate is taken over, at most */
#define LEAST_RATE    3      /* runs that make one */

typedef struct conf {
    int watch, json;
} conf;

/* clang-format off */
static const mp_opt options[] = {
    { "watch", MP_OPT_FLAG, offsetof(conf, watch), "false", 0, 1, NULL, "look again every 2 seconds, until Ctrl-C; in a pipe a line each time" },
    { "json", MP_OPT_FLAG, offsetof(conf, json), "false", 0, 1, NULL, "one JSON object" },
    { 0 }
};
/* clang-format on */
static const mp_cli_group groups[] = { { "options", options, 0 }, { 0 } };

typedef struct status {
    const char *store;
    mp_store_tally tally;
    const mp_store_worker *worker;
    int workers, alive;  /* alive: of them */
    int running;         /* runs that they train */
    int64_t left;        /* runs of their plans that are not done, those included */
    double rate;         /* runs an hour; NAN: not known yet */
    double seconds_left; /* NAN: not known, or nobody is at work */
} status;

/* ---- looking ---- */

/* Programs with the same plan share its runs: what is left of it, the one knows that has seen most of them done. */
static int left_of(const status *s, int k)
{
    int left = s->worker[k].total - s->worker[k].finished;
    for (int i = 0; i < s->workers; i++) {
        const mp_store_worker *w = &s->worker[i];
        if (i == k || w->dead || strcmp(w->plan, s->worker[k].plan) != 0) continue;
        if (i < k) return 0; /* counted with the first of them */
        left = w->total - w->finished < left ? w->total - w->finished : left;
    }
    return left > 0 ? left : 0;
}

static double since_first(const status *s)
{
    double longest = 0;
    for (int i = 0; i < s->workers; i++)
        if (!s->worker[i].dead && s->worker[i].seconds > longest) longest = s->worker[i].seconds;
    return longest < WINDOW ? longest : WINDOW;
}

/* Runs that came since the work began say how fast it is; before there are any, the length of earlier ones. */
static void estimate(status *s)
{
    const mp_store_tally *t = &s->tally;
    s->rate = s->seconds_left = (double)NAN;
    if (s->alive == 0) return;
    if (t->lately >= LEAST_RATE && t->span > 0)
        s->rate = 3600 * t->lately / t->span;
    else if (s->running && t->seconds > 0)
        s->rate = 3600 * s->running / t->seconds;
    s->seconds_left = 3600 * (double)s->left / s->rate;
}

static mp_err look_at(mp_store *store, mp_arena *a, status *s)
{
    MP_TRY(mp_store_workers(store, a, &s->worker, &s->workers));
    for (int i = 0; i < s->workers; i++) {
        if (s->worker[i].dead) continue;
        s->alive++;
        s->running += s->worker[i].leases;
        s->left += left_of(s, i);
    }
    MP_TRY(mp_store_count(store, since_first(s), a, &s->tally));
    estimate(s);
    return MP_OK;
}

static mp_err look(const char *path, mp_arena *a, status *s)
{
    mp_store *store;
    *s = (status){ .store = path };
    MP_TRY(mp_store_open(path, MP_STORE_READ, &store));
    mp_err e = look_at(store, a, s);
    mp_store_close(store);
    return e;
}

/* ---- for people ---- */

/* Names and messages of a store may hold anything: a line end in them makes no line of ours. */
static const char *safe(const char *text, mp_arena *a)
{
    char *copy = mp_arena_text(a, text, strlen(text));
    mp_clean(copy, strlen(copy), false);
    return copy;
}

static void put_line(const status *s, mp_buf *b)
{
    char time[32];
    mp_buf_printf(b, "%s: %" PRId64 " run%s done, %" PRId64 " failed", s->store, s->tally.done,
                  mp_plural(s->tally.done), s->tally.failed);
    if (s->alive == 0) {
        mp_buf_puts(b, ", nobody is at work\n");
        return;
    }
    mp_buf_printf(b, ", %d running, %" PRId64 " to go", s->running, s->left);
    if (!isnan(s->rate)) mp_buf_printf(b, ", %.0f runs an hour", s->rate);
    if (!isnan(s->seconds_left)) mp_buf_printf(b, ", about %s left", mp_duration(s->seconds_left, time));
    mp_buf_puts(b, "\n");
}

static void put_running(const status *s, mp_arena *a, mp_buf *b)
{
    static const char *const header[] = { "running on", "process", "data set",   "method", "seed",
                                          "fold",       "epoch",   "train loss", "for",    NULL };
    mp_table t;
    char time[32];
    mp_table_init(&t, a, NULL, header);
    for (int i = 0; i < s->workers; i++) {
        const mp_store_worker *w = &s->worker[i];
        for (int k = 0; k < w->leases && !w->dead; k++) {
            const mp_store_lease *l = &w->lease[k];
            mp_table_add(&t, "%s", safe(w->process.host, a));
            mp_table_add(&t, "%" PRId64, w->process.pid);
            mp_table_add(&t, "%s", safe(l->dataset, a));
            mp_table_add(&t, "%s", safe(l->pool, a));
            mp_table_add(&t, "%d", l->seed);
            mp_table_add(&t, "%d", l->fold);
            if (l->epochs)
                mp_table_add(&t, "%d of at most %d", l->epoch, l->epochs);
            else
                mp_table_add(&t, "-");
            if (isnan(l->loss))
                mp_table_add(&t, "-");
            else
                mp_table_add(&t, "%.4g", l->loss);
            mp_table_add(&t, "%s", mp_duration(l->seconds, time));
        }
    }
    if (mp_table_rows(&t)) mp_buf_puts(b, "\n");
    mp_table_print(&t, b);
}

static void put_workers(const status *s, mp_arena *a, mp_buf *b)
{
    char time[32];
    if (s->workers) mp_buf_puts(b, "\n");
    for (int i = 0; i < s->workers; i++) {
        const mp_store_worker *w = &s->worker[i];
        mp_buf_printf(b, "%s %" PRId64 ": %d of %d runs done, ", safe(w->process.host, a), w->process.pid, w->finished,
                      w->total);
        if (w->dead)
            mp_buf_printf(b, "gone, last heard of %s ago; its %d unfinished run%s free\n", mp_duration(w->silent, time),
                          w->leases, w->leases == 1 ? " is" : "s are");
        else
            mp_buf_printf(b, "at work for %s: %s\n", mp_duration(w->seconds, time), safe(w->command, a));
    }
}

static void put_failures(const status *s, mp_arena *a, mp_buf *b)
{
    const mp_store_tally *t = &s->tally;
    int64_t listed = 0;
    if (t->reasons) mp_buf_puts(b, "\nfailed; the same command tries them again\n");
    for (int i = 0; i < t->reasons; i++) {
        const mp_store_failure *f = &t->failure[i];
        mp_buf_printf(b, "%6" PRId64 "  %s (%s, seed %d, fold %d)\n", f->runs, safe(f->message, a), safe(f->dataset, a),
                      f->seed, f->fold);
        listed += f->runs;
    }
    if (listed < t->failed) mp_buf_printf(b, "%6" PRId64 "  for other reasons\n", t->failed - listed);
}

static void put_all(const status *s, mp_arena *a, mp_buf *b)
{
    put_line(s, b);
    put_running(s, a, b);
    put_workers(s, a, b);
    put_failures(s, a, b);
}

/* ---- for programs ---- */

static void put_lease_json(const mp_store_lease *l, mp_buf *b)
{
    mp_json_open(b, '{');
    mp_json_add_text(b, "key", l->key);
    mp_json_add_text(b, "dataset", l->dataset);
    mp_json_add_text(b, "pool", l->pool);
    mp_json_add_int(b, "seed", l->seed);
    mp_json_add_int(b, "fold", l->fold);
    mp_json_add_int(b, "epoch", l->epoch);
    mp_json_add_int(b, "epochs", l->epochs);
    mp_json_add_real(b, "train_loss", l->loss);
    mp_json_add_real(b, "seconds", l->seconds);
    mp_json_close(b, '}');
}

static void put_worker_json(const mp_store_worker *w, mp_buf *b)
{
    mp_json_open(b, '{');
    mp_json_add_text(b, "host", w->process.host);
    mp_json_add_int(b, "process", w->process.pid);
    mp_json_add_bool(b, "alive", !w->dead);
    mp_json_add_text(b, "command", w->command);
    mp_json_add_text(b, "plan", w->plan);
    mp_json_add_int(b, "runs", w->total);
    mp_json_add_int(b, "done", w->finished);
    mp_json_add_real(b, "seconds", w->seconds);
    mp_json_add_real(b, "silent", w->silent);
    mp_json_key(b, "running");
    mp_json_open(b, '[');
    for (int i = 0; i < w->leases; i++) put_lease_json(&w->lease[i], b);
    mp_json_close(b, ']');
    mp_json_close(b, '}');
}

static void put_failure_json(const mp_store_failure *f, mp_buf *b)
{
    mp_json_open(b, '{');
    mp_json_add_int(b, "runs", f->runs);
    mp_json_add_text(b, "message", f->message);
    mp_json_add_text(b, "dataset", f->dataset);
    mp_json_add_int(b, "seed", f->seed);
    mp_json_add_int(b, "fold", f->fold);
    mp_json_close(b, '}');
}

static void put_json(const status *s, mp_buf *b)
{
    mp_json_open(b, '{');
    mp_json_add_text(b, "store", s->store);
    mp_json_add_int(b, "done", s->tally.done);
    mp_json_add_int(b, "failed", s->tally.failed);
    mp_json_add_int(b, "running", s->running);
    mp_json_add_int(b, "left", s->left);
    mp_json_add_real(b, "runs_per_hour", s->rate);
    mp_json_add_real(b, "seconds_left", s->seconds_left);
    mp_json_key(b, "workers");
    mp_json_open(b, '[');
    for (int i = 0; i < s->workers; i++) put_worker_json(&s->worker[i], b);
    mp_json_close(b, ']');
    mp_json_key(b, "failures");
    mp_json_open(b, '[');
    for (int i = 0; i < s->tally.reasons; i++) put_failure_json(&s->tally.failure[i], b);
    mp_json_close(b, ']');
    mp_json_close(b, '}');
    mp_buf_puts(b, "\n");
}

/* ---- the command ---- */

static mp_err show(const conf *c, const char *path, bool terminal)
{
    mp_arena *a = mp_arena_new(1 << 16);
    mp_buf b = { 0 };
    status s;
    mp_err e = look(path, a, &s);
    if (e == MP_OK && c->json)
        put_json(&s, &b);
    else if (e == MP_OK && c->watch && !terminal)
        put_line(&s, &b);
    else if (e == MP_OK)
        put_all(&s, a, &b);
    if (e == MP_OK) e = c->watch && terminal && !c->json ? mp_screen_show(b.p, b.n) : mp_cli_print(b.p, b.n);
    mp_buf_free(&b);
    mp_arena_free(a);
    return e;
}

static mp_err run(void *data, const mp_cli_args *args)
{
    const conf *c = data;
    bool terminal = isatty(STDOUT_FILENO);
    mp_err e = show(c, args->operand[0], terminal);
    while (c->watch && e == MP_OK) {
        nanosleep(&(struct timespec){ .tv_sec = EVERY_SECONDS }, NULL);
        e = show(c, args->operand[0], terminal);
    }
    return e;
}

const mp_cli mp_cmd_status = {
    .name = "status",
    .operands = "STORE",
    .summary =
        "What of a study is done, who trains what at the moment, what failed and why, and how long it will take.",
    .examples = "midpool status r.db --watch",
    .least = 1,
    .most = 1,
    .size = sizeof(conf),
    .groups = groups,
    .run = run,
};
