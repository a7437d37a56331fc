/* help.c - what --help prints: every option with its meaning, default, range or choices, taken from the
 * tables.
 * SPDX-License-Identifier: MIT */
#include "cli/cli.h"
#include "train/preset.h"

#include <stdio.h>
#include <string.h>

#define COLUMN 26

static void put_left(const char *name, const char *value)
{
    int n = printf("  --%s%s%s", name, *value ? " " : "", value);
    if (n < COLUMN)
        printf("%*s", COLUMN - n, "");
    else
        printf("\n%*s", COLUMN, "");
}

static void put_opt(const mp_opt *o)
{
    static const char *const value[] = { [MP_OPT_INT] = "N",       [MP_OPT_REAL] = "X",    [MP_OPT_FLAG] = "",
                                         [MP_OPT_CHOICE] = "WORD", [MP_OPT_TEXT] = "NAME", [MP_OPT_LIST] = "N,N..." };
    char name[96], range[64];
    snprintf(name, sizeof name, "%s%s", o->kind == MP_OPT_FLAG ? "[no-]" : "", o->name);
    put_left(name, value[o->kind]);
    printf("%s", o->help);
    switch (o->kind) {
    case MP_OPT_INT:
    case MP_OPT_REAL:
    case MP_OPT_LIST:
        mp_format(range, sizeof range, "%.10g to %.10g", o->lo, o->hi);
        printf(" [%s; %s]\n", o->initial, range);
        break;
    case MP_OPT_FLAG:
        printf(" [%s]\n", strcmp(o->initial, "true") == 0 ? "on" : "off");
        break;
    case MP_OPT_CHOICE:
        printf(" [%s; %s]\n", o->initial, o->choices);
        break;
    case MP_OPT_TEXT:
        printf("%s%s%s\n", *o->initial ? " [" : "", o->initial, *o->initial ? "]" : "");
        break;
    }
}

void mp_cli_help(const mp_cli *cli)
{
    printf("midpool %s %s\n\n%s\n", cli->name, cli->operands, cli->summary);
    bool first = true;
    for (const mp_cli_group *g = cli->groups; g && g->title; g++) {
        printf("\n%s:\n", g->title);
        for (const mp_cli_text *t = cli->texts; first && t && t->name; t++) {
            put_left(t->name, t->what);
            printf("%s%s%s%s\n", t->help, t->initial ? " [" : "", t->initial ? t->initial : "", t->initial ? "]" : "");
        }
        for (const mp_opt *o = g->table; o->name; o++)
            if (!mp_cli_text_find(cli, o->name)) put_opt(o);
        if (first && cli->has_model) {
            put_left("mid", "");
            printf("%s; options given by name win\n", mp_preset_find("mid")->about);
            put_left("config", "FILE");
            printf("YAML file of options, 'name: value'; the command line wins\n");
        }
        first = false;
    }
    if (cli->more) printf("\n%s\n", cli->more);
}
