/* cli.c - the command line into a struct. See cli.h for the order in which values are set.
 * SPDX-License-Identifier: MIT */
#include "cli/cli.h"
#include "base/halt.h"
#include "cli/help.h"
#include "cli/workers.h"
#include "cli/yaml.h"
#include "conf/config.h"
#include "conf/uses.h"
#include "train/preset.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define MAX_NAMES 192

typedef struct reader {
    const mp_cli *cli;
    mp_arena *arena;
    mp_cli_setting *setting;
    int settings, cap;
    const char **operand;
    int operands;
    bool help, help_all;
} reader;

/* ---- looking options up ---- */

typedef struct found {
    const mp_opt *row;
    const mp_cli_text *text;
    size_t offset; /* of the row's struct, or of the text's field */
    bool mid, config;
} found;

const mp_cli_text *mp_cli_text_find(const mp_cli *cli, const char *name)
{
    for (const mp_cli_text *t = cli->texts; t && t->name; t++)
        if (strcmp(t->name, name) == 0) return t;
    return NULL;
}

static bool find(const mp_cli *cli, const char *name, found *f)
{
    *f = (found){ 0 };
    f->text = mp_cli_text_find(cli, name);
    if (f->text) {
        f->offset = f->text->offset;
        return true;
    }
    for (const mp_cli_group *g = cli->groups; g && g->title; g++) {
        f->row = mp_conf_find(g->table, name);
        f->offset = g->offset;
        if (f->row) return true;
    }
    f->mid = cli->has_model && (strcmp(name, "mid") == 0 || strcmp(name, "no-mid") == 0);
    f->config = cli->has_model && strcmp(name, "config") == 0;
    return f->mid || f->config;
}

static int list_names(const mp_cli *cli, const char **names)
{
    int n = 0;
    names[n++] = "help"; /* first: of names that are equally near it is the likeliest */
    names[n++] = "help-all";
    for (const mp_cli_group *g = cli->groups; g && g->title; g++)
        for (const mp_opt *o = g->table; o->name && n < MAX_NAMES - 5; o++) names[n++] = o->name;
    for (const mp_cli_text *t = cli->texts; t && t->name && n < MAX_NAMES - 5; t++) names[n++] = t->name;
    if (cli->has_model) {
        names[n++] = "mid";
        names[n++] = "config";
    }
    names[n] = NULL;
    return n;
}

mp_err mp_cli_unknown(const mp_cli *cli, const char *name, const char *where, const char *dashes)
{
    const char *names[MAX_NAMES];
    list_names(cli, names);
    const char *near = mp_nearest(strncmp(name, "no-", 3) == 0 ? name + 3 : name, names);
    if (!near) near = mp_nearest(name, names);
    if (!near) return mp_fail(MP_ERR_USAGE, "%s: no such option (midpool %s --help lists them)", where, cli->name);
    return mp_fail(MP_ERR_USAGE, "%s: no such option; did you mean '%s%s'?", where, dashes, near);
}

mp_err mp_cli_set(const mp_cli *cli, void *conf, const char *name, const char *value, const char *where)
{
    found f;
    if (!find(cli, name, &f)) return mp_cli_unknown(cli, name, where, "");
    char *at = (char *)conf + f.offset;
    if (f.row) {
        const mp_opt one[] = { *f.row, { .name = NULL } };
        return mp_conf_set(one, at, name, value, where);
    }
    if (f.text) memcpy(at, &value, sizeof value);
    return MP_OK;
}

/* ---- collecting settings ---- */

static void collect(reader *r, const char *name, const char *value, const char *where, bool on_line)
{
    if (r->settings == r->cap) {
        r->cap = mp_room(r->cap, (int64_t)r->settings + 1, 32, "settings");
        MP_MORE(r->arena, r->setting, r->settings, r->cap);
    }
    r->setting[r->settings++] = (mp_cli_setting){ name, value, where, on_line };
}

