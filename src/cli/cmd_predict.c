/* cmd_predict.c - midpool predict: answers of models for a stream of graphs, in memory that does not grow with it.
 *
 * Pieces of the input go round a relay of threads (relay.h): cut off the input one after the other; read, answered and
 * written down by all threads at once; printed in order. What is printed does not depend on threads or pieces.
 * Over 500 lines because a piece is followed from the input to the output.
 * SPDX-License-Identifier: MIT */
#include "base/guard.h"
#include "base/halt.h"
#include "base/relay.h"
#include "cli/cli.h"
#include "cli/columns.h"
#include "cli/commands.h"
#include "cli/device.h"
#include "cli/predict.h"
#include "cli/setup.h"
#include "cli/stdin_tap.h"
#include "data/format.h"
#include "data/load.h"
#include "data/seal.h"
#include "study/part.h"
#include "train/engine.h"
#include "train/judge.h"
#include "train/once.h"

#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define SHEETS 3 /* pieces of the input a thread: enough that it need not wait for the one before */

typedef struct predict {
    const char *data, *smiles, *out, *part;
    int threads, device, json, csv, calibration, strict;
} predict;

/* clang-format off */
static const mp_opt own[] = {
    { "threads", MP_OPT_INT, offsetof(predict, threads), "0", 0, 256, NULL, "threads; 0 = all processors" },
    MP_DEVICE_ROW(predict),
    { "json", MP_OPT_FLAG, offsetof(predict, json), "false", 0, 1, NULL, "one JSON object" },
    { "csv", MP_OPT_FLAG, offsetof(predict, csv), "false", 0, 1, NULL, "comma-separated lines with a header" },
    { "calibration", MP_OPT_FLAG, offsetof(predict, calibration), "false", 0, 1, NULL, "whether probabilities hold, where INPUT has labels: ten bins, calibration error, Brier score" },
    { "strict", MP_OPT_FLAG, offsetof(predict, strict), "false", 0, 1, NULL, "tables: a row that is no molecule ends the command" },
    { 0 }
};
static const mp_cli_text texts[] = {
    { "out", offsetof(predict, out), NULL, "FILE", "answers go there, all or nothing; not given: to standard output" },
    { "smiles", offsetof(predict, smiles), NULL, "NAME", MP_SMILES_HELP },
    { "part", offsetof(predict, part), NULL, "I/N", "answer part I of N alone, I from 1: graphs that follow each other; the outputs of all parts one behind the other are the output of the whole" },
    { "data", offsetof(predict, data), NULL, "DIR", "folder with data sets" },
    { 0 }
};
/* clang-format on */
static const mp_cli_group groups[] = { { "options", own, 0 }, { 0 } };
static mp_err run(void *conf, const mp_cli_args *args);
const mp_cli mp_cmd_predict = {
    .name = "predict",
    .operands = "MODEL... INPUT",
    .summary = "Labels and probabilities of model files for the graphs of INPUT.",
    .examples = "midpool predict mutag.safetensors MUTAG --csv\n"
                "midpool predict models/ new.jsonl --json --out answers.json",
    .more =
        "INPUT is a data set: its name, a TUDataset or OGB folder or an archive of one, or JSON lines: a file\n"
        "whose name ends in .jsonl or .jsonl.gz, or - for standard input, with a graph a line:\n"
        "  {\"nodes\":3, \"edges\":[[0,1],[1,2]], \"labels\":[6,0,0], \"attributes\":[[0.5],[1],[2]]}\n"
        "\"x\" with rows of finished features may stand in place of labels and attributes.\n"
        "Or a table of molecules, a file whose name ends in .csv or .csv.gz: it is printed again, every column as it "
        "is,\n"
        "with the answers as columns behind them; a row that is no molecule has empty ones, and a line on stderr.\n"
        "Graphs are numbered from 0 and answered as they are read, in memory that does not grow with INPUT.\n"
        "Read whole are compressed tars, and sets whose edges are not in the order of the graphs.\n"
        "Where the input has labels of graphs, the share of right answers is printed too.\n"
        "Of several models the mean is given: of probabilities, of numbers. \"spread\" is their standard deviation\n"
        "over the models. A folder stands for all *.safetensors in it, such as cv --models has made.",
    .least = 2,
    .most = INT_MAX,
    .size = sizeof(predict),
    .groups = groups,
    .texts = texts,
    .run = run
};

