/* cmd_data.c - midpool data: what data sets there are, what is in them, downloading, making and checking
 * them. More than 500 lines because every generator has its table of options here.
 * SPDX-License-Identifier: MIT */
#include "base/json.h"
#include "cli/cli.h"
#include "cli/columns.h"
#include "cli/commands.h"
#include "cli/progress.h"
#include "data/audit.h"
#include "data/fetch.h"
#include "data/format.h"
#include "data/generate.h"
#include "data/known.h"
#include "data/load.h"
#include "data/rules.h"
#include "data/signal.h"
#include "data/stats.h"

#include <stdio.h>
#include <string.h>

typedef struct options {
    mp_column_options columns;
    int json, folds;
    const char *data, *folds_from, *out, *format, *by;
    int edges;
    mp_colors_options colors;
    mp_triangles_options triangles;
    mp_distinct_options distinct;
    mp_er_options er;
    mp_signal_options signal;
} options;

/* clang-format off */
#define JSON_ROW { "json", MP_OPT_FLAG, offsetof(options, json), "false", 0, 1, NULL, "one JSON object on stdout" }
#define DATA_ROW { "data", offsetof(options, data), NULL, "DIR", "folder with data sets, looked in first" }
#define END_ROW { NULL, 0, 0, NULL, 0, 0, NULL, NULL }
#define END_TEXT { NULL, 0, NULL, NULL, NULL }

static const mp_opt plain_options[] = { JSON_ROW, END_ROW };
static const mp_cli_text data_text[] = { DATA_ROW, END_TEXT };

#define COLUMN_ROWS MP_COLUMN_TEXTS(options), MP_COLUMN_SPLIT(options)
static const mp_opt table_options[] = { MP_COLUMN_STRICT(options), JSON_ROW, END_ROW };
static const mp_cli_text table_text[] = { DATA_ROW, COLUMN_ROWS, END_TEXT };
static const mp_cli_text molecules_text[] = { COLUMN_ROWS,
    { "out", offsetof(options, out), NULL, "DIR", "folder the files go into; made when missing" }, END_TEXT };

static const mp_opt audit_options[] = {
    { "folds", MP_OPT_INT, offsetof(options, folds), "0", 0, MP_MAX_FOLDS, NULL, "number of folds; 0: as the files have, else 10" },
    MP_COLUMN_STRICT(options), JSON_ROW, END_ROW };
static const mp_cli_text audit_text[] = { DATA_ROW, COLUMN_ROWS,
    { "folds-from", offsetof(options, folds_from), NULL, "FILE", "folds: JSON, or a folder or zip of {train,test}_idx-K.txt" },
    END_TEXT };

static const mp_cli_text out_text[] = {
    { "out", offsetof(options, out), NULL, "DIR", "folder the files go into; made when missing" }, END_TEXT };

static const mp_opt convert_options[] = {
    { "edge-attributes", MP_OPT_CHOICE, offsetof(options, edges), "use", 0, 0, "use|ignore", "labels and attributes of edges: taken along or left out" },
    MP_COLUMN_STRICT(options), JSON_ROW, END_ROW };
static const mp_cli_text convert_text[] = { DATA_ROW, COLUMN_ROWS,
    { "format", offsetof(options, format), NULL, "NAME", "of OUT, where its name does not say it: tu, jsonl, tables, graphml or ogb" },
    END_TEXT };

static const mp_opt split_options[] = {
    { "folds", MP_OPT_INT, offsetof(options, folds), "0", 0, MP_MAX_FOLDS, NULL, "number of folds; 1: 8/10 train, 1/10 validates, 1/10 tests; 0: 1 by scaffold or time, else 10" },
    MP_COLUMN_STRICT(options), JSON_ROW, END_ROW };
static const mp_cli_text split_text[] = { DATA_ROW, MP_COLUMN_TEXTS(options),
    { "by", offsetof(options, by), "stratified", "RULE", MP_RULES },
    { "out", offsetof(options, out), NULL, "FILE", "file the folds go into, for --folds-from: NAME.json" }, END_TEXT };

