/* ratios.c - a ratio of its own for each pooling of a network.
 * SPDX-License-Identifier: MIT */
#include "model/ratios.h"
#include "model/model.h"

#include <string.h>

#define SAME "same"

typedef struct ratio_options {
    char ratios[64];
} ratio_options;
/* clang-format off */
static const mp_opt rows[] = {
    { "ratios", MP_OPT_TEXT, offsetof(ratio_options, ratios), SAME, 0, 0, NULL, "ratios of the first, second ... pooling, a,b,c; those behind the last have --ratio, as all have with same" },
    { 0 }
};
/* clang-format on */
static size_t place;
const mp_option_set mp_ratio_options = { rows, sizeof(ratio_options), &place, "pooling" };

static const char *text_of(const mp_config *c)
{
    return MP_OWN(c, mp_ratio_options, ratio_options)->ratios;
}

mp_err mp_ratios_check(const mp_config *c)
{
    mp_span rest = mp_span_of(text_of(c)), word;
    double v;
    int n = 0;
    if (strcmp(text_of(c), SAME) == 0) return MP_OK;
    for (; mp_next_field(&rest, ',', &word); n++)
        if (!mp_to_real(word, &v) || !(v >= 1e-6 && v <= 1))
            return mp_fail(MP_ERR_USAGE,
                           "ratios: expected numbers from 1e-06 to 1 with commas between, or same, got '%s'",
                           text_of(c));
    return n <= MP_LEVELS ? MP_OK
                          : mp_fail(MP_ERR_USAGE, "ratios: %d, and no network has more than %d poolings", n, MP_LEVELS);
}

double mp_ratio_of(const mp_config *c, int pooling)
{
    mp_span rest = mp_span_of(text_of(c)), word;
    double v;
    while (mp_next_field(&rest, ',', &word))
        if (pooling-- == 0 && mp_to_real(word, &v)) return v;
    return c->ratio;
}
