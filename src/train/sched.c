/* sched.c - see sched.h.
 * SPDX-License-Identifier: MIT */
#include "train/sched.h"
#include "math/turn.h"

/* The learning rate over the epochs: fields of mp_config itself. */
/* clang-format off */
#define AT(field) offsetof(mp_config, field)
static const mp_opt schedule_rows[] = {
    { "schedule", MP_OPT_CHOICE, AT(schedule), "constant", 0, 0, "constant|cosine|step", "learning rate over the epochs" },
    { "warmup", MP_OPT_INT, AT(warmup), "50", 0, 1e6, NULL, "cosine: epochs in which the rate grows from 0" },
    { "lr-drop", MP_OPT_LIST, AT(lr_drop), "280", 0, 1e6, NULL, "step: epochs after each of which the rate is a tenth of what it was" },
    { 0 }
};
#undef AT
/* clang-format on */
const mp_option_set mp_schedule_options = { schedule_rows, 0, NULL, "training" };

static double constant(const mp_config *c, int epoch, double done, double steps)
{
    (void)c;
    (void)epoch;
    (void)done;
    (void)steps;
    return 1;
}

static double cosine(const mp_config *c, int epoch, double done, double steps)
{
    double all = c->epochs * steps, warm = c->warmup * steps;
    (void)epoch;
    if (done < warm) return done / warm;
    if (done >= all) return 0;
    return 0.5 * (1 + mp_cos_pi((done - warm) / (all - warm)));
}

static double drop(const mp_config *c, int epoch, double done, double steps)
{
    (void)done;
    (void)steps;
    double factor = 1;
    for (int i = 0; i < c->lr_drop.count; i++)
        if (epoch > c->lr_drop.at[i]) factor *= 0.1;
    return factor;
}

double mp_sched_factor(const mp_config *c, int epoch, int step, int steps)
{
    static double (*const kinds[])(const mp_config *, int, double, double) = {
        [MP_SCHEDULE_CONSTANT] = constant, [MP_SCHEDULE_COSINE] = cosine, [MP_SCHEDULE_STEP] = drop
    };
    return kinds[c->schedule](c, epoch, (epoch - 1.0) * steps + step, steps);
}
