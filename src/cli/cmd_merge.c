/* cmd_merge.c - midpool merge OUT IN...: joins stores.
 * SPDX-License-Identifier: MIT */
#include "cli/cli.h"
#include "cli/commands.h"
#include "cli/setup.h"
#include "store/merge.h"

#include <limits.h>

typedef struct conf {
    int unused;
} conf;

static const mp_cli_group groups[] = { { 0 } };

static void add(mp_merge_count *sum, const mp_merge_count *c)
{
    sum->added += c->added;
    sum->known += c->known;
    sum->failed += c->failed;
    sum->studies += c->studies;
    sum->measures += c->measures;
}

static mp_err join(mp_merge *m, const mp_cli_args *args, mp_merge_count *sum)
{
    char line[1024];
    for (int i = 1; i < args->operands; i++) {
        mp_merge_count c;
        MP_TRY(mp_merge_add(m, args->operand[i], &c));
        if (mp_merge_left_out(m, line, sizeof line)) mp_cli_say("midpool: %s", line);
        add(sum, &c);
    }
    return MP_OK;
}

/* Before OUT is made. */
static mp_err check_inputs(const mp_cli_args *args)
{
    mp_store *s;
    for (int i = 1; i < args->operands; i++) {
        MP_TRY(mp_store_open(args->operand[i], MP_STORE_READ, &s));
        mp_store_close(s);
    }
    return MP_OK;
}

static mp_err run(void *data, const mp_cli_args *args)
{
    mp_merge *m;
    mp_merge_count sum = { 0 };
    int stores = args->operands - 1;
    (void)data;
    MP_TRY(mp_setup_writable(args->operand[0]));
    MP_TRY(check_inputs(args));
    MP_TRY(mp_merge_begin(args->operand[0], &m));
    mp_err e = join(m, args, &sum);
    mp_merge_end(m);
    MP_TRY(e);
    mp_buf b = { 0 };
    mp_buf_printf(
        &b, "%d store%s into %s: %d runs added, %d were there, %d failed; %d studies, %d measurements added\n", stores,
        mp_plural(stores), args->operand[0], sum.added, sum.known, sum.failed, sum.studies, sum.measures);
    e = mp_cli_print(b.p, b.n);
    mp_buf_free(&b);
    return e;
}

const mp_cli mp_cmd_merge = {
    .name = "merge",
    .operands = "OUT IN...",
    .summary = "Joins stores: runs with their curves and metrics, studies, measurements; files and PostgreSQL in any "
               "direction.",
    .examples = "midpool merge all.db part1.db part2.db",
    .more =
        "Each input is joined whole or not at all; joining it again changes nothing. Refused: other data under the "
        "same\n"
        "name, versions with other results, and runs whose numbers differ. A finished run replaces one that failed.",
    .least = 2,
    .most = INT_MAX,
    .size = sizeof(conf),
    .groups = groups,
    .run = run,
};