#define COLORS(field) MP_OPT_INT, offsetof(options, colors) + offsetof(mp_colors_options, field)
static const mp_opt colors_options[] = {
    { "seed", COLORS(seed), "0", 0, 2147483647, NULL, "another seed, other graphs" },
    { "train", COLORS(train), "500", 1, 1000000, NULL, "training graphs" },
    { "val", COLORS(val), "2500", 1, 1000000, NULL, "validation graphs" },
    { "test", COLORS(test), "2500", 1, 1000000, NULL, "test graphs of the same sizes" },
    { "large", COLORS(large), "2500", 0, 1000000, NULL, "larger test graphs" },
    { "large-c", COLORS(large_c), "2500", 0, 1000000, NULL, "larger test graphs with colours not seen in training" },
    { "min-nodes", COLORS(lo), "4", 1, 2000, NULL, "nodes of the smallest graph" },
    { "max-nodes", COLORS(hi), "25", 1, 2000, NULL, "nodes of the largest graph" },
    { "large-min-nodes", COLORS(large_lo), "26", 1, 2000, NULL, "nodes of the smallest larger graph" },
    { "large-max-nodes", COLORS(large_hi), "200", 1, 2000, NULL, "nodes of the largest larger graph" },
    JSON_ROW, END_ROW };

#define TRIANGLES(field) MP_OPT_INT, offsetof(options, triangles) + offsetof(mp_triangles_options, field)
static const mp_opt triangles_options[] = {
    { "seed", TRIANGLES(seed), "0", 0, 2147483647, NULL, "another seed, other graphs" },
    { "train", TRIANGLES(train), "30000", 10, 1000000, NULL, "training graphs, a multiple of 10" },
    { "val", TRIANGLES(val), "5000", 10, 1000000, NULL, "validation graphs, a multiple of 10" },
    { "test", TRIANGLES(test), "5000", 10, 1000000, NULL, "test graphs of the same sizes, a multiple of 10" },
    { "large", TRIANGLES(large), "5000", 0, 1000000, NULL, "larger test graphs, a multiple of 10" },
    { "min-nodes", TRIANGLES(lo), "4", 1, 2000, NULL, "nodes of the smallest graph" },
    { "max-nodes", TRIANGLES(hi), "25", 1, 2000, NULL, "nodes of the largest graph" },
    { "large-min-nodes", TRIANGLES(large_lo), "26", 1, 2000, NULL, "nodes of the smallest larger graph" },
    { "large-max-nodes", TRIANGLES(large_hi), "100", 1, 2000, NULL, "nodes of the largest larger graph" },
    JSON_ROW, END_ROW };

#define DISTINCT(field) MP_OPT_INT, offsetof(options, distinct) + offsetof(mp_distinct_options, field)
static const mp_opt distinct_options[] = {
    { "seed", DISTINCT(seed), "0", 0, 2147483647, NULL, "another seed, other graphs" },
    { "train", DISTINCT(train), "1000", 1, 1000000, NULL, "training graphs" },
    { "val", DISTINCT(val), "500", 1, 1000000, NULL, "validation graphs" },
    { "test", DISTINCT(test), "1000", 1, 1000000, NULL, "test graphs of the same sizes" },
    { "large", DISTINCT(large), "1000", 0, 1000000, NULL, "larger test graphs" },
    { "colors", DISTINCT(colors), "8", 2, 8, NULL, "colours; labels are 1 to this" },
    { "min-nodes", DISTINCT(lo), "10", 1, 2000, NULL, "nodes of the smallest graph" },
    { "max-nodes", DISTINCT(hi), "30", 1, 2000, NULL, "nodes of the largest graph" },
    { "large-min-nodes", DISTINCT(large_lo), "31", 1, 2000, NULL, "nodes of the smallest larger graph" },
    { "large-max-nodes", DISTINCT(large_hi), "100", 1, 2000, NULL, "nodes of the largest larger graph" },
    JSON_ROW, END_ROW };

