/* help.c - see help.h.
 * SPDX-License-Identifier: MIT */
#include "cli/help.h"
#include "baseline/baseline.h"
#include "model/model.h"
#include "model/options.h"

#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define COLUMN 26  /* where meanings begin */
#define WIDEST 100 /* columns, whatever the terminal has */
#define LEAST  50

/* ---- lines ---- */

static int line_width(void)
{
    struct winsize w;
    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &w) != 0 || w.ws_col == 0) return WIDEST;
    return w.ws_col > WIDEST ? WIDEST : w.ws_col < LEAST ? LEAST : w.ws_col;
}

/* Bytes up to the next place where a line may end; "[0.5; 0 to 1]" stays together. */
static size_t piece(const char *text)
{
    size_t n = strcspn(text, " |\n"), bracket = strcspn(text, "|]\n");
    if (text[0] == '[' && text[bracket] == ']') return bracket + 1;
    return n + (text[n] == '|');
}

static bool breaks_paragraph(const char *line_end)
{
    return line_end[1] == '\n' || (line_end[1] == ' ' && line_end[2] == ' ');
}

/* The lines that stay as they are, and the empty ones; returns where the flowing text goes on. */
static const char *put_kept(const char *text, int indent, mp_buf *out)
{
    while (*text == '\n' && breaks_paragraph(text)) {
        size_t n = strcspn(++text, "\n");
        mp_buf_printf(out, "\n%*s%.*s", n ? indent : 0, "", (int)n, text);
        text += n;
    }
    if (*text) mp_buf_printf(out, "\n%*s", indent, "");
    return *text ? text + 1 : text;
}

void mp_help_wrap(const char *text, int at, int indent, int width, mp_buf *out)
{
    while (*text) {
        if (*text == '\n' && breaks_paragraph(text)) {
            text = put_kept(text, indent, out);
            at = indent;
            continue;
        }
        bool space = *text == ' ' || *text == '\n';
        text += space;
        size_t n = piece(text);
        if (at > indent && at + (int)n + space > width) {
            mp_buf_printf(out, "\n%*s", indent, "");
            at = indent;
            space = false;
        }
        mp_buf_printf(out, "%s%.*s", space ? " " : "", (int)n, text);
        at += (int)n + space;
        text += n;
    }
    mp_buf_puts(out, "\n");
}

/* ---- options ---- */

typedef struct page {
    const mp_cli *cli;
    const char *pools; /* as they were named; NULL: they were not */
    const char *const *methods;
    mp_shown_list options;
    mp_arena *a;
    int width;
    bool all;
    mp_buf out;
} page;

static void put_option(page *p, const mp_shown *o)
{
    bool flag = o->row && o->row->kind == MP_OPT_FLAG;
    const char *left =
        mp_arena_printf(p->a, "  --%s%s%s%s", flag ? "[no-]" : "", o->name, *o->value ? " " : "", o->value);
    int n = (int)strlen(left);
    mp_buf_puts(&p->out, left);
    if (n + 1 < COLUMN)
        mp_buf_printf(&p->out, "%*s", COLUMN - n, "");
    else
        mp_buf_printf(&p->out, "\n%*s", COLUMN, "");
    mp_help_wrap(mp_shown_meaning(o, p->methods, p->a), COLUMN, COLUMN, p->width, &p->out);
}

static bool explained(const page *p, const mp_shown *o)
{
    return p->all || o->common || o->own;
}

static bool same_heading(const mp_shown *a, const mp_shown *b)
{
    return strcmp(a->group, b->group) == 0;
}

/* What a method's row sets when nobody says otherwise. */
static void put_settings(page *p)
{
    for (const char *const *m = p->methods; m && *m; m++)
        for (const mp_method_preset *s = mp_config_presets(*m); s && s->name; s++)
            if (s->always && *s->settings)
                mp_help_wrap(mp_arena_printf(p->a, "%s%s%s has, where nothing else is given: %s", *m,
                                             s->data ? " on " : "", s->data ? s->data : "", s->settings),
                             0, 2, p->width, &p->out);
}

static void put_explained(page *p)
{
    const char *heading = "";
    for (int i = 0; i < p->options.count; i++) {
        const mp_shown *o = &p->options.at[i];
        if (!explained(p, o)) continue;
        if (strcmp(o->group, heading) != 0) mp_buf_printf(&p->out, "\n%s:\n", o->group);
        heading = o->group;
        put_option(p, o);
    }
}