static mp_err read_option(reader *r, int argc, char **argv, int *at)
{
    const char *word = argv[*at] + 2, *equals = strchr(word, '=');
    const char *name = mp_arena_text(r->arena, word, equals ? (size_t)(equals - word) : strlen(word));
    const char *where = mp_arena_printf(r->arena, "--%s", name), *value = equals ? equals + 1 : NULL;
    found f;
    if (!find(r->cli, name, &f)) return mp_cli_unknown(r->cli, name, where, "--");
    bool flag = f.mid || (f.row && f.row->kind == MP_OPT_FLAG);
    if (!value && flag) value = "true";
    if (!value && *at + 1 >= argc) return mp_fail(MP_ERR_USAGE, "%s: needs a value", where);
    if (!value) value = argv[++*at];
    collect(r, name, value, where, true);
    return MP_OK;
}

static mp_err one_dash(const mp_cli *cli, const char *word)
{
    const char *names[MAX_NAMES];
    if (strcmp(word, "-v") == 0 || strcmp(word, "-V") == 0)
        return mp_fail(MP_ERR_USAGE, "%s: no such option; midpool --version says which version this is", word);
    list_names(cli, names);
    const char *near = mp_nearest(word + 1, names);
    if (!near)
        return mp_fail(MP_ERR_USAGE, "%s: options begin with two dashes (midpool %s --help lists them)", word,
                       cli->name);
    return mp_fail(MP_ERR_USAGE, "%s: options begin with two dashes; did you mean '--%s'?", word, near);
}

static mp_err read_line(reader *r, int argc, char **argv)
{
    bool options = true;
    for (int i = 1; i < argc; i++) {
        const char *word = argv[i];
        if (options && strcmp(word, "--") == 0) {
            options = false;
        } else if (options && (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0)) {
            r->help = true;
        } else if (options && strcmp(word, "--help-all") == 0) {
            r->help = r->help_all = true;
        } else if (options && strncmp(word, "--", 2) == 0) {
            MP_TRY(read_option(r, argc, argv, &i));
        } else if (options && word[0] == '-' && word[1] != '\0') {
            return one_dash(r->cli, word);
        } else {
            r->operand[r->operands++] = word;
        }
    }
    return MP_OK;
}

/* The value of an option on the line; the last one given counts. */
static const char *last_given(const reader *r, const char *name)
{
    const char *value = NULL;
    for (int i = 0; i < r->settings; i++)
        if (strcmp(r->setting[i].name, name) == 0) value = r->setting[i].value;
    return value;
}

/* The file of --config. */
static mp_err read_file(reader *r)
{
    const char *path = last_given(r, "config");
    if (!path) return MP_OK;
    mp_yaml y;
    MP_TRY(mp_yaml_load(path, r->arena, &y));
    for (int i = 0; i < y.count; i++) {
        const mp_yaml_entry *e = &y.entry[i];
        const char *where = mp_arena_printf(r->arena, "%s:%d: %s", path, e->line, e->key);
        found f;
        if (!find(r->cli, e->key, &f) || f.config) return mp_cli_unknown(r->cli, e->key, where, "");
        if (e->list || e->part)
            return mp_fail(MP_ERR_USAGE, "%s: expected one value, not a list%s", where, e->part ? " or a range" : "");
        collect(r, e->key, e->value[0], where, false);
    }
    return MP_OK;
}

/* ---- setting values ---- */

static void set_defaults(const mp_cli *cli, void *conf)
{
    memset(conf, 0, cli->size);
    for (const mp_cli_group *g = cli->groups; g && g->title; g++) mp_conf_defaults(g->table, (char *)conf + g->offset);
    for (const mp_cli_text *t = cli->texts; t && t->name; t++)
        memcpy((char *)conf + t->offset, &t->initial, sizeof t->initial);
}

mp_err mp_cli_set_preset(const mp_cli *cli, void *conf, const char *settings)
{
    for (const mp_cli_group *g = cli->groups; g && g->title; g++)
        if (g->table == mp_config_table)
            return mp_conf_set_all(mp_config_table, (char *)conf + g->offset, settings, "preset");
    return MP_OK;
}

static mp_err mid_wanted(const mp_cli_setting *s, bool *out)
{
    int on = 0;
    const mp_opt table[] = { { "mid", MP_OPT_FLAG, 0, "false", 0, 1, NULL, "" }, { .name = NULL } };
    MP_TRY(mp_conf_set(table, &on, s->name, s->value, s->where));
    *out = on;
    return MP_OK;
}

