/* test_ensemble.c - several models as one from outside: means and spreads, which files go together, names of labels, whether
 * probabilities hold, and the folder that cv fills.
 * SPDX-License-Identifier: MIT */
#include "cli/tiny.h"
#include "model/checkpoint.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define QUICK  "--hidden 8 --layers 2 --epochs 2 --lr 0.01 --quiet"
#define GRAPHS 70

enum { MODELS = 3, MOST = 4 };

/* The graphs of TINY with other labels, one line a graph. */
static void put_like_tiny(const char *name, void (*line)(mp_buf *b, int graph))
{
    mp_raw raw;
    mp_buf b = { 0 };
    assert_int_equal(tiny_raw(arena, 40, 15, 15, &raw), MP_OK);
    raw.name = name;
    assert_int_equal(mp_tu_write(&raw, path(name)), MP_OK);
    assert_int_equal(unlink(path(mp_arena_printf(arena, "%s/%s_graph_labels.txt", name, name))), 0);
    for (int i = 0; i < GRAPHS; i++) line(&b, i);
    const char *file = mp_arena_printf(arena, "%s/%s_graph_attributes.txt", name, name);
    assert_int_equal(mp_write_file(path(file), b.p, b.n), MP_OK);
    mp_buf_free(&b);
}

static void two_numbers(mp_buf *b, int i)
{
    mp_buf_printf(b, "%d.5, %d\n", 100 + i, -i);
}

static void two_questions(mp_buf *b, int i)
{
    mp_buf_printf(b, "%d, %s\n", i % 2, i % 3 ? "0" : i % 5 ? "1" : "nan");
}

static void one_question(mp_buf *b, int i)
{
    mp_buf_printf(b, "%d\n", i % 2);
}

static void train(const char *data, const char *more, int seed, const char *out)
{
    mp_spawned s =
        expect(0, mp_arena_printf(arena, "train @/%s --seed %d --out @/%s %s " QUICK, data, seed, out, more), NULL);
    mp_spawn_free(&s);
}

/* DATA-0 to DATA-2 as files of the test's folder, in a line. */
static const char *models_of(const char *data)
{
    return mp_arena_printf(arena, "@/%s-0.st @/%s-1.st @/%s-2.st", data, data, data);
}

static int set_up(void **state)
{
    static const char *const sets[] = { "TINY", "NUMBERS", "QUESTIONS", "QUESTION" };
    if (make_data(state) != 0) return -1;
    put_like_tiny("NUMBERS", two_numbers);
    put_like_tiny("QUESTIONS", two_questions);
    put_like_tiny("QUESTION", one_question);
    for (int d = 0; d < 4; d++)
        for (int m = 0; m < MODELS; m++)
            train(sets[d], m == 1 ? "--pool topk" : "--pool sag", m + 1,
                  mp_arena_printf(arena, "%s-%d.st", sets[d], m));
    return 0;
}

/* Answers and the numbers behind them of all graphs. */
typedef struct answers {
    int columns, shows;
    double answer[GRAPHS][MOST], shown[GRAPHS][MOST], spread[GRAPHS][MOST];
} answers;

static int take(const mp_json *v, double *out)
{
    if (!v) return 0;
    if (v->kind == MP_JSON_NUMBER) *out = v->number;
    for (int i = 0; v->kind == MP_JSON_ARRAY && i < v->count; i++) out[i] = mp_json_at(v, i)->number;
    return v->kind == MP_JSON_ARRAY ? v->count : 1;
}

static int take_first(const mp_json *row, const char *const *keys, double *out)
{
    int n = 0;
    for (int i = 0; keys[i] && n == 0; i++) n = take(mp_json_get(row, keys[i]), out);
    return n;
}

