/* rows.c - prints what a store has of its runs, bit for bit and in an order of its own: two stores are equal when this is. Times and
 * memory are left out. Usage: rows STORE
 * SPDX-License-Identifier: MIT */
#include "store/store.h"

#include <stdio.h>
#include <string.h>

/* The bits of a number: NaN is NaN whatever its sign. */
static void bits(double v)
{
    uint64_t u;
    memcpy(&u, &v, sizeof u);
    if (v != v) u = 0;
    printf(" %016llx", (unsigned long long)u);
}

static mp_err show(void *unused, const mp_stored *run)
{
    (void)unused;
    const mp_run_result *r = &run->result;
    printf("%s %s seed %d fold %d status %d epochs %d %d %d %s %s %s", run->hash, run->key.dataset,
           run->key.config.seed, run->key.fold, (int)run->status, r->epochs, r->best_epoch, r->hit_cap, r->task,
           r->metric, r->model_sha256);
    bits(r->train_loss);
    bits(r->val_loss);
    for (int i = 0; i < r->measures; i++) {
        printf(" %s", r->measure[i].name);
        bits(r->measure[i].val);
        bits(r->measure[i].test);
        bits(r->measure[i].large);
        bits(r->measure[i].large_c);
    }
    for (int i = 0; i < MP_BINS; i++) bits((double)r->calibration.bin[i].count + r->calibration.bin[i].squares);
    for (int i = 0; i < r->curve_len; i++) {
        bits(r->curve[i].train_loss);
        bits(r->curve[i].val_loss);
        bits(r->curve[i].val_metric);
    }
    printf("\n");
    return MP_OK;
}

int main(int argc, char **argv)
{
    mp_store *s;
    char line[1024];
    mp_err e = argc == 2 ? mp_store_open(argv[1], MP_STORE_READ, &s) : mp_fail(MP_ERR_USAGE, "usage: rows STORE");
    if (e == MP_OK) {
        e = mp_store_each(s, &(mp_store_filter){ .curves = true }, show, NULL);
        if (e == MP_OK && mp_store_left_out(s, line, sizeof line)) e = mp_fail(MP_ERR_INPUT, "%s", line);
        mp_store_close(s);
    }
    if (e != MP_OK) fprintf(stderr, "rows: %s\n", mp_message());
    return e == MP_OK ? 0 : 1;
}