#define ER(field) MP_OPT_INT, offsetof(options, er) + offsetof(mp_er_options, field)
static const mp_opt er_options[] = {
    { "seed", ER(seed), "0", 0, 2147483647, NULL, "another seed, other graphs" },
    { "graphs", ER(graphs), "1", 1, 10000000, NULL, "number of graphs" },
    { "nodes", ER(nodes), "1000", 1, 100000000, NULL, "nodes of each graph" },
    { "edges", ER(edges), "0", 0, 1000000000, NULL, "undirected edges of each graph; 0: twice the nodes" },
    { "columns", ER(columns), "128", 0, 100000, NULL, "columns of x, each N(0, 1); 0: degrees are the features" },
    JSON_ROW, END_ROW };

#define SIGNAL(field) MP_OPT_INT, offsetof(options, signal) + offsetof(mp_signal_options, field)
#define SIGNAL_SEED { "seed", SIGNAL(seed), "0", 0, 2147483647, NULL, "another seed, another graph" }
static const mp_opt ring_options[] = {
    { "nodes", SIGNAL(nodes), "200", 3, 20000, NULL, "nodes" }, JSON_ROW, END_ROW };
static const mp_opt grid_options[] = {
    { "side", SIGNAL(side), "30", 1, 141, NULL, "nodes of a row, and of a column" }, JSON_ROW, END_ROW };
static const mp_opt community_options[] = { SIGNAL_SEED,
    { "nodes", SIGNAL(nodes), "256", 9, 20000, NULL, "nodes" }, JSON_ROW, END_ROW };
static const mp_opt david_options[] = { SIGNAL_SEED,
    { "nodes", SIGNAL(nodes), "64", 1, 20000, NULL, "nodes; 64: the published points, whatever the seed, else uniform ones" }, JSON_ROW, END_ROW };
/* clang-format on */

/* The buffer is printed when the work went well, and freed in any case. */
static mp_err finish(mp_err e, mp_buf *b)
{
    if (e == MP_OK) e = mp_cli_print(b->p, b->n);
    mp_buf_free(b);
    return e;
}

/* ---- list ---- */

typedef struct list_state {
    mp_buf *out;
    bool json;
    int count;
} list_state;

static void list_one(void *state, const char *name, const char *path)
{
    list_state *s = state;
    s->count++;
    if (!s->json) {
        mp_buf_printf(s->out, "%-16s %s\n", name, path);
        return;
    }
    mp_json_open(s->out, '{');
    mp_json_add_text(s->out, "name", name);
    mp_json_add_text(s->out, "path", path);
    mp_json_close(s->out, '}');
}

static mp_err run_list(void *conf, const mp_cli_args *args)
{
    const options *o = conf;
    mp_buf b = { 0 };
    list_state s = { &b, o->json, 0 };
    (void)args;
    if (o->json) {
        mp_json_open(&b, '{');
        mp_json_key(&b, "datasets");
        mp_json_open(&b, '[');
    }
    mp_err e = mp_dataset_list(o->data, list_one, &s);
    if (o->json) {
        mp_json_close(&b, ']');
        mp_json_key(&b, "generated");
        mp_json_put_raw(&b, "[\"colors3\",\"triangles\",\"distinct\",\"er\"");
        for (const mp_signal *g = mp_signals; g->name; g++) mp_buf_printf(&b, ",\"%s\"", g->name);
        mp_buf_puts(&b, "]");
        mp_json_close(&b, '}');
        mp_buf_puts(&b, "\n");
    } else if (s.count == 0) {
        mp_buf_puts(&b, "no data sets here; 'midpool data fetch MUTAG' downloads one, 'midpool data generate "
                        "colors3 --out "
                        "data/COLORS-3' makes one\n");
    }
    return finish(e, &b);
}

/* ---- info and audit ---- */

static mp_err load(const options *o, const mp_cli_args *args, mp_dataset *d)
{
    mp_columns columns = mp_columns_of(&o->columns, false);
    mp_dataset_as as = { .columns = &columns };
    MP_TRY(mp_dataset_load_as(args->operand[0], o->data, &as, args->arena, d));
    mp_columns_left(&d->left);
    return MP_OK;
}

