/* calibration.c - see calibration.h.
 * SPDX-License-Identifier: MIT */
#include "report/calibration.h"
#include "base/json.h"
#include "report/svg_axis.h"

#include <inttypes.h>
#include <math.h>

/* Folds of a seed go together, since each graph is in the test fold of one; seeds do not, since errors of several would cancel. */
mp_group_calibration mp_calibration_of(const mp_group *g, const mp_choice *c)
{
    mp_group_calibration out = { .error = 0 };
    int seeds = 0;
    mp_arena *a = mp_arena_new(4096);
    mp_calibration *of = MP_NEW(a, mp_calibration, c->grid.seeds + 1);
    for (int i = 0; i < g->runs; i++)
        if (mp_choice_took(c, &g->set, &g->choice[i]))
            mp_calibration_join(&of[mp_choice_seed(c, &g->set, &g->choice[i])], &g->run[i]->result.calibration);
    for (int s = 0; s < c->grid.seeds; s++) {
        if (mp_calibration_count(&of[s]) == 0) continue;
        out.error += mp_calibration_error(&of[s]);
        out.brier += mp_calibration_brier(&of[s]);
        mp_calibration_join(&out.all, &of[s]);
        seeds++;
    }
    mp_arena_free(a);
    out.error = seeds ? out.error / seeds : (double)NAN;
    out.brier = seeds ? out.brier / seeds : (double)NAN;
    return out;
}

void mp_calibration_json(const mp_calibration *c, mp_buf *b)
{
    mp_json_open(b, '{');
    mp_json_add_real(b, "ece", mp_calibration_error(c));
    mp_json_add_real(b, "brier", mp_calibration_brier(c));
    mp_json_add_int(b, "count", mp_calibration_count(c));
    mp_json_key(b, "bins");
    mp_json_open(b, '[');
    for (int i = 0; i < MP_BINS; i++) {
        mp_json_open(b, '{');
        mp_json_add_real(b, "from", i / (double)MP_BINS);
        mp_json_add_real(b, "to", (i + 1) / (double)MP_BINS);
        mp_json_add_int(b, "count", c->bin[i].count);
        mp_json_add_real(b, "probability", mp_bin_said(&c->bin[i]));
        mp_json_add_real(b, "true", mp_bin_held(&c->bin[i]));
        mp_json_close(b, '}');
    }
    mp_json_close(b, ']');
    mp_json_close(b, '}');
}

static void bins_csv(const mp_calibration *c, mp_buf *b)
{
    mp_buf_puts(b, "from,to,count,mean probability,share true\n");
    for (int i = 0; i < MP_BINS; i++) {
        mp_csv_number(b, "", i / (double)MP_BINS);
        mp_csv_number(b, ",", (i + 1) / (double)MP_BINS);
        mp_buf_printf(b, ",%" PRId64, c->bin[i].count);
        mp_csv_number(b, ",", mp_bin_said(&c->bin[i]));
        mp_csv_number(b, ",", mp_bin_held(&c->bin[i]));
        mp_buf_puts(b, "\n");
    }
}

void mp_calibration_svg(const mp_calibration *c, const char *title, mp_buf *svg, mp_buf *csv)
{
    static const double ends[] = { 0, 1 };
    double said[MP_BINS], held[MP_BINS];
    int n = 0;
    for (int i = 0; i < MP_BINS; i++) {
        if (c->bin[i].count == 0) continue;
        said[n] = mp_bin_said(&c->bin[i]);
        held[n++] = mp_bin_held(&c->bin[i]);
    }
    const mp_svg_series line[] = { { "as said", "#888888", true, false, 2, ends, ends, NULL, NULL },
                                   { "share true", "#2f7fc1", false, true, n, said, held, NULL, NULL } };
    mp_svg_chart_spec chart = { .title = title,
                                .x_label = "mean probability",
                                .y_label = "share true",
                                .width = 300,
                                .height = 290,
                                .series = 2,
                                .line = line };
    mp_svg_chart(&chart, svg);
    bins_csv(c, csv);
}