static mp_err set_source(const mp_cli *cli, const mp_cli_args *args, bool on_line, void *conf)
{
    bool mid = false;
    for (int i = 0; i < args->settings; i++) {
        const mp_cli_setting *s = &args->setting[i];
        found f;
        if (s->on_line == on_line && find(cli, s->name, &f) && f.mid) MP_TRY(mid_wanted(s, &mid));
    }
    if (mid) MP_TRY(mp_cli_set_preset(cli, conf, mp_preset_find("mid")->settings));
    for (int i = 0; i < args->settings; i++) {
        const mp_cli_setting *s = &args->setting[i];
        if (s->on_line == on_line) MP_TRY(mp_cli_set(cli, conf, s->name, s->value, s->where));
    }
    return MP_OK;
}

mp_err mp_cli_apply(const mp_cli *cli, const mp_cli_args *args, const char *const *presets, void *conf)
{
    set_defaults(cli, conf);
    for (; presets && *presets; presets++) MP_TRY(mp_cli_set_preset(cli, conf, *presets));
    MP_TRY(set_source(cli, args, false, conf));
    return set_source(cli, args, true, conf);
}

static bool holds(const mp_cli *cli, const void *conf, const mp_need *need, mp_arena *a, const mp_opt **row)
{
    char value[80];
    found f;
    bool known = find(cli, mp_arena_text(a, need->option.p, need->option.n), &f) && f.row;
    mp_assert(known);
    *row = f.row;
    mp_conf_get(f.row, (const char *)conf + f.offset, value, sizeof value);
    return (strlen(value) == need->value.n && memcmp(value, need->value.p, need->value.n) == 0) != need->differs;
}

mp_err mp_cli_needed(const mp_cli *cli, const void *conf, const char *name, const char *where)
{
    found f;
    if (!find(cli, name, &f) || !f.row || !f.row->needs) return MP_OK;
    mp_arena *a = mp_arena_new(256);
    mp_span needs = mp_span_of(f.row->needs);
    mp_need need;
    const mp_opt *row;
    mp_buf why = MP_BUF_LOCAL;
    while (why.n == 0 && mp_next_need(&needs, &need))
        if (!holds(cli, conf, &need, a, &row)) mp_need_put(&need, row, &why);
    mp_err e = why.n ? mp_fail(MP_ERR_USAGE, "%s: not used unless %s", where, why.p) : MP_OK;
    mp_buf_free(&why);
    mp_arena_free(a);
    return e;
}

mp_err mp_cli_all_needed(const mp_cli *cli, const void *conf, const mp_cli_args *args)
{
    for (int i = 0; i < args->settings; i++)
        MP_TRY(mp_cli_needed(cli, conf, args->setting[i].name, args->setting[i].where));
    return MP_OK;
}

bool mp_cli_given(const mp_cli_args *args, const char *name)
{
    for (int i = 0; i < args->settings; i++)
        if (strcmp(args->setting[i].name, name) == 0) return true;
    return false;
}

/* ---- the whole ---- */

static const char *typed(mp_arena *a, int argc, char **argv)
{
    const char *line = "midpool";
    for (int i = 0; i < argc; i++) {
        bool quote = argv[i][0] == '\0' || strpbrk(argv[i], " \t\n\"'$&;|<>()*?#\\") != NULL;
        line = mp_arena_printf(a, quote ? "%s '%s'" : "%s %s", line, argv[i]);
    }
    return line;
}

static mp_err count_operands(const mp_cli *cli, const reader *r)
{
    if (r->operands < cli->least)
        return mp_fail(MP_ERR_USAGE, "expected: midpool %s %s (midpool %s --help says more)", cli->name, cli->operands,
                       cli->name);
    if (r->operands > cli->most)
        return mp_fail(MP_ERR_USAGE, "'%s': one word too many; expected: midpool %s%s%s", r->operand[cli->most],
                       cli->name, *cli->operands ? " " : "", cli->operands);
    for (int i = 0; i < r->operands; i++)
        if (r->operand[i][0] == '\0')
            return mp_fail(MP_ERR_USAGE, "word %d is empty; expected: midpool %s %s", i + 1, cli->name, cli->operands);
    return MP_OK;
}