typedef struct job { /* the whole work */
    mp_ensemble by;
    mp_dataset_as as;
    mp_columns columns;
    const mp_answer_format *format;
    mp_writer *out; /* NULL: standard output */
    bool table;     /* a table is printed again */
    mp_stream *stream;
    mp_part part;
    int64_t from, to;       /* graphs that are answered: all, or those of the part */
    mp_span header;         /* of a table: its first record */
    mp_group *group;        /* the GPU that answers; NULL: this processor */
    mp_engine **engine;     /* for each thread one a model */
    int64_t graphs, unseen; /* printed so far */
    int64_t none;           /* rows that became no graph */
    const mp_metric *metric;
    double score;                /* the metric summed over known labels ... */
    int64_t known;               /* ... of which there were so many */
    mp_calibration *calibration; /* NULL: nobody asks */
    bool begun;                  /* the head is printed */
    bool stuck;                  /* the output takes no more */
    bool over;                   /* a graph has no answer, however it is read */
} job;

typedef struct sheet { /* a piece of the input and its answers, written down */
    mp_piece piece;
    mp_buf text, notes;                  /* notes: lines on rows that became no graph */
    int64_t graphs, known, unseen, none; /* of the answers */
    double score;
    mp_buf calibration; /* an mp_calibration a graph: added up in the order of graphs, sums do not depend on pieces */
    bool over;          /* the graph behind them has no answer */
} sheet;

static mp_model *first_of(const job *j)
{
    return j->by.by[0].model; /* what it is asked about here, all agree in */
}

/* What lies before the part is cut off and not read. Asked to stop, it is as if the input broke off here: what was answered is
 * printed, and the output gets its end. */
static mp_err take(void *arg, void *sheet_, bool *got)
{
    const job *j = arg;
    mp_piece *p = &((sheet *)sheet_)->piece;
    MP_TRY(mp_stopped());
    do MP_TRY(mp_stream_cut(j->stream, p, got));
    while (*got && p->start + p->graphs <= j->from);
    *got = *got && p->start < j->to;
    return MP_OK;
}

static bool is_ours(const job *j, int64_t graph)
{
    return graph >= j->from && graph < j->to;
}

/* Of the graphs that were read, ours: those from `*lo` up to but not including `*hi`. */
static void find_ours(const job *j, const mp_piece *p, int *lo, int *hi)
{
    int before = 0, within = 0, n = p->row ? p->rows : p->count;
    for (int i = 0; i < n; i++) {
        int64_t number = p->first + i;
        bool graph = !p->row || p->row[i].graph >= 0;
        before += graph && number < j->from;
        within += graph && is_ours(j, number);
    }
    *lo = before;
    *hi = before + within;
}

/* Adds up how good the answers are, graph by graph where labels may be missing. */
static void agree(const job *j, sheet *s, const int *which, int n, const mp_real *told)
{
    const mp_goal *goal = mp_model_goal(first_of(j));
    const mp_seal *seal = s->piece.data.seal;
    int step = goal->columns > 1 ? 1 : n, outputs = mp_goal_outputs(goal);
    for (int i = 0; seal && i < n; i += step, told += (size_t)step * (size_t)outputs) {
        int64_t known = mp_seal_known(seal, which + i, step);
        double sum = (double)known * mp_seal_measure(seal, j->metric, goal, which + i, step, told);
        if (known == 0) continue;
        s->known += known;
        s->score += j->metric->percent ? rint(sum) : sum; /* right answers are whole */
    }
}

static void calibrate(const job *j, sheet *s, const int *which, int n, const mp_real *told)
{
    const mp_goal *goal = mp_model_goal(first_of(j));
    for (int i = 0; j->calibration && s->piece.data.seal && i < n; i++, told += mp_goal_outputs(goal)) {
        mp_calibration one = { 0 };
        mp_seal_calibrate(s->piece.data.seal, goal, which + i, 1, told, &one);
        mp_buf_add(&s->calibration, &one, sizeof one);
    }
}