static mp_err run_info(void *conf, const mp_cli_args *args)
{
    const options *o = conf;
    mp_dataset d;
    mp_stats s;
    mp_buf b = { 0 };
    MP_TRY(load(o, args, &d));
    mp_stats_of(&d, args->arena, &s);
    (o->json ? mp_stats_json : mp_stats_text)(&d, &s, &b);
    if (o->json) mp_buf_puts(&b, "\n");
    return finish(MP_OK, &b);
}

static mp_err run_audit(void *conf, const mp_cli_args *args)
{
    const options *o = conf;
    mp_dataset d;
    mp_folds f;
    mp_audit r;
    mp_buf b = { 0 };
    MP_TRY(load(o, args, &d));
    bool few = d.graphs.graphs < 10 && !o->folds && !o->folds_from; /* nothing to fold by default */
    if (!few) MP_TRY(mp_folds_load(&d, o->folds_from, o->folds, args->arena, &f));
    mp_audit_run(&d, few ? NULL : &f, args->arena, &r);
    (o->json ? mp_audit_json : mp_audit_text)(&d, &r, &b);
    if (o->json) mp_buf_puts(&b, "\n");
    return finish(MP_OK, &b);
}

/* ---- fetch ---- */

static void show_bytes(void *state, double bytes, double total)
{
    mp_progress *p = state;
    double passed = mp_progress_seconds(p);
    double left = total > 0 && bytes > 0 ? passed * (total - bytes) / bytes : -1;
    mp_progress_now(p, left, "%.1f of %.1f MiB", bytes / (1 << 20), total / (1 << 20));
}

static mp_err run_fetch(void *conf, const mp_cli_args *args)
{
    const options *o = conf;
    mp_progress p;
    mp_buf b = { 0 };
    const char *path = NULL;
    mp_progress_init(&p, false);
    mp_err e = mp_fetch(args->operand[0], show_bytes, &p, args->arena, &path);
    mp_progress_end(&p);
    MP_TRY(e);
    if (o->json) {
        mp_json_open(&b, '{');
        mp_json_add_text(&b, "name", args->operand[0]);
        mp_json_add_text(&b, "path", path);
        mp_json_close(&b, '}');
        mp_buf_puts(&b, "\n");
    } else {
        mp_buf_printf(&b, "%s is in %s\n", args->operand[0], path);
    }
    return finish(MP_OK, &b);
}

/* ---- generate ---- */

static mp_err write_made(mp_err made, const options *o, const mp_raw *raw, mp_arena *a)
{
    mp_dataset d;
    mp_stats s;
    mp_buf b = { 0 };
    MP_TRY(made);
    if (!o->out) return mp_fail(MP_ERR_USAGE, "--out: say which folder the files go into");
    MP_TRY(mp_dataset_build(raw, NULL, a, &d));
    MP_TRY(mp_tu_write(raw, o->out));
    d.origin = o->out;
    mp_stats_of(&d, a, &s);
    (o->json ? mp_stats_json : mp_stats_text)(&d, &s, &b);
    if (o->json) mp_buf_puts(&b, "\n");
    return finish(MP_OK, &b);
}

static mp_err run_colors(void *conf, const mp_cli_args *args)
{
    const options *o = conf;
    mp_raw raw;
    return write_made(mp_generate_colors(&o->colors, args->arena, &raw), o, &raw, args->arena);
}

static mp_err run_triangles(void *conf, const mp_cli_args *args)
{
    const options *o = conf;
    mp_raw raw;
    return write_made(mp_generate_triangles(&o->triangles, args->arena, &raw), o, &raw, args->arena);
}

static mp_err run_distinct(void *conf, const mp_cli_args *args)
{
    const options *o = conf;
    mp_raw raw;
    return write_made(mp_generate_distinct(&o->distinct, args->arena, &raw), o, &raw, args->arena);
}

static mp_err run_er(void *conf, const mp_cli_args *args)
{
    const options *o = conf;
    mp_raw raw;
    return write_made(mp_generate_er(&o->er, args->arena, &raw), o, &raw, args->arena);
}