/* Methods that look at an option (NULL: all), "topk, sag". */
static const char *methods_with(const char *option, bool *every, mp_arena *a)
{
    const char *list = "";
    *every = true;
    for (int i = 0; mp_method_at(i); i++) {
        bool uses = !option || mp_method_uses(mp_method_at(i), option);
        if (uses) list = mp_arena_printf(a, "%s%s%s", list, *list ? ", " : "", mp_method_at(i));
        *every = *every && uses;
    }
    return list;
}

static bool names_methods(const page *p)
{
    for (int i = 0; i < p->options.count; i++)
        if (p->options.at[i].model && strcmp(p->options.at[i].name, "pool") == 0) return true;
    return false;
}

/* A line for each heading with the names of its options that are not explained. */
static void put_named(page *p)
{
    bool any = false;
    for (int i = 0; i < p->options.count;) {
        const mp_shown *first = &p->options.at[i];
        const char *line = mp_arena_printf(p->a, "  %s:", first->group);
        bool here = false;
        for (; i < p->options.count && same_heading(&p->options.at[i], first); i++) {
            if (explained(p, &p->options.at[i])) continue;
            line = mp_arena_printf(p->a, "%s --%s", line, p->options.at[i].name);
            here = true;
        }
        if (!here) continue;
        if (!any)
            mp_buf_printf(&p->out, "\nmore, which midpool %s%s%s --help-all explains:\n", p->cli->name,
                          p->pools ? " --pool " : "", p->pools ? p->pools : "");
        any = true;
        mp_help_wrap(line, 0, 4, p->width, &p->out);
    }
    bool every;
    if (any && names_methods(p) && !p->methods)
        mp_help_wrap(mp_arena_printf(p->a, "midpool %s --pool METHOD --help explains those that a method has: %s",
                                     p->cli->name, methods_with(NULL, &every, p->a)),
                     0, 2, p->width, &p->out);
}

static void put_examples(page *p)
{
    if (!p->cli->examples) return;
    mp_span rest = mp_span_of(p->cli->examples), line;
    mp_buf_puts(&p->out, "\n");
    while (mp_next_line(&rest, &line)) mp_buf_printf(&p->out, "  %.*s\n", (int)line.n, line.p);
}

mp_err mp_help_print(const mp_cli *cli, const char *pools, bool all)
{
    mp_arena *a = mp_arena_new(65536);
    page p = { .cli = cli, .pools = pools, .a = a, .width = line_width(), .all = all };
    mp_err e = pools ? mp_shown_methods(pools, a, &p.methods) : MP_OK;
    if (e == MP_OK) {
        p.options = mp_shown_options(cli, p.methods, a);
        mp_buf_printf(&p.out, "midpool %s%s%s\n\n", cli->name, *cli->operands ? " " : "", cli->operands);
        mp_help_wrap(cli->summary, 0, 0, p.width, &p.out);
        put_settings(&p);
        put_examples(&p);
        put_explained(&p);
        put_named(&p);
        if (cli->more) mp_buf_puts(&p.out, "\n");
        if (cli->more) mp_help_wrap(cli->more, 0, 0, p.width, &p.out);
        e = mp_cli_print(p.out.p, p.out.n);
    }
    mp_buf_free(&p.out);
    mp_arena_free(a);
    return e;
}

/* ---- one option ---- */

void mp_help_option(const mp_shown *o, const char *commands, mp_arena *a, mp_buf *out)
{
    page p = { .a = a, .width = line_width() };
    if (out->n) mp_buf_puts(out, "\n");
    put_option(&p, o);
    bool every = true;
    const char *methods = o->model ? methods_with(strcmp(o->name, "mid") == 0 ? "score-dim" : o->name, &every, a) : "";
    if (!every) mp_help_wrap(mp_arena_printf(a, "methods: %s", methods), 0, 2, p.width, &p.out);
    mp_help_wrap(mp_arena_printf(a, "commands: %s", commands), 0, 2, p.width, &p.out);
    mp_buf_add(out, p.out.p, p.out.n);
    mp_buf_free(&p.out);
}
