/* train_time.c - seconds of a training epoch, base and MID with several numbers of columns (protocol.md 9.1).
 *
 *     ratio of a set = seconds with MID / seconds without;     overall, as the paper: ratio of the means over sets
 * SPDX-License-Identifier: MIT */
#include "experiment/figures.h"
#include "experiment/machine.h"
#include "experiment/make.h"
#include "report/paper.h"
#include "report/svg.h"
#include "study/epoch_time.h"
#include "study/prepare.h"

#include <math.h>

#define POOLS "sag,topk,gsa"
static const struct {
    const char *name, *settings; /* name as in the paper's table */
} variants[] = { { "", NULL },
                 { "MID-1", "score-dim=1 flip=true drop=0.1" },
                 { "MID-5", "score-dim=5 flip=true drop=0.1" },
                 { "MID-9", "score-dim=9 flip=true drop=0.1" } };
enum { VARIANTS = sizeof variants / sizeof *variants };

/* {"seconds": the median, "mean": .., "graphs": ..} of arg {"epochs": timed ones, "machine": what times are of} */
static mp_err probe(const mp_probe_in *in, mp_arena *a, mp_buf *json)
{
    mp_dataset d = *in->run->data;
    mp_config c = in->run->key.config;
    mp_epoch_time t;
    mp_config_resolve(&c, &d.graphs);
    MP_TRY(mp_study_prepare_data(&d, &c, in->threads, NULL, a));
    mp_epoch_ask ask = { .data = &d,
                         .config = &c,
                         .share = 0.8,
                         .repeat = 1,
                         .timed = (int)mp_json_real(in->arg, "epochs", 1),
                         .threads = in->threads };
    MP_TRY(mp_time_epochs(&ask, a, &t));
    mp_json_open(json, '{');
    mp_json_add_real(json, "seconds", t.seconds);
    mp_json_add_real(json, "mean", t.mean);
    mp_json_add_int(json, "graphs", t.graphs);
    mp_json_close(json, '}');
    return MP_OK;
}

static const mp_probe epoch_time = { .name = "epoch time", .alone = true, .untrained = true, .run = probe };

/* Seconds; NAN: not there. */
static mp_err measure(mp_lab *lab, const char *set, const char *pool, int variant, const char *arg, double *out)
{
    mp_ask ask = { .dataset = set, .pool = pool, .preset = MP_PRESET_PAPER, .settings = variants[variant].settings };
    const mp_json *value = NULL;
    mp_cv_run run;
    MP_TRY(mp_lab_untrained(lab, &ask, &run));
    if (run.data) MP_TRY(mp_lab_measure(lab, &epoch_time, &run, arg, &value));
    *out = value ? mp_json_real(value, "seconds", (double)NAN) : (double)NAN;
    return MP_OK;
}

static void add_seconds(mp_table *t, double seconds, double base)
{
    if (isnan(seconds))
        mp_table_add(t, "-");
    else
        mp_table_add(t, "%.4f", seconds);
    if (isnan(seconds / base))
        mp_table_add(t, "-");
    else
        mp_table_add(t, "%.2f", seconds / base);
}

static void add_row(mp_table *t, const char *set, const char *pool, const double *seconds)
{
    bool any = false;
    for (int v = 0; v < VARIANTS; v++) any = any || !isnan(seconds[v]);
    if (!any) return;
    mp_table_add(t, "%s", set);
    mp_table_add(t, "%s", mp_lab_title(pool));
    for (int v = 0; v < VARIANTS; v++) {
        if (v > 0)
            add_seconds(t, seconds[v], seconds[0]);
        else if (isnan(seconds[0]))
            mp_table_add(t, "-");
        else
            mp_table_add(t, "%.4f", seconds[0]);
    }
}

/* Means over the sets that have all four; false: there is none. */
static bool mean_of(const double *seconds, int sets, double *mean)
{
    int n = 0;
    for (int v = 0; v < VARIANTS; v++) mean[v] = 0;
    for (int s = 0; s < sets; s++) {
        const double *row = seconds + (size_t)s * VARIANTS;
        double sum = 0;
        for (int v = 0; v < VARIANTS; v++) sum += row[v];
        if (isnan(sum)) continue;
        for (int v = 0; v < VARIANTS; v++) mean[v] += row[v];
        n++;
    }
    for (int v = 0; v < VARIANTS; v++) mean[v] /= n;
    return n > 0;
}

static double of_paper(const char *pool, int variant, const char *metric)
{
    const mp_paper_row *r =
        mp_paper_look(&(mp_paper_key){ "train_time", NULL, pool, variants[variant].name, metric, variant > 0 });
    return r ? r->mean : (double)NAN;
}

