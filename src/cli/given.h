/* given.h - options that the user gave by name, and whether a model of the command has a use for them.
 *
 * With several models an option is fine when one of them uses it; the others train as if it had not been given. An
 * option that none uses is an error: it would promise something that does not happen.
 * SPDX-License-Identifier: MIT */
#ifndef MP_GIVEN_H
#define MP_GIVEN_H

#include "task/task.h"
#include "cli/cli.h"
#include "conf/config.h"

typedef struct mp_wish {
    const char *option, *where; /* as the model has it; as the user gave it: "--mid", "grid.yaml:3: alpha" */
    bool met;
    const mp_config *why; /* a model that does not use it; NULL: none was asked yet */
    bool almost;          /* that model would, in another configuration */
} mp_wish;

typedef struct mp_given {
    mp_arena *arena;
    mp_wish *wish;
    int count, room;
    const char *methods; /* that were asked: "sag, topk" */
} mp_given;

/* All options of models on the command line and in the --config file. */
mp_given mp_given_by(const mp_cli_args *args);
/* One more; what is no option of a model is left out. */
void mp_given_add(mp_given *g, const char *name, const char *value, const char *where);

/* Asks a model, configured like this, which of the options it uses. */
void mp_given_ask(mp_given *g, const mp_config *c);
/* Fails when no model that was asked uses one of the options. */
MP_MUST mp_err mp_given_check(const mp_given *g);

/* For commands with one model: checks the configuration, fails on options it does not use, and puts what presets set in
 * vain back to its default. */
MP_MUST mp_err mp_given_settle(const mp_cli_args *args, const mp_task *task, mp_config *c);

#endif
