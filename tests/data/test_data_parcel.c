/* test_data_parcel.c - data sets as bytes: the copy is the data set, and bytes that are none are refused.
 * SPDX-License-Identifier: MIT */
#include "fixture.h"
#include "../rig/tiny.h"
#include "pour.h"
#include "base/bytes.h"
#include "base/guard.h"
#include "base/rng.h"
#include "data/jsonl.h"
#include "data/load.h"
#include "data/parcel.h"
#include "baseline/haar.h"
#include "graph/twins.h"

static void same_ints(const int *a, const int *b, int n)
{
    assert_int_equal(a == NULL, b == NULL);
    if (a) assert_memory_equal(a, b, sizeof *a * (size_t)n);
}

/* What does not travel but is found out again is the same, and so are the bytes of the copy. */
static void check_copy(const mp_dataset *d, mp_arena *a)
{
    mp_buf bytes = { 0 }, again = { 0 };
    mp_dataset copy;
    mp_dataset_pack(d, &bytes);
    WORKS(mp_dataset_unpack((mp_span){ bytes.p, bytes.n }, a, &copy));
    mp_dataset_pack(&copy, &again);
    assert_int_equal(bytes.n, again.n);
    assert_memory_equal(bytes.p, again.p, bytes.n);
    const mp_graph *g = &d->graphs, *h = &copy.graphs;
    same_ints(g->rev, h->rev, g->edges);
    assert_int_equal(g->loopless, h->loopless);
    assert_int_equal(g->norm->twins == NULL, h->norm->twins == NULL);
    if (g->norm->twins) assert_int_equal(g->norm->twins->classes, h->norm->twins->classes);
    same_ints(d->x.kind, copy.x.kind, d->x.rows);
    same_ints(d->edge_x.kind, copy.edge_x.kind, d->edge_x.rows);
    assert_int_equal(g->edge_x == NULL, h->edge_x == NULL);
    assert_true(copy.task == d->task && copy.fingerprint == d->fingerprint && copy.seal);
    assert_string_equal(copy.name, d->name);
    assert_memory_equal(&copy.recipe, &d->recipe, sizeof d->recipe);
    assert_memory_equal(copy.fixed, d->fixed, sizeof d->fixed);
    mp_buf_free(&bytes);
    mp_buf_free(&again);
}

static void tiny(mp_arena *a, mp_dataset *d)
{
    mp_folds f;
    WORKS(tiny_make(a, false, d, &f));
}

static void from_lines(mp_arena *a, const char *text, mp_dataset *d)
{
    mp_raw raw;
    memory m = { mp_span_of(text), 7 };
    mp_dataset_as as = { .edges = true };
    WORKS(mp_jsonl_read("in", NULL, "LINES", (mp_tap){ pour, leave, &m }, &as, a, &raw));
    WORKS(mp_dataset_build(&raw, &as, a, d));
}

static void the_copy_of_a_data_set_is_the_data_set(void **state)
{
    mp_dataset d;
    mp_colors_options o = mp_colors_published;
    mp_raw raw;
    tiny(*state, &d);
    check_copy(&d, *state);
    o.train = 20, o.val = o.test = 10, o.large = o.large_c = 5;
    WORKS(mp_generate_colors(&o, *state, &raw));
    WORKS(mp_dataset_build(&raw, NULL, *state, &d)); /* numbers as labels, five parts, attention that nodes deserve */
    assert_non_null(d.graphs.aim);
    check_copy(&d, *state);
}

static void names_of_labels_and_attributes_of_edges_travel(void **state)
{
    mp_dataset d;
    from_lines(*state,
               "{\"nodes\":2,\"edges\":[[0,1]],\"edge_attributes\":[[1,0.5]],\"y\":\"toxic\"}\n"
               "{\"nodes\":3,\"edges\":[[0,1],[1,2]],\"edge_attributes\":[[2,0],[3,4]],\"y\":\"fine\"}\n",
               &d);
    assert_true(d.edge_x.cols == 2 && d.class_names == 2);
    check_copy(&d, *state);
}