static void add_summary(mp_table *t, const char *pool, const double *mean)
{
    for (int v = 0; v < VARIANTS; v++) {
        double paper = of_paper(pool, v, "ratio_to_base");
        mp_table_add(t, "%s", mp_lab_title(pool));
        mp_table_add(t, "%s", v ? variants[v].name : "base");
        add_seconds(t, mean[v], mean[0]);
        mp_table_add(t, isnan(paper) ? "-" : "%.4f", of_paper(pool, v, "seconds_per_epoch"));
        mp_table_add(t, isnan(paper) ? "-" : "%.2f", paper);
        mp_table_add(t, isnan(paper) ? "-" : "%+.2f", mean[v] / mean[0] - paper);
    }
}

static void draw(mp_section *out, int pools, const char *const *pool, const double *const *mean)
{
    const char **group = MP_NEW(out->arena, const char *, pools + 1);
    double *ratio[2][VARIANTS];
    mp_svg_bar bar[2 * (VARIANTS - 1)];
    int shown = 0;
    for (int v = 1; v < VARIANTS; v++)
        for (int k = 0; k < 2; k++) ratio[k][v] = MP_NEW(out->arena, double, pools + 1);
    for (int p = 0; p < pools; p++) {
        if (!mean[p]) continue;
        for (int v = 1; v < VARIANTS; v++) {
            ratio[0][v][shown] = mean[p][v] / mean[p][0];
            ratio[1][v][shown] = of_paper(pool[p], v, "ratio_to_base");
        }
        group[shown++] = mp_lab_title(pool[p]);
    }
    if (!shown) return;
    for (int v = 1; v < VARIANTS; v++)
        for (int k = 0; k < 2; k++)
            bar[2 * (v - 1) + k] =
                (mp_svg_bar){ .name = mp_arena_printf(out->arena, "%s%s", variants[v].name, k ? ", paper" : ""),
                              .value = ratio[k][v] };
    mp_svg_bars_spec spec = { .title = "Seconds of an epoch over those of the base",
                              .label = "times the base",
                              .groups = shown,
                              .series = 2 * (VARIANTS - 1),
                              .group = group,
                              .bar = bar };
    mp_figure_bars(out, "Seconds of an epoch over those of the base", NULL, &spec);
}

static const char *arg_of(int epochs, const char *machine, mp_arena *a)
{
    mp_buf b = MP_BUF_LOCAL;
    mp_json_open(&b, '{');
    mp_json_add_int(&b, "epochs", epochs);
    mp_json_add_text(&b, "machine", machine);
    mp_json_close(&b, '}');
    const char *text = mp_arena_text(a, b.p, b.n);
    mp_buf_free(&b);
    return text;
}

mp_err mp_make_train_time(mp_lab *lab, mp_section *out)
{
    static const char *const by_set[] = { "data set", "operator", "base s",  "MID-1 s", "ratio",
                                          "MID-5 s",  "ratio",    "MID-9 s", "ratio",   NULL };
    static const char *const overall[] = { "operator",      "variant",     "seconds",  "ratio",
                                           "paper seconds", "paper ratio", "to paper", NULL };
    mp_table each, all;
    int sets, pools, epochs = mp_lab_quick(lab) ? 2 : 10;
    const char *const *set = mp_lab_sets(lab, MP_TU_SETS, "MUTAG,PTC_MR", &sets);
    const char *const *pool = mp_lab_pools(lab, POOLS, POOLS, &pools);
    const char *machine;
    MP_TRY(mp_lab_machine(lab, 0, &machine));
    const char *arg = arg_of(epochs, machine, out->arena);
    const double **mean = MP_NEW(out->arena, const double *, pools + 1);
    mp_table_init(&each, out->arena, NULL, by_set);
    mp_table_init(&all, out->arena, NULL, overall);
    for (int p = 0; p < pools; p++) {
        double *seconds = MP_NEW(out->arena, double, sets *VARIANTS + 1), *m = MP_NEW(out->arena, double, VARIANTS);
        for (int s = 0; s < sets; s++) {
            for (int v = 0; v < VARIANTS; v++)
                MP_TRY(measure(lab, set[s], pool[p], v, arg, &seconds[s * VARIANTS + v]));
            add_row(&each, set[s], pool[p], seconds + (size_t)s * VARIANTS);
        }
        if (mean_of(seconds, sets, m)) {
            mean[p] = m;
            add_summary(&all, pool[p], m);
        }
    }
    mp_section_para(
        out,
        "Seconds of a training epoch (forward, backward, update; no validation) of eight tenths of the graphs, the "
        "median of %d after %d to warm up, on %s. Overall are means over data sets; the paper's were measured on "
        "a V100, so ratios can be compared and seconds cannot.",
        epochs, MP_EPOCH_WARM, machine);
    mp_section_table(out, &all);
    draw(out, pools, pool, mean);
    mp_section_heading(out, "By data set");
    mp_section_table(out, &each);
    return MP_OK;
}