static mp_err read_all(const mp_cli *cli, int argc, char **argv, void *conf, reader *r, mp_cli_args *out)
{
    r->operand = MP_NEW(r->arena, const char *, argc + 1);
    MP_TRY(read_line(r, argc, argv));
    if (r->help) return MP_OK;
    MP_TRY(count_operands(cli, r));
    MP_TRY(read_file(r));
    *out = (mp_cli_args){ r->arena, r->operands, r->operand, r->settings, r->setting, typed(r->arena, argc, argv) };
    return mp_cli_apply(cli, out, NULL, conf);
}

mp_err mp_cli_read(const mp_cli *cli, int argc, char **argv, mp_arena *a, void *conf, mp_cli_args *out)
{
    reader r = { .cli = cli, .arena = a };
    return read_all(cli, argc, argv, conf, &r, out);
}

int mp_cli_fail(mp_err e)
{
    if (e == MP_OK) return 0;
    mp_cli_say("midpool: %s", mp_message());
    return e == MP_ERR_USAGE ? 2 : 1;
}

static int run_line(const mp_cli *cli, int argc, char **argv)
{
    mp_arena *a = mp_arena_new(65536);
    void *conf = mp_arena_zero(a, 1, cli->size + 1);
    reader r = { .cli = cli, .arena = a };
    mp_cli_args args = { .arena = a };
    mp_err e = read_all(cli, argc, argv, conf, &r, &args);
    if (r.help && e == MP_OK)
        e = mp_help_print(cli, last_given(&r, "pool"), r.help_all);
    else if (e == MP_OK)
        e = cli->run(conf, &args);
    if (e == MP_OK) e = mp_cli_print(NULL, 0);
    int code = mp_cli_fail(e);
    if (e != MP_OK && mp_halt_signal()) code = 128 + mp_halt_signal(); /* as a shell says of a program that it ended */
    mp_arena_free(a);
    return code;
}

int mp_cli_main(const mp_cli *cli, int argc, char **argv)
{
    found f;
    mp_err e;
    int code;
    if (!find(cli, "workers", &f)) return run_line(cli, argc, argv);
    if (mp_workers_join(argc, argv, &e, &code)) return code;
    code = e == MP_OK ? run_line(cli, argc, argv) : mp_cli_fail(e);
    mp_workers_leave(code);
    return code;
}

/* ---- small things commands share ---- */

const char *const *mp_cli_split(const char *list, mp_arena *a, int *n)
{
    mp_span rest = mp_span_of(list), field;
    const char **out = MP_NEW(a, const char *, strlen(list) + 2);
    *n = 0;
    while (mp_next_field(&rest, ',', &field))
        if (field.n) out[(*n)++] = mp_arena_text(a, field.p, field.n);
    return out;
}

void mp_cli_vsay(const char *fmt, va_list ap)
{
    char text[2048];
    mp_vformat(text, sizeof text, fmt, ap);
    mp_clean(text, strlen(text), false);
    fprintf(stderr, "%s\n", text);
}

void mp_cli_say(const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    mp_cli_vsay(fmt, ap);
    va_end(ap);
}

static mp_err put_out(const char *bytes, size_t n)
{
    errno = 0;
    if (n) fwrite(bytes, 1, n, stdout);
    if (fflush(stdout) == 0 && !ferror(stdout)) return MP_OK;
    if (errno == 0) return mp_fail(MP_ERR_IO, "cannot write to standard output"); /* an earlier piece of it was lost */
    return mp_fail(MP_ERR_IO, "cannot write to standard output: %s", strerror(errno));
}

mp_err mp_cli_print(const char *text, size_t n)
{
    mp_buf safe = { 0 };
    mp_buf_add(&safe, text, n);
    mp_clean(safe.p, safe.n, true);
    mp_err e = put_out(safe.p, safe.n);
    mp_buf_free(&safe);
    return e;
}

mp_err mp_cli_pass(const char *bytes, size_t n)
{
    return isatty(STDOUT_FILENO) ? mp_cli_print(bytes, n) : put_out(bytes, n);
}