static void real_data_sets_travel(void **state)
{
    static const char *const names[] = { "MUTAG", "PTC_MR", "IMDB-BINARY", NULL };
    const char *dir = real_data();
    if (!dir) skip();
    for (int i = 0; names[i]; i++) {
        for (int edges = 0; edges < 2; edges++) {
            mp_dataset d;
            mp_dataset_as as = { .edges = edges };
            if (mp_dataset_load_as(names[i], dir, &as, *state, &d) != MP_OK) continue;
            check_copy(&d, *state);
        }
    }
}

static void what_haar_pooling_prepared_travels(void **state)
{
    mp_dataset d, copy;
    mp_config c;
    mp_buf bytes = { 0 };
    tiny(*state, &d);
    mp_config_init(&c);
    WORKS(mp_conf_set_all(mp_config_table, &c, "pool=haar haar-levels=3", "test"));
    mp_prepare how = { .threads = 1 };
    WORKS(mp_config_prepare(&c, &how, *state, &d.graphs));
    check_copy(&d, *state);
    mp_dataset_pack(&d, &bytes);
    WORKS(mp_dataset_unpack((mp_span){ bytes.p, bytes.n }, *state, &copy));
    const mp_haar_store *s = mp_haar_kept(&d.graphs, 3), *t = mp_haar_kept(&copy.graphs, 3);
    assert_non_null(s);
    assert_non_null(t);
    for (int b = 0; b < s->graphs; b++)
        for (int l = 0; l < 3; l++)
            same_ints(s->graph[b].chain.parent[l], t->graph[b].chain.parent[l], s->graph[b].chain.size[l]);
    mp_buf_free(&bytes);
}

static void a_parcel_that_was_damaged_is_refused(void **state)
{
    mp_dataset d, copy;
    mp_buf b = { 0 };
    tiny(*state, &d);
    mp_dataset_pack(&d, &b);
    for (size_t i = 0; i < b.n; i += 97) {
        b.p[i] ^= 4;
        FAILS(mp_dataset_unpack((mp_span){ b.p, b.n }, *state, &copy), "damaged");
        b.p[i] ^= 4;
        FAILS(mp_dataset_unpack((mp_span){ b.p, i }, *state, &copy), "a data set");
    }
    mp_buf_free(&b);
}

typedef struct trial {
    mp_buf *b;
    mp_arena *a;
    mp_dataset d;
} trial;

static mp_err unpack(void *arg)
{
    trial *t = arg;
    return mp_dataset_unpack((mp_span){ t->b->p, t->b->n }, t->a, &t->d);
}

/* Whoever seals nonsense gets it refused, or a data set that holds together. */
static void nonsense_under_a_seal_is_refused_or_is_a_data_set(void **state)
{
    mp_dataset d;
    mp_buf b = { 0 };
    mp_rng rng = mp_rng_stream(3, MP_FOR_TEST, 0, 0, 0);
    int refused = 0, taken = 0;
    tiny(*state, &d);
    mp_dataset_pack(&d, &b);
    for (int i = 0; i < 3000; i++) {
        mp_arena *a = mp_arena_new(1 << 16);
        size_t at = MP_SEAL_DIGITS + (size_t)mp_rng_below(&rng, i % 2 ? 400 : (int)b.n - MP_SEAL_DIGITS);
        char was = b.p[at];
        b.p[at] = (char)mp_rng_below(&rng, 256);
        mp_bytes_seal(&b, 0);
        trial t = { &b, a, { 0 } };
        if (mp_guarded(unpack, &t) != MP_OK) {
            refused++;
        } else {
            int one = 0;
            taken++;
            WORKS(mp_graph_check(&t.d.graphs));
            if (t.d.seal && t.d.graphs.graphs) mp_seal_open(t.d.seal, a, &one, 1, &one, 0);
        }
        b.p[at] = was;
        mp_arena_free(a);
    }
    if (refused < 100 || taken < 20) fail_msg("%d refused, %d taken", refused, taken);
    mp_buf_free(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(the_copy_of_a_data_set_is_the_data_set),
        CASE(names_of_labels_and_attributes_of_edges_travel),
        CASE(real_data_sets_travel),
        CASE(what_haar_pooling_prepared_travels),
        CASE(a_parcel_that_was_damaged_is_refused),
        CASE(nonsense_under_a_seal_is_refused_or_is_a_data_set),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