static mp_err make_signal(const char *set, const options *o, mp_arena *a)
{
    mp_raw raw;
    return write_made(mp_signal_make(mp_signal_of_set(set), &o->signal, a, &raw), o, &raw, a);
}

static mp_err run_ring(void *conf, const mp_cli_args *args)
{
    return make_signal("RING", conf, args->arena);
}

static mp_err run_grid(void *conf, const mp_cli_args *args)
{
    return make_signal("GRID", conf, args->arena);
}

static mp_err run_community(void *conf, const mp_cli_args *args)
{
    return make_signal("COMMUNITY", conf, args->arena);
}

static mp_err run_david(void *conf, const mp_cli_args *args)
{
    return make_signal("DAVID", conf, args->arena);
}

/* ---- convert ---- */

/* By --format, else by the ending of the name. */
static mp_err format_of_output(const char *given, const char *path, const mp_data_format **out)
{
    if (given) MP_TRY(mp_format_find(given, out));
    if (!given) *out = mp_format_for(path);
    if (!*out) return mp_fail(MP_ERR_USAGE, "%s: say in which --format it is to be written", path);
    return (*out)->write ? MP_OK : mp_fail(MP_ERR_USAGE, "the format %s can only be read", (*out)->name);
}

static void describe_converted(const options *o, const mp_raw *raw, const char *path, const mp_data_format *format,
                               int folds, mp_buf *b)
{
    if (!o->json) {
        mp_buf_printf(b, "%s: %d graphs of %s as %s", path, raw->graphs.graphs, raw->name, format->name);
        if (folds) mp_buf_printf(b, "; %d folds", folds);
        mp_buf_puts(b, "\n");
        return;
    }
    mp_json_open(b, '{');
    mp_json_add_text(b, "path", path);
    mp_json_add_text(b, "format", format->name);
    mp_json_add_text(b, "dataset", raw->name);
    mp_json_add_int(b, "graphs", raw->graphs.graphs);
    mp_json_add_int(b, "folds", folds);
    mp_json_close(b, '}');
    mp_buf_puts(b, "\n");
}

static mp_err run_convert(void *conf, const mp_cli_args *args)
{
    const options *o = conf;
    const char *to = args->operand[1], *from;
    const mp_data_format *format;
    mp_columns columns = mp_columns_of(&o->columns, false);
    mp_dataset_as as = { .edges = o->edges == 0, .columns = &columns };
    mp_arena *a = args->arena;
    mp_raw raw;
    mp_folds folds = { 0 };
    mp_progress p;
    bool found = false;
    mp_buf b = { 0 };
    MP_TRY(format_of_output(o->format, to, &format));
    mp_progress_init(&p, false);
    mp_progress_now(&p, -1, "reading %s", args->operand[0]);
    mp_err e = mp_dataset_raw(args->operand[0], o->data, &as, a, &raw, &from);
    if (e == MP_OK) e = mp_folds_find(raw.name, from, raw.fold_text, raw.graphs.graphs, a, &folds, &found);
    if (e == MP_OK) mp_progress_now(&p, -1, "writing %s", to);
    if (e == MP_OK) e = format->write(&raw, found ? &folds : NULL, to);
    mp_progress_end(&p);
    MP_TRY(e);
    mp_columns_left(&raw.left);
    describe_converted(o, &raw, to, format, found ? folds.count : 0, &b);
    return finish(MP_OK, &b);
}

/* ---- split ---- */

static mp_err read_for_split(const options *o, const mp_cli_args *args, mp_raw *raw, mp_dataset *d)
{
    mp_columns *columns = MP_NEW(args->arena, mp_columns, 1);
    mp_dataset_as as = { .columns = columns };
    const char *from;
    size_t stem;
    *columns = mp_columns_of(&o->columns, false);
    columns->note = mp_rule_column(o->by);
    if (mp_format_named(&mp_format_csv, args->operand[0], &stem)) columns->split = "random"; /* which costs nothing */
    MP_TRY(mp_dataset_raw(args->operand[0], o->data, &as, args->arena, raw, &from));
    mp_columns_left(&raw->left);
    mp_err e = mp_dataset_build(raw, &as, args->arena, d);
    return e == MP_OK ? MP_OK : mp_fail_within(e, "%s", from);
}

