/* shown.h - the options of a command as help, manual pages, completion and configuration files show them: under headings, with
 * what stands for their values.
 * SPDX-License-Identifier: MIT */
#ifndef MP_SHOWN_H
#define MP_SHOWN_H

#include "cli/cli.h"

typedef struct mp_shown {
    const char *name;
    const char *value;   /* stands for its value: N, FILE; "": it needs none */
    const char *help;    /* its meaning */
    const char *initial; /* its default as text; NULL: none */
    const char *group;   /* the heading it stands under */
    const mp_opt *row;   /* NULL: any text, or --mid */
    bool model;          /* it is an option of models */
    bool common;         /* --help explains it */
    bool own;            /* of a method that was named */
} mp_shown;

typedef struct mp_shown_list {
    int count;
    const mp_shown *at; /* those of a heading follow each other */
} mp_shown_list;

/* The methods of --pool, "sag,topk", in their usual spelling; NULL-ended. Unknown: the nearest is named. */
MP_MUST mp_err mp_shown_methods(const char *pools, mp_arena *a, const char *const **out);

/* All options of a command. `methods` (NULL: nothing is known of them) leaves out what none of them looks at, and puts what belongs
 * to them alone under their titles. */
mp_shown_list mp_shown_options(const mp_cli *cli, const char *const *methods, mp_arena *a);

/* The meaning, with default and range or choices, and, of a named method's option, what it needs: "... [0.5; 0 to 1]". */
const char *mp_shown_meaning(const mp_shown *o, const char *const *methods, mp_arena *a);

#endif