static void ask(const char *models, const char *data, answers *out)
{
    static const char *const answer[] = { "label", "labels", "value", "values", NULL };
    static const char *const shown[] = { "probabilities", "output", "outputs", "value", "values", NULL };
    static const char *const spread[] = { "spread", "spreads", NULL };
    mp_spawned s = expect(0, mp_arena_printf(arena, "predict %s @/%s --json", models, data), NULL);
    const mp_json *graphs = mp_json_get(json_of(&s), "graphs");
    assert_int_equal(graphs->count, GRAPHS);
    for (int i = 0; i < GRAPHS; i++) {
        const mp_json *row = mp_json_at(graphs, i);
        out->columns = take_first(row, answer, out->answer[i]);
        out->shows = take_first(row, shown, out->shown[i]);
        int spreads = take_first(row, spread, out->spread[i]);
        assert_int_equal(spreads, strchr(models, ' ') ? out->columns : 0);
    }
    mp_spawn_free(&s);
}

static bool near(double a, double b, double tolerance)
{
    return fabs(a - b) <= tolerance * (1 + fabs(b));
}

/* Which shown number is behind the answer of a column. */
static int place_of(const char *data, const answers *all, int i, int t)
{
    return strcmp(data, "TINY") == 0 ? all->shown[i][1] > all->shown[i][0] : t;
}

static double right_answer(const char *data, const answers *all, int i, int t)
{
    static const double classes[] = { -5, 5 };
    if (strcmp(data, "TINY") == 0) return classes[place_of(data, all, i, t)];
    return data[0] == 'Q' ? all->shown[i][t] > 0.5 : all->shown[i][t];
}

static void assert_mean(const char *data, const answers *one, const answers *all, double tolerance)
{
    double apart = 0;
    for (int i = 0; i < GRAPHS; i++) {
        for (int k = 0; k < all->shows; k++) {
            double mean = (one[0].shown[i][k] + one[1].shown[i][k] + one[2].shown[i][k]) / 3;
            assert_true(near(all->shown[i][k], mean, tolerance));
        }
        for (int t = 0; t < all->columns; t++) {
            int k = place_of(data, all, i, t);
            double squares = 0, mean = all->shown[i][k];
            for (int m = 0; m < MODELS; m++) squares += (one[m].shown[i][k] - mean) * (one[m].shown[i][k] - mean);
            assert_true(near(all->spread[i][t], sqrt(squares / 3), 1e-6));
            assert_true(all->answer[i][t] == right_answer(data, all, i, t));
            apart += all->spread[i][t];
        }
    }
    assert_true(apart > 0);
}

static void several_models_show_the_mean_and_how_far_apart_they_are(void **state)
{
    (void)state;
    static const struct {
        const char *data;
        int columns, shows;
        double tolerance; /* numbers are told in single precision */
    } rows[] = {
        { "TINY", 1, 2, 1e-14 }, { "QUESTIONS", 2, 2, 1e-14 }, { "QUESTION", 1, 1, 1e-14 }, { "NUMBERS", 2, 2, 1e-7 }
    };
    for (int r = 0; r < 4; r++) {
        answers *one = calloc(MODELS + 1, sizeof *one), *all = one + MODELS;
        for (int m = 0; m < MODELS; m++)
            ask(mp_arena_printf(arena, "@/%s-%d.st", rows[r].data, m), rows[r].data, &one[m]);
        ask(models_of(rows[r].data), rows[r].data, all);
        assert_true(all->columns == rows[r].columns && all->shows == rows[r].shows);
        assert_mean(rows[r].data, one, all, rows[r].tolerance);
        free(one);
    }
}

static char *output(const char *line)
{
    mp_spawned s = expect(0, line, NULL);
    char *copy = mp_arena_text(arena, s.out.p, s.out.n);
    mp_spawn_free(&s);
    return copy;
}

