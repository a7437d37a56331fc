/* cmd_man.c - midpool man: the manual page of a command in mdoc(7), made from the tables of its options.
 * SPDX-License-Identifier: MIT */
#include "cli/cli.h"
#include "cli/commands.h"
#include "cli/shown.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#define DATE "November 16, 2026"

typedef struct conf {
    const char *out;
} conf;

/* ---- mdoc ---- */

/* One line: a backslash, and a dot or quote at its beginning, would be read as requests; dashes of options stay dashes. */
static void put_line(mp_buf *b, const char *text, size_t n)
{
    if (n && (text[0] == '.' || text[0] == '\'')) mp_buf_puts(b, "\\&");
    for (size_t i = 0; i < n; i++) {
        bool dash = text[i] == '-' && ((i + 1 < n && text[i + 1] == '-') || (i && text[i - 1] == '-'));
        if (text[i] == '\\')
            mp_buf_puts(b, "\\e");
        else if (dash)
            mp_buf_puts(b, "\\-");
        else
            mp_buf_add(b, text + i, 1);
    }
    mp_buf_puts(b, "\n");
}

/* Sentences have lines of their own, as mdoc wants them. */
static void put_sentences(mp_buf *b, mp_span text)
{
    size_t from = 0;
    for (size_t i = 0; i + 2 < text.n; i++) {
        if (!strchr(".!?", text.p[i]) || text.p[i + 1] != ' ') continue;
        put_line(b, text.p + from, i + 1 - from);
        from = i + 2;
    }
    put_line(b, text.p + from, text.n - from);
}

static void put_kept(mp_buf *b, mp_span lines)
{
    mp_span line;
    mp_buf_puts(b, ".Bd -literal -offset indent\n");
    while (mp_next_line(&lines, &line)) put_line(b, line.p, line.n);
    mp_buf_puts(b, ".Ed\n");
}

/* A text as help has it: an empty line parts paragraphs, lines that begin with two spaces stay as they are, others flow. */
static void put_text(mp_buf *b, const char *text)
{
    mp_span rest = mp_span_of(text), line;
    while (mp_next_line(&rest, &line)) {
        if (line.n == 0)
            mp_buf_puts(b, ".Pp\n");
        else if (line.n > 2 && line.p[0] == ' ' && line.p[1] == ' ')
            put_kept(b, (mp_span){ line.p + 2, line.n - 2 });
        else
            put_sentences(b, line);
    }
}

static void put_option(mp_buf *b, const mp_shown *o, mp_arena *a)
{
    bool flag = o->row && o->row->kind == MP_OPT_FLAG;
    mp_buf_printf(b, ".It Fl -%s", o->name);
    if (flag) mp_buf_printf(b, " , Fl -no-%s", o->name);
    if (*o->value) mp_buf_printf(b, " Ar %s", o->value);
    mp_buf_puts(b, "\n");
    put_text(b, mp_shown_meaning(o, NULL, a));
}

/* `models`: those of models too. */
static void put_options(mp_buf *b, const mp_cli *cli, bool models, mp_arena *a)
{
    mp_shown_list l = mp_shown_options(cli, NULL, a);
    const char *heading = NULL;
    for (int i = 0; i < l.count; i++) {
        const mp_shown *o = &l.at[i];
        if (o->model && !models) continue;
        if (!heading || strcmp(o->group, heading) != 0) {
            if (heading) mp_buf_puts(b, ".El\n");
            if (models && strcmp(o->group, "options") != 0) mp_buf_printf(b, ".Ss %s\n", o->group);
            mp_buf_puts(b, ".Bl -tag -width Ds\n");
        }
        heading = o->group;
        put_option(b, o, a);
    }
    if (heading) mp_buf_puts(b, ".El\n");
}

/* ---- a page ---- */

static void put_synopsis(mp_buf *b, const mp_cli *cli)
{
    mp_buf_printf(b, ".Nm midpool\n.Cm %s\n", cli->name);
    mp_span rest = mp_span_of(cli->operands), word;
    while (mp_next_field(&rest, ' ', &word))
        if (word.n) mp_buf_printf(b, ".Ar %.*s\n", (int)word.n, word.p);
    mp_buf_puts(b, ".Op Ar options\n");
}

static void put_synopses(mp_buf *b, const mp_command *c)
{
    if (c->cli) put_synopsis(b, c->cli);
    for (const mp_command *k = c->below; k && k->name; k++) put_synopses(b, k);
}

