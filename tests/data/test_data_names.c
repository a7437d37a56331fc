/* test_data_names.c - columns of a set by their names: in the order and the words of a model, or refused.
 * SPDX-License-Identifier: MIT */
#include "fixture.h"

#include "data/names.h"

/* Of two nodes and of the two directions of the edge between them alike. */
static const char *const mine_attribute[] = { "mass", "charge", "spin" }, *const model_attribute[] = { "charge",
                                                                                                       "mass" };
static const char *const mine_label[] = { "atom", "ring" }, *const model_label[] = { "ring", "atom" };
static const char *const mine_atoms[] = { "C", "O" }, *const model_atoms[] = { "C", "N", "O" };
static const char *const *const mine_word[] = { mine_atoms, NULL }, *const *const model_word[] = { NULL, model_atoms };
static const int mine_words[] = { 2, 0 }, model_words[] = { 0, 3 };
static const mp_names mine = { 3, 2, mine_attribute, mine_label, mine_words, mine_word };
static const mp_names model = { 2, 2, model_attribute, model_label, model_words, model_word };

/* O in ring 7: mass 2, charge -1, spin 9; C in ring 5: no mass, charge 3. */
static const int ptr[] = { 0, 3, 4 }, col[] = { 0, 1, 2, 1 }, label[] = { 1, 7, 0, 5 };
static const mp_real val[] = { 2, -1, 9, 3 };

static mp_raw pair(const mp_names *names, mp_arena *a)
{
    static const int ends[] = { 0, 1 }, others[] = { 1, 0 };
    int *node_ptr = MP_NEW(a, int, 2);
    mp_raw raw = { .name = "S", .label_columns = 2, .labels = label, .names = names, .edge_names = names };
    node_ptr[1] = 2;
    WORKS(mp_graph_from_edges(a, 1, node_ptr, 2, ends, others, &raw.graphs, NULL));
    raw.attributes = (mp_sparse){ .rows = 2, .cols = 3, .ptr = ptr, .col = col, .val = val };
    raw.edge_label_columns = 2;
    raw.edge_labels = label;
    raw.edge_attributes = raw.attributes;
    return raw;
}

static void are_the_models(const mp_sparse *s, int columns, const int *labels)
{
    static const int want_ptr[] = { 0, 2, 3 }, want_col[] = { 0, 1, 0 }, want[] = { 7, 2, 5, 0 };
    static const mp_real want_val[] = { -1, 2, 3 };
    assert_true(s->rows == 2 && s->cols == 2 && columns == 2);
    assert_memory_equal(s->ptr, want_ptr, sizeof want_ptr);
    assert_memory_equal(s->col, want_col, sizeof want_col);
    assert_memory_equal(s->val, want_val, sizeof want_val);
    assert_memory_equal(labels, want, sizeof want);
}

static void columns_are_put_into_the_order_and_the_words_of_the_model(void **state)
{
    static const mp_recipe recipe = { 0 };
    mp_dataset_as as = { .recipe = &recipe, .names = &model, .edge_names = &model };
    mp_raw raw = pair(&mine, *state), out;
    WORKS(mp_names_match(&raw, &as, *state, &out));
    are_the_models(&out.attributes, out.label_columns, out.labels);
    are_the_models(&out.edge_attributes, out.edge_label_columns, out.edge_labels);
    assert_ptr_equal(out.names, &model);
    assert_ptr_equal(out.edge_names, &model);
    static const int first[] = { 0, 1, 2 }, one[] = { 0, 0 };
    raw.attributes = (mp_sparse){ .rows = 2, .cols = 3, .ptr = first, .col = one }; /* ones: a mass each */
    WORKS(mp_names_match(&raw, &as, *state, &out));
    assert_int_equal(out.attributes.ptr[2], 2);
    assert_true(out.attributes.col[0] == 1 && out.attributes.val[0] == 1 && out.attributes.val[1] == 1);
}

static void without_names_on_both_sides_nothing_is_moved(void **state)
{
    static const mp_recipe recipe = { 0 };
    const mp_dataset_as as[] = { { .names = &model, .edge_names = &model }, /* no model */
                                 { .recipe = &recipe },
                                 { .recipe = &recipe, .names = &mine, .edge_names = &mine } };
    mp_raw raw = pair(&mine, *state), bare = pair(NULL, *state), out;
    for (int i = 0; i < 3; i++) {
        WORKS(mp_names_match(&raw, &as[i], *state, &out));
        assert_memory_equal(&out, &raw, sizeof raw);
    }
    WORKS(mp_names_match(&raw, NULL, *state, &out));
    assert_memory_equal(&out, &raw, sizeof raw);
    WORKS(mp_names_match(&bare, &(mp_dataset_as){ .recipe = &recipe, .names = &model }, *state, &out));
    assert_memory_equal(&out, &bare, sizeof bare);
    mp_dataset_as same = { .recipe = &recipe, .names = &mine, .edge_names = &model };
    raw.edge_label_columns = 0;
    raw.edge_attributes.cols = 0; /* a set without values of edges has no columns to name */
    WORKS(mp_names_match(&raw, &same, *state, &out));
    assert_int_equal(out.edge_label_columns, 0);
}

static void columns_and_words_that_are_missing_are_named(void **state)
{
    static const mp_recipe recipe = { 0 };
    static const char *const odd[] = { "ring", "colour" }, *const carbon[] = { "C", "N" };
    static const char *const *const few[] = { NULL, carbon };
    static const int numbers[] = { 0, 0 }, two[] = { 0, 2 };
    const struct {
        mp_names names;
        const char *message;
    } bad[] = {
        { { 2, 2, odd, model_label, model_words, model_word }, "S: no %s has 'ring', which the model reads" },
        { { 2, 2, model_attribute, odd, model_words, model_word }, "S: no %s has 'colour', which the model reads" },
        { { 2, 2, model_attribute, model_label, numbers, model_word },
          "S: 'atom' of %ss is words; the model knows numbers" },
        { { 2, 2, model_attribute, mine_label, model_words, model_word },
          "S: 'atom' of %ss is words; the model knows numbers" },
        { { 2, 2, model_attribute, model_label, two, few }, "S: 'atom' of %ss: the model knows no 'O'" },
    };
    mp_raw raw = pair(&mine, *state), out;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        for (int edges = 0; edges < 2; edges++) {
            mp_dataset_as as = { .recipe = &recipe, .names = &model, .edge_names = &model };
            char words[100];
            *(edges ? &as.edge_names : &as.names) = &bad[i].names;
            snprintf(words, sizeof words, bad[i].message, edges ? "edge" : "node");
            FAILS(mp_names_match(&raw, &as, *state, &out), words);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(columns_are_put_into_the_order_and_the_words_of_the_model),
        CASE(without_names_on_both_sides_nothing_is_moved),
        CASE(columns_and_words_that_are_missing_are_named),
    };
    return cmocka_run_group_tests_name("data_names", tests, NULL, NULL);
}
