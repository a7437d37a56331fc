/* test_bits.c - the bits of short training runs, frozen: every method, base and with MID, every convolution and network.
 *
 * bits.txt has a line a run: data set, settings, the SHA-256 of its weights and learning curve, and that of its model file.
 * A change that moves
 * bits on purpose writes the file anew (MIDPOOL_BITS=FILE names where the lines of this build go) and says so in
 * CHANGELOG.md under Results.
 * SPDX-License-Identifier: MIT */
#include "base/sha256.h"
#include "baseline/baseline.h"
#include "data/archive.h"
#include "data/load.h"
#include "pool/pool.h"
#include "train/once.h"
#include "tiny.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

#define MID "score-dim=5 flip=true drop=0.1"

typedef struct fixture {
    mp_arena *a;
    mp_span frozen; /* bits.txt */
    FILE *anew;     /* lines of this build, or NULL */
    int missed;
} fixture;

static void apply(mp_config *c, const char *settings)
{
    char copy[256], *save = NULL;
    snprintf(copy, sizeof copy, "%s", settings);
    for (char *word = strtok_r(copy, " ", &save); word; word = strtok_r(NULL, " ", &save)) {
        char *value = strchr(word, '=');
        assert_non_null(value);
        *value++ = 0;
        assert_int_equal(mp_conf_set(mp_config_table, c, word, value, word), MP_OK);
    }
}

static void hash_of(mp_model *m, const mp_run_result *r, char hex[65])
{
    const mp_params *p = mp_model_params(m);
    mp_buf b = { 0 };
    mp_buf_add(&b, p->theta, p->size * sizeof *p->theta);
    mp_buf_add(&b, r->curve, (size_t)r->curve_len * sizeof *r->curve);
    mp_buf_add(&b, &r->test_metric, sizeof r->test_metric);
    mp_sha256_hex(b.p, b.n, hex);
    mp_buf_free(&b);
}

static void one(fixture *f, const mp_dataset *d, const mp_folds *folds, const mp_config *usual, const char *settings)
{
    mp_config c = *usual;
    apply(&c, settings);
    mp_arena *a = mp_arena_new(1 << 20);
    mp_run_key key = mp_run_key_of(d, folds, &folds->split[0], &c);
    mp_run_result r;
    mp_model *m;
    static const mp_fit_options nothing;
    if (mp_run_once(d, &folds->split[0], &key, 2, &nothing, a, &r, &m) != MP_OK)
        fail_msg("%s %s: %s", d->name, settings, mp_message());
    char hex[65], line[512];
    hash_of(m, &r, hex);
    snprintf(line, sizeof line, "%s %s: %s file %s\n", d->name, settings, hex, r.model_sha256);
    if (f->anew) fputs(line, f->anew);
    if (!memmem(f->frozen.p, f->frozen.n, line, strlen(line))) {
        print_error("not in bits.txt: %s", line);
        f->missed++;
    }
    mp_arena_free(a);
}

static void all_methods(fixture *f, const mp_dataset *d, const mp_folds *folds, const mp_config *usual)
{
    char settings[256];
    for (const mp_pool_op *op = mp_pool_ops(); op->name; op++) {
        snprintf(settings, sizeof settings, "pool=%s", op->name);
        one(f, d, folds, usual, settings);
        snprintf(settings, sizeof settings, "pool=%s " MID, op->name);
        one(f, d, folds, usual, settings);
    }
    for (const mp_baseline *b = mp_baselines(); b->name; b++) {
        snprintf(settings, sizeof settings, "pool=%s", b->name);
        one(f, d, folds, usual, settings);
    }
}

static void every_method_and_network_on_generated_graphs(void **state)
{
    fixture *f = *state;
    mp_dataset d;
    mp_folds folds;
    assert_int_equal(tiny_make(f->a, false, &d, &folds), MP_OK);
    mp_config c = tiny_config();
    c.epochs = 3;
    all_methods(f, &d, &folds, &c);
    static const char *const networks[] = {
        "pool=topk conv=graphconv",
        "pool=topk conv=gin",
        "pool=topk conv=sage",
        "pool=gmt conv=gin",
        "pool=sag arch=triangles",
        "pool=sag arch=colors " MID,
        "pool=sag variant=pyg",
        "pool=sag variant=pyg min-score=0.1",
        "pool=topk min-score=0.05 " MID,
        "pool=topk variant=authors",
        "pool=cgi variant=authors",
        "pool=sag score-conv=gat",
        "pool=sag score-conv=cheb",
        "pool=topk conv=chebygin cheb-order=4",
        "pool=topk conv=chebygin cheb-order=3 cheb-agg=sum cheb-layers=2",
        "pool=gsa fusion=gat",
        "pool=topk width=mlp " MID,
        "pool=topk width=multihead " MID,
        "pool=topk width=repeat " MID,
        "pool=sort sort-form=dgcnn",
        "pool=gmt ln=true",
        "pool=sag schedule=cosine warmup=2 clip=0.5",
    };
    for (size_t i = 0; i < sizeof networks / sizeof *networks; i++) one(f, &d, &folds, &c, networks[i]);
    assert_int_equal(f->missed, 0);
}

static void real(fixture *f, const char *name, int hidden)
{
    mp_dataset d;
    mp_folds folds;
    if (mp_dataset_load(name, NULL, f->a, &d) != MP_OK) {
        print_message("skipped: %s\n", mp_message());
        skip();
    }
    assert_int_equal(mp_folds_load(&d, NULL, 0, f->a, &folds), MP_OK);
    mp_config c;
    mp_config_init(&c);
    c.epochs = 5;
    c.hidden = hidden;
    all_methods(f, &d, &folds, &c);
    assert_int_equal(f->missed, 0);
}

static void every_method_on_mutag(void **state)
{
    real(*state, "MUTAG", 128);
}

static void every_method_on_proteins(void **state)
{
    real(*state, "PROTEINS", 32);
}

static int set_up(void **state)
{
    static fixture f;
    const char *source = getenv("MIDPOOL_SOURCE"), *anew = getenv("MIDPOOL_BITS");
    f.a = mp_arena_new(1 << 20);
    f.anew = anew ? fopen(anew, "w") : NULL;
    *state = &f;
    return mp_slurp(mp_arena_printf(f.a, "%s/tests/train/bits.txt", source ? source : "."), 0, f.a, &f.frozen) == MP_OK
               ? 0
               : -1;
}

static int tear_down(void **state)
{
    fixture *f = *state;
    if (f->anew) fclose(f->anew);
    mp_arena_free(f->a);
    return 0;
}

static int start(void **state)
{
    ((fixture *)*state)->missed = 0;
    return 0;
}

/* test_bits '*generated*' runs the tests whose names fit. */
int main(int argc, char **argv)
{
    if (argc > 1) cmocka_set_test_filter(argv[1]);
    mp_unpack_with(&mp_libarchive);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(every_method_and_network_on_generated_graphs, start),
        cmocka_unit_test_setup(every_method_on_mutag, start),
        cmocka_unit_test_setup(every_method_on_proteins, start),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
