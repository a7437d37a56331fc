/* epoch_time.c - see epoch_time.h.
 * SPDX-License-Identifier: MIT */
#include "study/epoch_time.h"

#include "base/clock.h"
#include "data/seal.h"
#include "study/forecast.h"
#include "train/once.h"

#include <stdlib.h>
#include <string.h>

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

double mp_median(double *v, int n)
{
    qsort(v, (size_t)n, sizeof *v, by_value);
    return n % 2 ? v[n / 2] : (v[n / 2 - 1] + v[n / 2]) / 2;
}

/* Linux tells it; where there is no such file the kernels' instruction set has to do. */
const char *mp_machine_name(int threads, mp_arena *a)
{
    static const char head[] = "model name";
    mp_span text = { "", 0 }, line, name = mp_span_of(mp_kernels_get()->isa);
    if (mp_slurp("/proc/cpuinfo", 0, a, &text) != MP_OK) text = (mp_span){ "", 0 };
    while (mp_next_line(&text, &line)) {
        const char *colon = memchr(line.p, ':', line.n);
        if (!colon || strncmp(line.p, head, strlen(head)) != 0) continue;
        name = mp_trim((mp_span){ colon + 1, (size_t)(line.p + line.n - colon - 1) });
        break;
    }
    return mp_arena_printf(a, "%.*s, %d thread%s", (int)name.n, name.p, threads, mp_plural(threads));
}

typedef struct epochs {
    const mp_epoch_ask *ask;
    mp_labels labels;
    mp_engine *engine;
    bool aux_apart;
    int *order, n;
} epochs;

static mp_err run_epoch(const epochs *b, int epoch)
{
    const mp_config *conf = b->ask->config;
    const mp_dataset *d = b->ask->data;
    mp_rng r = mp_rng_stream((uint64_t)conf->seed, MP_FOR_SHUFFLE, 0, (uint64_t)epoch, 0);
    mp_rng_shuffle(&r, b->order, b->n);
    mp_draw draw = { (uint64_t)conf->seed, 0, (uint64_t)epoch, 0 };
    for (int at = 0; at < b->n; at += conf->batch_size, draw.step++) {
        int n = b->n - at < conf->batch_size ? b->n - at : conf->batch_size;
        mp_batch batch = { &d->graphs, &d->x, b->order + at, n, b->labels };
        double loss, aux;
        MP_TRY(mp_engine_train(b->engine, &batch, draw, &loss, &aux));
        if (b->aux_apart) MP_TRY(mp_engine_aux_add(b->engine, &batch, draw, 1.0 / b->n, &aux));
    }
    if (b->aux_apart) MP_TRY(mp_engine_aux_update(b->engine));
    return MP_OK;
}

static mp_err time_epochs(const epochs *b, mp_arena *a, mp_epoch_time *out)
{
    const int timed = b->ask->timed;
    double *seconds = MP_NEW(a, double, timed), sum = 0;
    for (int epoch = 1; epoch <= MP_EPOCH_WARM; epoch++) MP_TRY(run_epoch(b, epoch));
    if (b->ask->profile) mp_engine_profile(b->engine);
    double flops = mp_engine_flops(b->engine), moved = mp_engine_moved(b->engine);
    for (int i = 0; i < timed; i++) {
        double t = mp_seconds();
        MP_TRY(run_epoch(b, MP_EPOCH_WARM + 1 + i));
        sum += seconds[i] = mp_seconds() - t;
    }
    out->flops = (mp_engine_flops(b->engine) - flops) / timed;
    out->moved = (mp_engine_moved(b->engine) - moved) / timed;
    out->mean = sum / timed;
    out->seconds = mp_median(seconds, timed);
    if (b->ask->profile) mp_engine_profiled(b->engine, &out->profile);
    return MP_OK;
}

mp_err mp_time_epochs(const mp_epoch_ask *ask, mp_arena *a, mp_epoch_time *out)
{
    const mp_dataset *d = ask->data;
    int once = (int)(ask->share * d->graphs.graphs + 0.5);
    epochs b = { .ask = ask, .n = once * ask->repeat };
    mp_forecast forecast;
    mp_model *m;
    b.order = MP_NEW(a, int, b.n);
    for (int i = 0; i < b.n; i++) b.order[i] = i % once;
    b.labels = mp_seal_open(d->seal, a, b.order, once, NULL, 0);
    mp_workload work = { d, ask->config, b.order, b.n, ask->threads, 1 };
    MP_TRY(mp_forecast_memory(&work, &forecast));
    MP_TRY(mp_run_plan(d, ask->config, a, &m));
    mp_params_alloc(mp_model_params(m));
    mp_params_init(mp_model_params(m), (uint64_t)ask->config->seed, 0);
    *out = (mp_epoch_time){ .graphs = b.n, .forecast = forecast.bytes };
    mp_arena_peak_reset();
    b.engine = mp_engine_new(m, ask->threads);
    b.aux_apart = mp_model_aux_apart(m);
    mp_err e = time_epochs(&b, a, out);
    out->peak = mp_arena_peak();
    mp_engine_free(b.engine);
    return e;
}