static void put_leaf(mp_buf *b, const mp_cli *cli, mp_arena *a)
{
    mp_buf_printf(b, ".Ss midpool %s %s\n", cli->name, cli->operands);
    put_text(b, cli->summary);
    if (cli->more) mp_buf_puts(b, ".Pp\n");
    if (cli->more) put_text(b, cli->more);
    put_options(b, cli, false, a);
    if (cli->has_model) mp_buf_puts(b, ".Pp\nOptions of models are those of\n.Xr midpool-train 1 .\n");
}

static void put_leaves(mp_buf *b, const mp_command *c, mp_arena *a)
{
    if (c->cli) put_leaf(b, c->cli, a);
    for (const mp_command *k = c->below; k && k->name; k++) put_leaves(b, k, a);
}

static void put_page(mp_buf *b, const mp_command *c, mp_arena *a)
{
    char title[32] = "";
    for (size_t i = 0; c->name[i] && i + 1 < sizeof title; i++) title[i] = (char)(c->name[i] - 'a' + 'A');
    mp_buf_printf(b, ".\\\" Made by midpool man from the tables of options. SPDX-License-Identifier: MIT\n");
    mp_buf_printf(b, ".Dd %s\n.Dt MIDPOOL-%s 1\n.Os midpool %s\n.Sh NAME\n.Nm midpool-%s\n.Nd %s\n.Sh SYNOPSIS\n", DATE,
                  title, MP_VERSION, c->name, c->summary);
    put_synopses(b, c);
    mp_buf_puts(b, ".Sh DESCRIPTION\n");
    if (c->cli) {
        put_text(b, c->cli->summary);
        if (c->cli->more) mp_buf_puts(b, ".Pp\n");
        if (c->cli->more) put_text(b, c->cli->more);
        mp_buf_puts(b, ".Sh OPTIONS\nIn brackets: the default, and what is allowed.\n");
        put_options(b, c->cli, true, a);
    } else {
        mp_buf_printf(b, "Commands about one thing: %s.\nIn brackets: the default of an option, and what is allowed.\n",
                      c->summary);
        put_leaves(b, c, a);
    }
    if (c->cli && c->cli->examples) mp_buf_puts(b, ".Sh EXAMPLES\n");
    if (c->cli && c->cli->examples) put_kept(b, mp_span_of(c->cli->examples));
    mp_buf_puts(b, ".Sh SEE ALSO\n.Xr midpool 1\n");
}

static mp_err write_all(const char *folder, mp_arena *a)
{
    if (mkdir(folder, 0777) != 0 && errno != EEXIST)
        return mp_fail(MP_ERR_IO, "%s: cannot be made: %s", folder, strerror(errno));
    for (const mp_command *c = mp_commands; c->name; c++) {
        mp_buf b = { 0 };
        put_page(&b, c, a);
        mp_err e = mp_write_file(mp_arena_printf(a, "%s/midpool-%s.1", folder, c->name), b.p, b.n);
        mp_buf_free(&b);
        MP_TRY(e);
    }
    return MP_OK;
}

static mp_err run(void *data, const mp_cli_args *args)
{
    const conf *k = data;
    if ((args->operands == 0) == (k->out == NULL))
        return mp_fail(MP_ERR_USAGE, "expected the name of a command, or --out DIR for the pages of all");
    if (k->out) return write_all(k->out, args->arena);
    const mp_command *c = mp_command_find(mp_commands, args->operand[0]);
    if (!c) return mp_fail(MP_ERR_USAGE, "no command '%s' (midpool --help lists them)", args->operand[0]);
    mp_buf b = { 0 };
    put_page(&b, c, args->arena);
    mp_err e = mp_cli_print(b.p, b.n);
    mp_buf_free(&b);
    return e;
}

static const mp_opt none[] = { { .name = NULL } };
static const mp_cli_text texts[] = {
    { "out", offsetof(conf, out), NULL, "DIR",
      "folder for the pages of all commands, midpool-COMMAND.1; made when missing" },
    { .name = NULL },
};
static const mp_cli_group groups[] = { { "options", none, 0 }, { .title = NULL } };
const mp_cli mp_cmd_man = {
    .name = "man",
    .operands = "[COMMAND]",
    .summary = "The manual page of a command, for man and mandoc.",
    .examples = "midpool man train | man -l -\n"
                "midpool man --out pages",
    .more = "make install installs the pages of all commands: man midpool-train.",
    .most = 1,
    .size = sizeof(conf),
    .groups = groups,
    .texts = texts,
    .run = run,
};