/* Every row of a table in its order, with an answer or without; the answers are those from graph `first` on. */
static void put_rows(const job *j, sheet *s, const mp_joined *all, int first)
{
    mp_piece *p = &s->piece;
    for (int i = 0; i < p->rows; i++) {
        const mp_row *r = &p->row[i];
        if (!is_ours(j, p->first + i)) continue;
        mp_arena_mark here = mp_arena_here(p->memory);
        mp_words w = { 0 };
        if (r->graph >= 0) w = mp_ensemble_words(&j->by, all, r->graph - first, p->memory);
        if (j->table)
            mp_echo_row(&j->by, r->raw, r->graph >= 0 ? &w : NULL, &s->text);
        else if (r->graph >= 0)
            j->format->row(&j->by.by[0], p->first + i, &w, &s->text);
        else
            mp_json_none(p->first + i, r->why, &s->text);
        if (r->graph < 0) mp_buf_printf(&s->notes, "%s:%" PRId64 ": no answer: %s\n", p->data.name, r->line, r->why);
        s->none += r->graph < 0;
        mp_arena_back(p->memory, here);
    }
}

/* n graphs of those that were read, from the i-th on. `engine`: one a model. */
static mp_err answer(const job *j, sheet *s, mp_engine *const *engine, int i, int n)
{
    mp_piece *p = &s->piece;
    int *which = MP_NEW_RAW(p->memory, int, n);
    size_t outputs = (size_t)n * (size_t)mp_model_outputs(first_of(j));
    mp_real *out = MP_NEW_RAW(p->memory, mp_real, (size_t)j->by.models * outputs);
    for (int k = 0; k < n; k++) which[k] = p->from + i + k;
    mp_batch b = { .all = &p->data.graphs, .x = &p->data.x, .which = which, .n = n };
    for (int m = 0; m < j->by.models; m++) MP_TRY(mp_engine_predict(engine[m], &b, out + (size_t)m * outputs));
    mp_joined all = mp_ensemble_join(&j->by, out, n, p->memory);
    agree(j, s, which, n, all.told);
    calibrate(j, s, which, n, all.told);
    if (p->row) put_rows(j, s, &all, i);
    for (int k = 0; !p->row && k < n; k++) {
        mp_arena_mark here = mp_arena_here(p->memory);
        mp_words w = mp_ensemble_words(&j->by, &all, k, p->memory);
        j->format->row(&j->by.by[0], p->first + i + k, &w, &s->text);
        mp_arena_back(p->memory, here);
    }
    s->graphs += n;
    return MP_OK;
}

typedef struct turn { /* a sheet in work */
    const job *job;
    sheet *sheet;
    mp_engine *const *engine; /* one a model */
    int step;                 /* graphs that are read and answered together; 0: all */
    bool said;                /* the message of the failure has its place: it is of reading a line */
} turn;

/* Graphs before a bad line are answered. */
static mp_err answer_all(void *arg)
{
    turn *t = arg;
    sheet *s = t->sheet;
    mp_piece *p = &s->piece;
    do {
        int lo, hi;
        mp_err e = mp_stream_read(t->job->stream, p);
        find_ours(t->job, p, &lo, &hi);
        for (int i = lo, n; i < hi; i += n) {
            n = t->step ? t->step : hi - lo;
            MP_TRY(answer(t->job, s, t->engine, i, n));
        }
        if (p->row && lo == hi) put_rows(t->job, s, NULL, 0);
        s->unseen += p->data.unseen_nodes;
        t->said = e != MP_OK;
        if (e != MP_OK) return e;
    } while (p->more);
    return MP_OK;
}