static void forms_and_threads_agree(void **state)
{
    (void)state;
    static const char *const forms[] = { "", "--csv", "--json" };
    static const char *const heads[] = { "graph  label  probability  spread\n", "graph,label,p_-5,p_5,spread\n",
                                         "{\"models\":[{\"file\":" };
    for (int f = 0; f < 3; f++) {
        const char *line = mp_arena_printf(arena, "predict %s @/TINY %s --threads", models_of("TINY"), forms[f]);
        char *one = output(mp_arena_printf(arena, "%s 1", line));
        assert_int_equal(strncmp(one, heads[f], strlen(heads[f])), 0);
        for (int threads = 2; threads <= 5; threads++)
            assert_string_equal(one, output(mp_arena_printf(arena, "%s %d", line, threads)));
    }
    char *many = output(mp_arena_printf(arena, "predict %s @/QUESTIONS", models_of("QUESTIONS")));
    static const char head[] = "graph  label_0  probability_0  spread_0  label_1  probability_1  spread_1\n";
    assert_int_equal(strncmp(many, head, sizeof head - 1), 0);
    many = output(mp_arena_printf(arena, "predict %s @/NUMBERS --csv", models_of("NUMBERS")));
    assert_int_equal(strncmp(many, "graph,value_0,value_1,spread_0,spread_1\n", 40), 0);
}

static void a_model_with_itself_answers_as_alone(void **state)
{
    (void)state;
    answers *one = calloc(2, sizeof *one);
    ask("@/TINY-0.st", "TINY", &one[0]);
    ask("@/TINY-0.st @/TINY-0.st", "TINY", &one[1]);
    assert_memory_equal(one[0].answer, one[1].answer, sizeof one->answer);
    assert_memory_equal(one[0].shown, one[1].shown, sizeof one->shown);
    for (int i = 0; i < GRAPHS; i++) assert_true(one[1].spread[i][0] == 0);
    free(one);
}

static void a_folder_stands_for_its_models_in_order_of_names(void **state)
{
    (void)state;
    static const char command[] =
        "cd '%s' && mkdir -p all none && cp TINY-0.st all/c.safetensors && cp TINY-1.st "
        "all/a.safetensors && cp TINY-2.st all/b.safetensors && echo x >all/.d.safetensors && "
        "echo x >all/notes.txt";
    assert_int_equal(system(mp_arena_printf(arena, command, mp_spawn_dir())), 0);
    char *named = output("predict @/TINY-1.st @/TINY-2.st @/TINY-0.st @/TINY --csv");
    assert_string_equal(named, output("predict @/all @/TINY --csv"));
    assert_string_not_equal(named, output("predict @/all @/TINY-0.st @/TINY --csv"));
    mp_spawned s = expect(0, "predict @/all @/TINY --json", NULL);
    const mp_json *models = mp_json_get(json_of(&s), "models");
    assert_int_equal(models->count, 3);
    for (int i = 0; i < 3; i++) {
        const char *end = mp_arena_printf(arena, "/all/%c.safetensors", 'a' + i);
        assert_non_null(strstr(mp_json_text(mp_json_at(models, i), "file", ""), end));
    }
    mp_spawn_free(&s);
    refuse(1, "predict @/none @/TINY", "none: a folder without models (*.safetensors)");
}

static void models_that_do_not_go_together_are_named(void **state)
{
    (void)state;
    refuse(1, "predict @/TINY-0.st @/QUESTION-0.st @/TINY", "QUESTION-0.st: not the same task as ");
    refuse(1, "predict @/TINY-0.st @/QUESTION-0.st @/TINY", "TINY-0.st: binary, not classify");
    refuse(1, "predict @/QUESTION-0.st @/QUESTION-1.st @/QUESTIONS-0.st @/TINY",
           "QUESTIONS-0.st: not the same label columns as ");
    mp_raw raw;
    assert_int_equal(tiny_raw(arena, 40, 15, 15, &raw), MP_OK);
    raw.name = "BARE";
    raw.attributes = (mp_sparse){ 0 };
    assert_int_equal(mp_tu_write(&raw, path("BARE")), MP_OK);
    train("BARE", "", 1, "BARE-0.st");
    refuse(1, "predict @/TINY-0.st @/BARE-0.st @/TINY", "BARE-0.st: not the same inputs as ");
    mp_model *model;
    mp_about about;
    assert_int_equal(mp_checkpoint_load(path("TINY-0.st"), arena, &model, &about), MP_OK);
    about.class_value = (const int64_t[]){ -5, 7 };
    assert_int_equal(mp_checkpoint_save(path("seven.st"), model, &about), MP_OK);
    refuse(1, "predict @/TINY-0.st @/seven.st @/TINY", "seven.st: not the same classes as ");
    refuse(1, "predict @/TINY-0.st @/seven.st @/TINY", "2 -5 7, not 2 -5 5");
    refuse(2, "predict @/TINY-0.st @/TINY-1.st", "the input is missing");
    refuse(2, "predict @/TINY @/TINY-1.st", "the model comes first");
    refuse(1, "predict @/TINY-0.st @/nothing.st @/TINY", "nothing.st");
}

