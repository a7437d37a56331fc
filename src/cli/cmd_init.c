/* cmd_init.c - midpool init: a commented configuration to start from, made from the tables of options.
 *
 *     # share of nodes kept by each pooling, ceil(ratio n) [0.5; 1e-06 to 1]
 *     #ratio: 0.5
 *
 * Lines that begin with # and no space show what holds anyway: taken into use as they are, they change nothing.
 * SPDX-License-Identifier: MIT */
#include "cli/cli.h"
#include "cli/commands.h"
#include "cli/help.h"
#include "conf/config.h"
#include "model/model.h"
#include "model/options.h"
#include "train/preset.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#define WIDTH 98

typedef struct conf {
    const char *pool;
    int sweep, all;
} conf;

static const char sweep_text[] =
#include "sweep_yaml.h"
    ;

static void put_comment(const char *text, mp_buf *out)
{
    mp_buf lines = { 0 };
    mp_help_wrap(text, 0, 0, WIDTH, &lines);
    mp_span rest = { lines.p, lines.n }, line;
    while (mp_next_line(&rest, &line)) mp_buf_printf(out, "# %.*s\n", (int)line.n, line.p);
    mp_buf_free(&lines);
}

/* What a method has when nobody says otherwise, and --mid where it has that. */
static mp_err usual(const char *pool, mp_config *c)
{
    mp_config_init(c);
    MP_TRY(mp_conf_set(mp_config_table, c, "pool", pool, "--pool"));
    for (const mp_method_preset *p = mp_config_presets(pool); p && p->name; p++)
        if (p->always && !p->data) MP_TRY(mp_conf_set_all(mp_config_table, c, p->settings, pool));
    if (!mp_method_uses(pool, "score-dim")) return MP_OK;
    return mp_conf_set_all(mp_config_table, c, mp_preset_find("mid")->settings, "--mid");
}

/* An option and its value. What is said aloud is what everybody sets first. */
static void put_option(const mp_shown *o, const char *const *methods, const mp_config *c, mp_arena *a, mp_buf *out)
{
    static const char *const aloud[] = { "pool", "mid", "seed" };
    char value[80] = "true";
    bool said = false;
    for (int i = 0; i < 3; i++) said = said || strcmp(o->name, aloud[i]) == 0;
    if (o->row) mp_conf_get(o->row, c, value, sizeof value);
    put_comment(mp_shown_meaning(o, methods, a), out);
    mp_buf_printf(out, "%s%s: %s\n", said ? "" : "#", o->name, value);
}

static mp_err put_config(const conf *k, const char *path, mp_arena *a, mp_buf *out)
{
    const char *const *methods, *heading = "";
    mp_config c;
    MP_TRY(mp_shown_methods(k->pool, a, &methods));
    if (!methods[0] || methods[1]) return mp_fail(MP_ERR_USAGE, "--pool: expected the name of one method");
    MP_TRY(usual(methods[0], &c));
    mp_buf_printf(out,
                  "# A configuration of midpool. The command line wins over it:\n"
                  "#\n"
                  "#     midpool train MUTAG --config %s\n"
                  "#     midpool cv MUTAG --config %s --seeds 3\n"
                  "#\n"
                  "# A key is any option of midpool train --help-all. Lines without a space behind # show what holds\n"
                  "# anyway; take the # away and change the value. Options that %s has no use for are refused.\n",
                  path, path, methods[0]);
    mp_shown_list l = mp_shown_options(&mp_cmd_train, methods, a);
    for (int i = 0; i < l.count; i++) {
        const mp_shown *o = &l.at[i];
        if (!o->model || !(o->common || o->own || k->all)) continue;
        if (strcmp(o->group, heading) != 0) mp_buf_printf(out, "\n# ---- %s ----\n", o->group);
        heading = o->group;
        put_option(o, methods, &c, a, out);
    }
    return MP_OK;
}

/* A file that is there stays as it is. */
static mp_err write_new(const char *path, const mp_buf *b)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL, 0666);
    if (fd < 0 && errno == EEXIST) return mp_fail(MP_ERR_USAGE, "%s: is there already, and stays as it is", path);
    if (fd < 0) return mp_fail(MP_ERR_IO, "%s: cannot be written: %s", path, strerror(errno));
    close(fd);
    mp_err e = mp_write_file(path, b->p, b->n);
    if (e != MP_OK) unlink(path);
    return e;
}

static mp_err put_out(const char *path, const conf *k, const mp_buf *b)
{
    if (strcmp(path, "-") == 0) return mp_cli_print(b->p, b->n);
    MP_TRY(write_new(path, b));
    if (k->sweep)
        mp_cli_say("%s written; midpool sweep %s --dry-run says what it would run", path, path);
    else
        mp_cli_say("%s written; midpool train DATASET --config %s uses it", path, path);
    return MP_OK;
}

static mp_err run(void *data, const mp_cli_args *args)
{
    const conf *k = data;
    const char *path = args->operands ? args->operand[0] : k->sweep ? "sweep.yaml" : "midpool.yaml";
    if (k->sweep && (k->all || mp_cli_given(args, "pool")))
        return mp_fail(MP_ERR_USAGE, "%s: is for a configuration of one method, without --sweep",
                       k->all ? "--all" : "--pool");
    mp_buf b = { 0 };
    mp_err e = MP_OK;
    if (k->sweep)
        mp_buf_puts(&b, sweep_text);
    else
        e = put_config(k, strcmp(path, "-") == 0 ? "midpool.yaml" : path, args->arena, &b);
    if (e == MP_OK) e = put_out(path, k, &b);
    mp_buf_free(&b);
    return e;
}

/* clang-format off */
static const mp_opt own[] = {
    { "sweep", MP_OPT_FLAG, offsetof(conf, sweep), "false", 0, 1, NULL, "a file for midpool sweep: lists, among whose values validation chooses" },
    { "all", MP_OPT_FLAG, offsetof(conf, all), "false", 0, 1, NULL, "every option that the method takes, not only those that matter" },
    { .name = NULL },
};
static const mp_cli_text texts[] = {
    { "pool", offsetof(conf, pool), "sag", "NAME", "the method (midpool ops lists them)" },
    { .name = NULL },
};
/* clang-format on */
static const mp_cli_group groups[] = { { "options", own, 0 }, { .title = NULL } };
const mp_cli mp_cmd_init = {
    .name = "init",
    .operands = "[FILE]",
    .summary = "Writes a commented configuration for train and cv --config, or for sweep, that runs as it is.",
    .examples = "midpool init mine.yaml --pool topk\n"
                "midpool init --sweep",
    .more = "FILE is midpool.yaml, or sweep.yaml, unless given; - is standard output. A file that is there is never "
            "written over. examples/ has more of them.",
    .most = 1,
    .size = sizeof(conf),
    .groups = groups,
    .texts = texts,
    .run = run,
};