static void describe_split(const options *o, const mp_dataset *d, const mp_folds *f, mp_buf *b)
{
    if (!o->json) {
        mp_buf_printf(b, "%s: %s, of %d graphs of %s\n", o->out, f->about, d->graphs.graphs, d->name);
        for (int i = 0; i < f->count; i++)
            mp_buf_printf(b, "fold %-3d %d train, %d validate, %d test\n", i + 1, f->split[i].n_train,
                          f->split[i].n_val, f->split[i].n_test);
        return;
    }
    mp_json_open(b, '{');
    mp_json_add_text(b, "path", o->out);
    mp_json_add_text(b, "dataset", d->name);
    mp_json_add_text(b, "by", o->by);
    mp_json_key(b, "folds");
    mp_json_open(b, '[');
    for (int i = 0; i < f->count; i++) {
        mp_json_open(b, '{');
        mp_json_add_int(b, "fold", i + 1);
        mp_json_add_int(b, "train", f->split[i].n_train);
        mp_json_add_int(b, "val", f->split[i].n_val);
        mp_json_add_int(b, "test", f->split[i].n_test);
        mp_json_close(b, '}');
    }
    mp_json_close(b, ']');
    mp_json_close(b, '}');
    mp_buf_puts(b, "\n");
}

static mp_err write_folds(const char *path, const mp_folds *f)
{
    mp_buf b = MP_BUF_LOCAL;
    mp_json_open(&b, '{');
    mp_json_key(&b, "folds");
    mp_folds_json(f, &b);
    mp_json_close(&b, '}');
    mp_buf_puts(&b, "\n");
    mp_err e = mp_write_file(path, b.p, b.n);
    mp_buf_free(&b);
    return e;
}

static mp_err run_split(void *conf, const mp_cli_args *args)
{
    const options *o = conf;
    size_t n = o->out ? strlen(o->out) : 0;
    mp_raw raw;
    mp_dataset d;
    mp_folds folds;
    mp_buf b = { 0 };
    if (n < 6 || strcmp(o->out + n - 5, ".json") != 0)
        return mp_fail(MP_ERR_USAGE, "--out: say which file the folds go into, NAME.json");
    MP_TRY(mp_rule_check("--by", o->by));
    MP_TRY(read_for_split(o, args, &raw, &d));
    MP_TRY(mp_rule_folds(o->by, o->folds, &raw, &d, args->arena, &folds));
    MP_TRY(write_folds(o->out, &folds));
    describe_split(o, &d, &folds, &b);
    return finish(MP_OK, &b);
}

/* ---- from-smiles ---- */

static mp_err run_smiles(void *conf, const mp_cli_args *args)
{
    const options *o = conf;
    mp_columns columns = mp_columns_of(&o->columns, true);
    mp_dataset_as as = { .edges = true, .columns = &columns };
    const char *from;
    mp_raw raw;
    mp_buf b = { 0 };
    if (!o->out) return mp_fail(MP_ERR_USAGE, "--out: say which folder the files go into");
    if (!mp_format_named(&mp_format_csv, args->operand[0], &(size_t){ 0 }))
        return mp_fail(MP_ERR_USAGE, "%s: expected a table, a file whose name ends in .csv or .csv.gz",
                       args->operand[0]);
    MP_TRY(mp_dataset_raw(args->operand[0], NULL, &as, args->arena, &raw, &from));
    mp_columns_left(&raw.left);
    MP_TRY(mp_format_ogb.write(&raw, NULL, o->out));
    describe_converted(o, &raw, o->out, &mp_format_ogb, 0, &b);
    return finish(MP_OK, &b);
}

/* ---- the tables of commands ---- */

/* clang-format off */
#define GROUP(table) ((const mp_cli_group[]){ { "options", table, 0 }, { NULL, NULL, 0 } })
#define COMMAND(id, words, what, count, rows, text, about) \
    static const mp_cli id##_cli = { .name = words, .operands = what, .summary = about, .least = count, .most = count, \
                                     .size = sizeof(options), .groups = GROUP(rows), .texts = text, .run = run_##id }