/* The same model, its label columns with names. */
static void name_labels(const char *from, const char *to, const char *const *names)
{
    mp_model *model;
    mp_about about;
    assert_int_equal(mp_checkpoint_load(path(from), arena, &model, &about), MP_OK);
    about.target_name = names;
    assert_int_equal(mp_checkpoint_save(path(to), model, &about), MP_OK);
}

static const char *line_of(const char *text, int n)
{
    while (n-- > 0) text = strchr(text, '\n') + 1;
    return mp_arena_text(arena, text, strcspn(text, "\n"));
}

static void labels_go_by_their_names(void **state)
{
    (void)state;
    static const char *const names[] = { "NR-AR", "a, \"b\"" };
    name_labels("QUESTIONS-0.st", "named-0.st", names);
    name_labels("QUESTIONS-1.st", "named-1.st", names);
    name_labels("TINY-0.st", "active.st", (const char *const[]){ "active" });
    name_labels("QUESTIONS-1.st", "other-1.st", (const char *const[]){ "NR-AR", "c" });
    refuse(1, "predict @/named-0.st @/other-1.st @/QUESTIONS", "other-1.st: not the same label columns as ");
    refuse(1, "predict @/named-0.st @/other-1.st @/QUESTIONS", ": 2 NR-AR c, not 2 NR-AR a, \"b\"\n"); /* and no more */
    char *plain = output("predict @/QUESTIONS-0.st @/QUESTIONS --csv"),
         *csv = output("predict @/named-0.st @/QUESTIONS --csv");
    assert_string_equal(line_of(csv, 0),
                        "graph,label_NR-AR,\"label_a, \"\"b\"\"\",probability_NR-AR,\"probability_a, \"\"b\"\"\"");
    for (int i = 1; i <= GRAPHS; i++) assert_string_equal(line_of(csv, i), line_of(plain, i));
    char *text = output("predict @/named-0.st @/named-1.st @/QUESTIONS");
    assert_string_equal(line_of(text, 0), "graph  label_NR-AR  probability_NR-AR  spread_NR-AR  label_a, \"b\"  "
                                          "probability_a, \"b\"  spread_a, \"b\"");
    mp_spawned s = expect(0, "predict @/named-0.st @/named-1.st @/QUESTIONS --json", NULL);
    const mp_json *row = mp_json_at(mp_json_get(json_of(&s), "graphs"), 0);
    answers *all = calloc(1, sizeof *all);
    ask("@/QUESTIONS-0.st @/QUESTIONS-1.st", "QUESTIONS", all);
    assert_true(mp_json_real(row, "probability_NR-AR", -1) == all->shown[0][0]);
    assert_true(mp_json_real(row, "probability_a, \"b\"", -1) == all->shown[0][1]);
    assert_true(mp_json_real(row, "label_a, \"b\"", -1) == all->answer[0][1]);
    assert_true(mp_json_real(row, "spread_NR-AR", -1) == all->spread[0][0]);
    mp_spawn_free(&s);
    free(all);
    text = output("explain @/named-0.st @/QUESTIONS");
    assert_non_null(strstr(line_of(text, 0), ": NR-AR: label "));
    assert_non_null(strstr(line_of(text, 0), "; a, \"b\": label "));
    s = expect(0, "explain @/named-0.st @/QUESTIONS --json", NULL);
    assert_non_null(mp_json_get(json_of(&s), "probability_NR-AR"));
    mp_spawn_free(&s);
    assert_string_equal(line_of(output("predict @/active.st @/TINY --csv"), 0), "graph,label_active,p_-5,p_5");
    refuse(1, "predict @/QUESTIONS-0.st @/named-0.st @/QUESTIONS", "named-0.st: not the same label columns as ");
}