/* Rows were read up to one graph, which has no answer: those before it are printed, its line is named. */
static mp_err blame_row(const job *j, sheet *s, mp_err e)
{
    mp_piece *p = &s->piece;
    int i = p->rows - 1;
    if (i < 0) return e;
    bool read = p->row[i].graph >= 0; /* else it was the one behind them that could not be */
    if (read) p->rows = i;
    put_rows(j, s, NULL, 0);
    return mp_fail_within(e, read ? "%s:%" PRId64 : "%s: behind line %" PRId64, p->data.name, p->row[i].line);
}

/* When one graph has no answer, because an output is not finite or memory runs out, all before it get theirs: then they are
 * asked about one at a time. */
static mp_err work(void *arg, void *p, int thread)
{
    const job *j = arg;
    sheet *s = p;
    for (int step = 0;; step = 1) {
        turn t = { j, s, j->engine + (ptrdiff_t)thread * j->by.models, step, false };
        mp_piece_rewind(&s->piece, step);
        s->text.n = s->notes.n = s->calibration.n = 0;
        s->graphs = s->known = s->unseen = s->none = 0;
        s->score = 0;
        mp_err e = mp_guarded(answer_all, &t);
        s->over = e != MP_OK && !t.said;
        if (!s->over) return e;
        if (step && s->piece.row) return blame_row(j, s, e);
        if (step) {
            int64_t first = s->piece.start > j->from ? s->piece.start : j->from;
            return mp_stream_blame(j->stream, first + s->graphs, e);
        }
    }
}

static mp_err print(const job *j, const char *text, size_t n)
{
    if (j->out) return mp_writer_add(j->out, text, n);
    return j->table ? mp_cli_pass(text, n) : mp_cli_print(text, n);
}

/* Only once there is an answer, or none to come: an input that cannot be read leaves nothing on the output. Of parts the first
 * has it. */
static mp_err print_head(job *j)
{
    mp_buf b = { 0 };
    bool now = !j->begun && j->part.i <= 1;
    if (now && j->table)
        mp_echo_head(&j->by, j->header, &b);
    else if (now)
        j->format->head(&j->by, &b);
    j->begun = true;
    mp_err e = print(j, b.p, b.n);
    mp_buf_free(&b);
    return e;
}

static mp_err print_tail(const job *j, const char *error)
{
    mp_buf b = { 0 };
    mp_agreement with = { j->metric, j->known ? j->score / (double)j->known : (double)NAN, j->calibration };
    if (j->none)
        mp_cli_say("%" PRId64 " of %" PRId64 " rows are no molecules and have no answer", j->none, j->none + j->graphs);
    j->format->tail(&with, j->unseen, error, &b);
    mp_err e = print(j, b.p, b.n);
    mp_buf_free(&b);
    return e;
}

static void say_notes(const mp_buf *notes)
{
    mp_span rest = { notes->p, notes->n }, line;
    while (mp_next_line(&rest, &line)) mp_cli_say("%.*s", (int)line.n, line.p);
}

static mp_err give(void *arg, void *p)
{
    job *j = arg;
    const sheet *s = p;
    j->over = s->over;
    if (s->graphs + s->none == 0) return MP_OK;
    j->graphs += s->graphs;
    j->none += s->none;
    j->known += s->known;
    j->score += s->score;
    j->unseen += s->unseen;
    const mp_calibration *more = (const mp_calibration *)(const void *)s->calibration.p;
    for (size_t i = 0; i < s->calibration.n / sizeof *more; i++) mp_calibration_join(j->calibration, &more[i]);
    if (!j->begun) mp_setup_note(&j->by.by[0].about, &s->piece.data);
    say_notes(&s->notes);
    mp_err e = print_head(j);
    if (e == MP_OK) e = print(j, s->text.p, s->text.n);
    j->stuck = e != MP_OK;
    return e;
}

static mp_err start_engines(job *j, int engines, mp_arena *a)
{
    j->engine = MP_NEW(a, mp_engine *, engines);
    for (int i = 0; i < engines; i++) {
        mp_model *m = j->by.by[i % j->by.models].model;
        if (j->group)
            MP_TRY(mp_engine_new_on(j->group, m, &j->engine[i]));
        else
            j->engine[i] = mp_engine_new(m, 1);
    }
    return MP_OK;
}

