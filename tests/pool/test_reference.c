/* test_reference.c - eight operators agree with the plain reference (reference.h) on 200 random graphs each,
 * plain and with MID; every option on some more; two poolings in a row.
 * SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "duel.h"
#include "sanitized.h"

#define BATCHES (SANITIZED ? 25 : 100) /* of two graphs */
#define MID     "score-dim=3 flip=true"

static void agrees(const char *op)
{
    duel_fight(op, "", 1, false, false, BATCHES);
    duel_fight(op, MID, 1, false, true, BATCHES);
    duel_fight(op, "ratio=0.3", 1, true, false, BATCHES / 5);
    duel_fight(op, "ratio=0.8 score-dim=2 flip=true", 1, true, true, BATCHES / 5);
    duel_fight(op, "", 2, false, false, BATCHES / 5);
    duel_fight(op, "ratio=0.7 " MID, 2, false, true, BATCHES / 5);
}

/* Each row once plain and once with three columns and dropped nodes, on one level and on two. */
static void agrees_with(const char *op, const char *options)
{
    char mid[256];
    snprintf(mid, sizeof mid, "%s %s", options, MID);
    duel_fight(op, options, 1, false, false, 15);
    duel_fight(op, mid, 1, false, true, 15);
    duel_fight(op, options, 2, false, false, 5);
}

#define OPERATOR(name)                                                                                                 \
    static void name##_agrees_with_the_equations(void **state)                                                         \
    {                                                                                                                  \
        (void)state;                                                                                                   \
        agrees(#name);                                                                                                 \
    }
OPERATOR(att)
OPERATOR(hgpsl)
OPERATOR(vip)
OPERATOR(rep)
OPERATOR(ug)
OPERATOR(cgi)
OPERATOR(tap)
OPERATOR(ipool)

static void local_attention_and_local_picks(void **state)
{
    (void)state;
    duel_fight("att", "attention=local", 1, false, false, BATCHES);
    duel_fight("att", "attention=local " MID, 1, false, true, BATCHES);
    duel_fight("ipool", "pick=local", 1, false, false, BATCHES);
    duel_fight("ipool", "pick=local ratio=0.7 " MID, 1, false, true, BATCHES);
}

static void every_option(void **state)
{
    static const struct {
        const char *op, *options;
    } rows[] = {
        { "att", "attention=local dnorm=true" },
        { "att", "assign=raw" },
        { "att", "scale-n=true" },
        { "hgpsl", "lap-norm=sym" },
        { "hgpsl", "sparse=false" },
        { "hgpsl", "candidates=sampled" },
        { "hgpsl", "candidates=sampled hops=1" },
        { "hgpsl", "lambda=0.3" },
        { "vip", "hops=2" },
        { "vip", "vip-adj=literal" },
        { "vip", "vip-adj=induced" },
        { "rep", "rep-score=original" },
        { "rep", "rep-select=peak" },
        { "rep", "lambda=0" },
        { "rep", "lambda=1" },
        { "rep", "ratio=0.15" },
        { "ug", "square=after" },
        { "ug", "binary=true" },
        { "ug", "ratio=0.3" },
        { "cgi", "variant=authors" },
        { "cgi", "mi-nodes=top1" },
        { "cgi", "variant=authors mi-nodes=top1" },
        { "tap", "connectivity=true" },
        { "tap", "scale-n=true" },
        { "tap", "connectivity=true lambda=0.5 scale-n=true" },
        { "ipool", "hops=2" },
        { "ipool", "hops=3 pick=local" },
        { "ipool", "overlap=cosine" },
        { "ipool", "lambda=0.2" },
        { "ipool", "pick=local" },
        { "att", "attention=local" },
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) agrees_with(rows[i].op, rows[i].options);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(att_agrees_with_the_equations),   cmocka_unit_test(hgpsl_agrees_with_the_equations),
        cmocka_unit_test(vip_agrees_with_the_equations),   cmocka_unit_test(rep_agrees_with_the_equations),
        cmocka_unit_test(ug_agrees_with_the_equations),    cmocka_unit_test(cgi_agrees_with_the_equations),
        cmocka_unit_test(tap_agrees_with_the_equations),   cmocka_unit_test(ipool_agrees_with_the_equations),
        cmocka_unit_test(local_attention_and_local_picks), cmocka_unit_test(every_option),
    };
    return cmocka_run_group_tests_name("operators against plain references", tests, NULL, NULL);
}