/* ---- whether probabilities hold ---- */

/* The definition, from the answers themselves and the labels of the input. */
static double error_of(const answers *a, bool classes, double label[GRAPHS][2], int *n)
{
    double said[10] = { 0 }, held[10] = { 0 }, error = 0;
    *n = 0;
    for (int i = 0; i < GRAPHS; i++) {
        for (int t = 0; t < a->columns; t++) {
            double p = classes ? fmax(a->shown[i][0], a->shown[i][1]) : a->shown[i][t];
            if (isnan(label[i][t])) continue;
            int b = p >= 1 ? 9 : (int)floor(10 * p);
            said[b] += p;
            held[b] += classes ? a->answer[i][t] == label[i][t] : label[i][t];
            ++*n;
        }
    }
    for (int b = 0; b < 10; b++) error += fabs(said[b] - held[b]) / *n;
    return error;
}

static void predict_says_whether_probabilities_hold(void **state)
{
    (void)state;
    static const char *const sets[] = { "QUESTIONS", "TINY" };
    static double label[2][GRAPHS][2];
    mp_raw raw;
    assert_int_equal(tiny_raw(arena, 40, 15, 15, &raw), MP_OK);
    for (int i = 0; i < GRAPHS; i++) {
        label[0][i][0] = i % 2;
        label[0][i][1] = i % 3 ? 0 : i % 5 ? 1 : (double)NAN;
        label[1][i][0] = (double)raw.graph_label[i];
    }
    for (int d = 0; d < 2; d++) {
        answers *all = calloc(1, sizeof *all);
        int n;
        ask(models_of(sets[d]), sets[d], all);
        double error = error_of(all, d == 1, label[d], &n);
        const char *line = mp_arena_printf(arena, "predict %s @/%s --calibration", models_of(sets[d]), sets[d]);
        char *one = output(mp_arena_printf(arena, "%s --json --threads 1", line));
        assert_string_equal(one, output(mp_arena_printf(arena, "%s --json --threads 3", line)));
        const mp_json *v, *c;
        assert_int_equal(mp_json_parse(mp_span_of(one), "stdout", arena, &v), MP_OK);
        c = mp_json_get(v, "calibration");
        assert_int_equal(mp_json_int(c, "count", -1), n);
        assert_true(fabs(mp_json_real(c, "ece", -1) - error) < 1e-6);
        assert_int_equal(mp_json_get(c, "bins")->count, 10);
        mp_spawned s = expect(0, line, mp_arena_printf(arena, "expected calibration error %.4f, Brier score ", error));
        mp_spawn_free(&s);
        free(all);
    }
    refuse(2, "predict @/NUMBERS-0.st @/NUMBERS --calibration", "a model of task regress gives no probabilities");
}

static void without_labels_nothing_can_hold(void **state)
{
    (void)state;
    assert_int_equal(system(mp_arena_printf(arena,
                                            "cd '%s' && mkdir BLANK && for f in A graph_indicator node_attributes; do "
                                            "cp TINY/TINY_$f.txt BLANK/BLANK_$f.txt; done",
                                            mp_spawn_dir())),
                     0);
    mp_spawned s = expect(0, "predict @/TINY-0.st @/BLANK --calibration", "no labels in the input");
    mp_spawn_free(&s);
}

static void cv_and_report_keep_the_calibration_of_test_graphs(void **state)
{
    (void)state;
    mp_spawned s = expect(0, "cv @/TINY --seeds 2 --folds 3 --store @/held.db " QUICK, NULL);
    mp_spawn_free(&s);
    s = expect(0, "report @/held.db --out @/held.html --json", NULL);
    const mp_json *c = mp_json_get(mp_json_at(mp_json_get(json_of(&s), "studies"), 0), "calibration");
    assert_int_equal(mp_json_int(mp_json_get(c, "pooled"), "count", -1), 2 * GRAPHS);
    assert_true(mp_json_real(c, "ece", -1) > 0);
    mp_spawn_free(&s);
    s = expect(0, "report @/held.db --out @/held.html", NULL);
    assert_non_null(strstr(s.out.p, "  ECE"));
    mp_spawn_free(&s);
}