static mp_err run_stream(job *j, int threads, mp_arena *a)
{
    static const mp_relay steps = { take, work, give };
    int count = SHEETS * threads, engines = threads * j->by.models;
    sheet *sheets = MP_NEW(a, sheet, count);
    void **piece = MP_NEW(a, void *, count);
    mp_err e = start_engines(j, engines, a);
    for (int i = 0; i < count; i++) {
        mp_piece_init(&sheets[i].piece);
        piece[i] = &sheets[i];
    }
    if (e == MP_OK) e = mp_relay_run(&steps, j, piece, count, threads);
    for (int i = 0; i < engines; i++) mp_engine_free(j->engine[i]);
    for (int i = 0; i < count; i++) {
        mp_piece_free(&sheets[i].piece);
        mp_buf_free(&sheets[i].text);
        mp_buf_free(&sheets[i].notes);
        mp_buf_free(&sheets[i].calibration);
    }
    mp_stream_close(j->stream);
    return e;
}

static void set_range(job *j, int64_t graphs)
{
    if (j->part.n) mp_part_range(j->part, graphs, &j->from, &j->to);
}

/* How many graphs there are decides which are ours: the input is cut once without being read. */
static mp_err count_graphs(job *j, const mp_data_format *f, const mp_data_input *in, mp_arena *a)
{
    mp_stream *s;
    int64_t graphs;
    if (j->part.n == 0) return MP_OK;
    MP_TRY(f->stream(in, a, &s));
    MP_TRY(mp_stream_count(s, &graphs));
    set_range(j, graphs);
    return MP_OK;
}

/* What the stream could not make sense of, the loader can, or says what is wrong with it. */
static mp_err run_whole(job *j, const char *path, const char *why, int threads, mp_arena *a)
{
    mp_dataset d;
    MP_TRY(mp_dataset_load_as(path, NULL, &j->as, a, &d));
    if (why[0]) mp_cli_say("%s: read whole: %s", path, why);
    set_range(j, d.graphs.graphs);
    j->stream = mp_stream_whole(&d, j->from + j->graphs);
    return run_stream(j, threads, a);
}

/* A stream of its own kind, and how its answers are printed. */
static mp_err open_stream(job *j, const mp_data_format *f, const mp_data_input *in, mp_arena *a)
{
    MP_TRY(f->stream(in, a, &j->stream));
    mp_span first = j->stream->header; /* the stream is closed before the head of a table without rows is printed */
    j->header = (mp_span){ mp_arena_text(a, first.p ? first.p : "", first.n), first.n };
    j->table = first.n > 0 && j->format != &mp_answers_json;
    mp_err e = j->table ? mp_echo_check(&j->by, j->header, in->path, a) : MP_OK;
    if (e != MP_OK) mp_stream_close(j->stream);
    return e;
}

static mp_err run_dataset(job *j, const predict *p, const char *input, int threads, mp_arena *a)
{
    mp_data_input in = { .as = &j->as, .threads = threads };
    const mp_data_format *format;
    MP_TRY(mp_dataset_find(input, p->data, a, &in.path, &in.folder));
    MP_TRY(mp_format_of(in.path, in.folder, &format));
    MP_TRY(mp_format_takes(format, &in));
    if (!format->stream) return run_whole(j, in.path, "", threads, a);
    mp_err e = count_graphs(j, format, &in, a);
    if (e == MP_OK) e = open_stream(j, format, &in, a);
    if (e == MP_OK) e = run_stream(j, threads, a);
    if (e == MP_OK || j->over || j->stuck || !format->whole_after || *mp_halt_asked()) return e;
    return run_whole(j, in.path, mp_arena_text(a, mp_message(), strlen(mp_message())), threads, a);
}

