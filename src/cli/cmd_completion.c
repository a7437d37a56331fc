/* cmd_completion.c - midpool completion: the script that makes a shell ask the program for completions.
 * SPDX-License-Identifier: MIT */
#include "cli/cli.h"
#include "cli/commands.h"

#include <string.h>

static const struct {
    const char *name, *script;
} shells[] = {
    {
        "bash",
#include "complete_bash.h"
    },
    {
        "zsh",
#include "complete_zsh.h"
    },
    {
        "fish",
#include "complete_fish.h"
    },
};
enum { SHELLS = sizeof shells / sizeof *shells };

static mp_err run(void *conf, const mp_cli_args *args)
{
    (void)conf;
    for (int i = 0; i < SHELLS; i++)
        if (strcmp(args->operand[0], shells[i].name) == 0)
            return mp_cli_print(shells[i].script, strlen(shells[i].script));
    return mp_fail(MP_ERR_USAGE, "'%s': expected bash, zsh or fish", args->operand[0]);
}

const mp_cli mp_cmd_completion = {
    .name = "completion",
    .operands = "SHELL",
    .summary = "The script with which bash, zsh or fish completes commands, options, their words, data sets and files.",
    .examples = "midpool completion bash > ~/.local/share/bash-completion/completions/midpool\n"
                "midpool completion fish > ~/.config/fish/completions/midpool.fish",
    .more =
        "make install puts the scripts where shells look for them. They ask the program itself, so what is offered is "
        "what it takes: behind --pool sag, the options of SAGPool.",
    .least = 1,
    .most = 1,
    .run = run,
};