/* ---- where such models come from ---- */

#define CV                                                                                                             \
    "cv @/TINY --pool topk,sag --seeds 2 --folds 3 --hidden 8 --layers 2 --epochs 2 --store @/cv.db --models "         \
    "@/kept/here "

static void cv_keeps_its_models_under_names_that_say_what_they_are(void **state)
{
    (void)state;
    mp_spawned s = expect(0, CV, NULL);
    char *table = mp_arena_text(arena, s.out.p, s.out.n);
    mp_spawn_free(&s);
    static const char *const names[] = { "topk-seed42-fold1", "topk-seed43-fold3", "sag-seed42-fold2",
                                         "sag-seed43-fold1" };
    for (int i = 0; i < 4; i++)
        assert_int_equal(access(path(mp_arena_printf(arena, "kept/here/TINY-%s.safetensors", names[i])), R_OK), 0);
    s = expect(0, "predict @/kept/here @/TINY --json", NULL);
    assert_int_equal(mp_json_get(json_of(&s), "models")->count, 12);
    mp_spawn_free(&s);
    s = expect(0, CV, "12 of 12 runs were in ");
    assert_null(strstr(s.err.p, "again"));
    assert_string_equal(s.out.p, table);
    mp_spawn_free(&s);
}

static void a_model_that_is_gone_or_another_is_made_again(void **state)
{
    (void)state;
    const char *gone = path("kept/here/TINY-sag-seed42-fold2.safetensors"),
               *other = path("kept/here/TINY-topk-seed43-fold3.safetensors");
    mp_span before, after;
    assert_int_equal(mp_slurp(gone, 0, arena, &before), MP_OK);
    assert_int_equal(unlink(gone), 0);
    assert_int_equal(system(mp_arena_printf(arena, "cp '%s' '%s'", path("TINY-0.st"), other)), 0);
    mp_spawned s = expect(0, CV, "2 runs that were in ");
    assert_non_null(strstr(s.err.p, "were trained again: their models were not in "));
    mp_spawn_free(&s);
    assert_int_equal(mp_slurp(gone, 0, arena, &after), MP_OK);
    assert_true(before.n == after.n && memcmp(before.p, after.p, after.n) == 0);
    s = expect(0, CV, "12 of 12 runs were in ");
    assert_null(strstr(s.err.p, "again"));
    mp_spawn_free(&s);
    const char same[] = "ratio: [0.5, 0.8]\nrows: [ratio]\nseeds: 1\nfolds: 3\n";
    assert_int_equal(mp_write_file(path("same.yaml"), same, strlen(same)), MP_OK);
    refuse(2, "sweep @/same.yaml --datasets @/TINY --store @/grid.db --models @/kept/grid " QUICK,
           "TINY-sag-seed42-fold1.safetensors; keep models of one setting");
    refuse(1, "cv @/TINY --seeds 1 --folds 3 --store @/cv.db --models @/TINY-0.st " QUICK, "TINY-0.st");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(several_models_show_the_mean_and_how_far_apart_they_are),
        cmocka_unit_test(forms_and_threads_agree),
        cmocka_unit_test(a_model_with_itself_answers_as_alone),
        cmocka_unit_test(a_folder_stands_for_its_models_in_order_of_names),
        cmocka_unit_test(models_that_do_not_go_together_are_named),
        cmocka_unit_test(labels_go_by_their_names),
        cmocka_unit_test(predict_says_whether_probabilities_hold),
        cmocka_unit_test(without_labels_nothing_can_hold),
        cmocka_unit_test(cv_and_report_keep_the_calibration_of_test_graphs),
        cmocka_unit_test(cv_keeps_its_models_under_names_that_say_what_they_are),
        cmocka_unit_test(a_model_that_is_gone_or_another_is_made_again),
    };
    return cmocka_run_group_tests(tests, set_up, clean);
}