COMMAND(list, "data list", "", 0, plain_options, data_text,
        "Lists the data sets that can be found, with their places.");
COMMAND(info, "data info", "DATASET", 1, table_options, table_text,
        "Counts what is in a data set and compares the figures with those of the paper.");
COMMAND(fetch, "data fetch", "NAME", 1, plain_options, NULL,
        "Downloads a set of the TUDataset collection into the cache folder, and checks it.");
COMMAND(audit, "data audit", "DATASET", 1, audit_options, audit_text,
        "Looks for repeated graphs, for test graphs that are in training too, and for odd graphs.");
COMMAND(convert, "data convert", "DATASET OUT", 2, convert_options, convert_text,
        "Writes a set as OUT.jsonl, JSON lines, OUT.graphml, GraphML, or a folder OUT of TUDataset files, with --format tables of graphs.csv, nodes.csv and edges.csv, with --format ogb in OGB's raw layout; its split and folds go along.");
COMMAND(split, "data split", "DATASET", 1, split_options, split_text,
        "Writes folds of a set that --folds-from reads: which graphs train, validate and test.");
COMMAND(smiles, "data from-smiles", "TABLE", 1, table_options, molecules_text,
        "Makes molecules of a table with SMILES, with the features and files of the Open Graph Benchmark, and a split.");
COMMAND(colors, "data generate colors3", "", 0, colors_options, out_text,
        "Makes COLORS-3: count the green nodes.");
COMMAND(triangles, "data generate triangles", "", 0, triangles_options, out_text,
        "Makes TRIANGLES: count the triangles.");
COMMAND(distinct, "data generate distinct", "", 0, distinct_options, out_text,
        "Makes DISTINCT: count the colours that occur. The set needs no files.");
COMMAND(er, "data generate er", "", 0, er_options, out_text,
        "Makes Erdos-Renyi graphs with random features and classes.");
COMMAND(ring, "data generate ring", "", 0, ring_options, out_text,
        "Makes a ring whose nodes have coordinates, for reconstruction. The set RING needs no files.");
COMMAND(grid, "data generate grid", "", 0, grid_options, out_text,
        "Makes a grid whose nodes have coordinates, for reconstruction. The set GRID needs no files.");
COMMAND(community, "data generate community", "", 0, community_options, out_text,
        "Makes a graph of communities whose nodes have coordinates, for reconstruction. The set COMMUNITY needs no files.");
COMMAND(david, "data generate david", "", 0, david_options, out_text,
        "Makes the David sensor network, whose nodes have coordinates, for reconstruction. The set DAVID needs no files.");
/* clang-format on */

static const mp_command generators[] = {
    { "colors3", "COLORS-3: the label is the number of green nodes", &colors_cli },
    { "triangles", "TRIANGLES: the label is the number of triangles", &triangles_cli },
    { "distinct", "count the different colours of nodes", &distinct_cli },
    { "er", "Erdos-Renyi graphs G(n, m) with N(0, 1) features", &er_cli },
    { "ring", "RING: one graph whose nodes have coordinates", &ring_cli },
    { "grid", "GRID: likewise", &grid_cli },
    { "community", "COMMUNITY: likewise", &community_cli },
    { "david", "DAVID: likewise, a sensor network", &david_cli },
    { NULL },
};
const mp_command mp_data_commands[] = {
    { "list", "the data sets that can be found", &list_cli },
    { "info", "statistics of a set, beside the paper's", &info_cli },
    { "fetch", "download a set of the TUDataset collection", &fetch_cli },
    { "generate", "make a set: colors3, triangles, er; ring, grid, community, david", .below = generators },
    { "convert", "write a set in another format: TUDataset files, JSON lines, tables, GraphML, OGB", &convert_cli },
    { "split", "write folds: stratified, random, by scaffold, by group, by time", &split_cli },
    { "from-smiles", "molecules of a table with SMILES, with the features of OGB", &smiles_cli },
    { "audit", "repeated graphs, leaks between folds, odd graphs", &audit_cli },
    { NULL },
};