static mp_err run_input(job *j, const predict *p, const char *input, int threads, mp_arena *a)
{
    mp_tap tap;
    mp_data_input in = { .path = "standard input", .as = &j->as };
    if (strcmp(input, "-") != 0) return run_dataset(j, p, input, threads, a);
    if (j->part.n)
        return mp_fail(MP_ERR_USAGE, "--part: how many graphs there are decides which are answered: INPUT must be a "
                                     "file or a data set, not -");
    MP_TRY(mp_format_takes(&mp_format_jsonl, &in));
    MP_TRY(mp_stdin_tap(a, &tap));
    j->stream = mp_stream_jsonl(in.path, NULL, tap, &j->as);
    return run_stream(j, threads, a);
}

/* The first metric of the task that can be added up graph by graph: an input may have any length. */
static const mp_metric *mean_metric(const mp_task *t)
{
    const mp_metric *list[MP_METRICS_MOST];
    int n = mp_metrics_of(t, list), i = 0;
    while (i < n - 1 && !list[i]->mean) i++;
    return list[i];
}

static mp_err ask_calibration(job *j, mp_arena *a)
{
    const mp_task *t = mp_model_goal(first_of(j))->task;
    if (!t->claim) return mp_fail(MP_ERR_USAGE, "--calibration: a model of task %s gives no probabilities", t->name);
    j->calibration = MP_NEW(a, mp_calibration, 1);
    return MP_OK;
}

static mp_err answer_input(job *j, const predict *p, const char *input, mp_arena *a)
{
    mp_failure failure;
    mp_halt halt;
    mp_halt_begin(&halt, false);
    mp_failure_keep(&failure, run_input(j, p, input, mp_setup_threads(p->threads), a));
    mp_halt_end(&halt);
    bool failed = failure.e != MP_OK;
    if (failed && (j->stuck || !j->begun)) return mp_failure_again(&failure);
    MP_TRY(print_head(j));
    MP_TRY(print_tail(j, failed ? failure.message : NULL));
    return failed ? mp_failure_again(&failure) : MP_OK;
}

/* auto: models that the GPU cannot do are this processor's. */
static mp_err settle(job *j, int device)
{
    for (int m = 0; j->group && m < j->by.models; m++) {
        mp_err e = mp_gpu_takes(j->by.by[m].model);
        if (e != MP_OK && device != MP_DEVICE_AUTO) return e;
        if (e != MP_OK) mp_cli_say("%s", mp_message());
        if (e != MP_OK) j->group = NULL;
    }
    return MP_OK;
}

static mp_err go(void *asked, mp_group *group)
{
    const mp_device_use *use = asked;
    const predict *p = use->conf;
    const mp_cli_args *args = use->args;
    mp_arena *a = args->arena;
    job j = { .group = group,
              .to = INT64_MAX,
              .format = p->json  ? &mp_answers_json
                        : p->csv ? &mp_answers_csv
                                 : &mp_answers_text };
    if (p->json && p->csv) return mp_fail(MP_ERR_USAGE, "--json and --csv exclude each other");
    MP_TRY(mp_part_read(p->part, &j.part));
    if (j.part.n && p->json)
        return mp_fail(MP_ERR_USAGE, "--part and --json exclude each other: outputs of parts are put one behind the "
                                     "other, as lines; --csv has everything");
    int models = args->operands - 1;
    const char *input = args->operand[models];
    MP_TRY(mp_setup_in_order(args->operand[0], input));
    MP_TRY(mp_ensemble_load(args->operand, models, a, &j.by));
    MP_TRY(settle(&j, p->device));
    j.as = mp_about_as(first_of(&j), &j.by.by[0].about);
    j.metric = mean_metric(mp_model_goal(first_of(&j))->task);
    if (p->calibration) MP_TRY(ask_calibration(&j, a));
    j.columns = (mp_columns){ .smiles = p->smiles, .strict = p->strict };
    j.as.columns = &j.columns;
    if (p->out) MP_TRY(mp_writer_open(p->out, &j.out));
    mp_err e = answer_input(&j, p, input, a);
    if (e == MP_OK && j.out) return mp_writer_keep(j.out);
    mp_writer_drop(j.out);
    return e;
}

static mp_err run(void *conf, const mp_cli_args *args)
{
    const predict *p = conf;
    return mp_device_run(p->device, false, go, &(mp_device_use){ conf, args });
}
