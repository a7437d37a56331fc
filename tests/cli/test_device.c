/* test_device.c - --device and --group from outside: the same models and rows on an emulated GPU, and what is said where there is
 * none or where it cannot do a method.
 * SPDX-License-Identifier: MIT */
#include "cli/tiny.h"

#define QUICK "--hidden 8 --layers 2 --epochs 2 --lr 0.01"

static const char *sha_of(const mp_spawned *s)
{
    const char *sha = mp_json_text(json_of(s), "model_sha256", NULL);
    assert_non_null(sha);
    return sha;
}

static void train_gives_the_model_of_the_processor(void **state)
{
    (void)state;
    static const char *const line[][2] = {
        { "train @/TINY --pool sag --mid --json " QUICK,
          "train @/TINY --pool sag --mid --json --device emulated " QUICK },
        { "train @/TINY --pool asap --json " QUICK, "train @/TINY --pool asap --json --device emulated " QUICK },
        { "train @/TINY --pool gmt --json " QUICK, "train @/TINY --pool gmt --json --device emulated " QUICK },
    };
    for (size_t i = 0; i < sizeof line / sizeof *line; i++) {
        mp_spawned here = expect(0, line[i][0], NULL), there = expect(0, line[i][1], "device: emulated GPU");
        assert_string_equal(sha_of(&here), sha_of(&there));
        mp_spawn_free(&here);
        mp_spawn_free(&there);
    }
}

/* Half of a study on the processor, the rest on a GPU: nothing is trained twice, and all models are those of the processor. */
static void a_study_goes_on_where_it_was_on_another_device(void **state)
{
    enum { RUNS = 6 };
    (void)state;
    mp_spawned half = expect(0, "cv @/TINY --pool sag --folds 3 --seeds 1 --store @/both.db --quiet " QUICK, NULL);
    mp_spawned here = expect(0, "cv @/TINY --pool sag --folds 3 --seeds 2 --store @/cpu.db --json " QUICK, NULL);
    mp_spawned both = expect(
        0, "cv @/TINY --pool sag --folds 3 --seeds 2 --store @/both.db --json --device emulated --group 2 " QUICK,
        "3 of 6 runs were in");
    const mp_json *p = mp_json_get(json_of(&here), "runs"), *q = mp_json_get(json_of(&both), "runs");
    for (int i = 0; i < RUNS; i++) {
        const char *model = mp_json_text(mp_json_at(p, i), "model_sha256", NULL);
        assert_non_null(model);
        assert_string_equal(model, mp_json_text(mp_json_at(q, i), "model_sha256", NULL));
    }
    mp_spawn_free(&half);
    mp_spawn_free(&here);
    mp_spawn_free(&both);
}

static void predict_answers_as_the_processor_does(void **state)
{
    (void)state;
    mp_spawned a = expect(0, "train @/TINY --pool sag --quiet --out @/a.safetensors " QUICK, NULL);
    mp_spawned b = expect(0, "train @/TINY --pool asap --quiet --out @/b.safetensors " QUICK, NULL);
    mp_spawned here = expect(0, "predict @/a.safetensors @/b.safetensors @/TINY --csv --threads 2", NULL);
    mp_spawned there = expect(0, "predict @/a.safetensors @/b.safetensors @/TINY --csv --threads 2 --device emulated",
                              "device: emulated GPU");
    assert_true(here.out.n > 500);
    assert_string_equal(here.out.p, there.out.p);
    mp_spawned c = expect(0, "train @/TINY --pool hgpsl --quiet --out @/c.safetensors " QUICK, NULL);
    mp_spawned no =
        expect(2, "predict @/a.safetensors @/c.safetensors @/TINY --csv --device emulated", "the GPU cannot do HGP-SL");
    mp_spawned *all[] = { &a, &b, &c, &no, &here, &there };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) mp_spawn_free(all[i]);
}

static void what_cannot_be_done_is_said_in_one_line(void **state)
{
    (void)state;
    refuse(2, "train @/TINY --pool hgpsl --quiet --device emulated " QUICK, "the GPU cannot do HGP-SL");
    refuse(2, "train @/TINY --pool asap --att-dropout 0.1 --quiet --device emulated " QUICK, "the GPU cannot do ASAP");
    refuse(2, "cv @/TINY --pool sag,edge --quiet --device emulated --store @/no.db " QUICK, "the GPU cannot do edge");
    refuse(2, "cv @/TINY --pool sag --quiet --group 3 --store @/no.db " QUICK, "group");
    mp_spawned s = expect(0, "reproduce classification --datasets @/TINY --pools hgpsl --device emulated --dry-run",
                          "device: the GPU cannot do HGP-SL, as configured here; this processor trains it\n");
    mp_spawn_free(&s);
}

static void bench_epoch_times_runs_side_by_side_and_their_kernels(void **state)
{
    (void)state;
    mp_spawned s = expect(
        0, "bench epoch @/TINY --pool sag --hidden 8 --layers 2 --device emulated --group 3 --timed 1 --profile --json",
        NULL);
    const mp_json *all = json_of(&s), *profile = mp_json_get(all, "profile");
    assert_int_equal(mp_json_int(all, "group", 0), 3);
    double one = mp_json_real(all, "seconds_per_run_and_epoch", 0), epoch = mp_json_real(all, "seconds_per_epoch", 0);
    assert_true(one > 0 && one * 3 > epoch * 0.999 && one * 3 < epoch * 1.001);
    bool products = false;
    for (int i = 0; profile && mp_json_at(profile, i); i++)
        products |= strncmp(mp_json_text(mp_json_at(profile, i), "name", ""), "gemm", 4) == 0 &&
                    mp_json_real(mp_json_at(profile, i), "launches", 0) >= 1;
    assert_true(products);
    mp_spawn_free(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(train_gives_the_model_of_the_processor),
        cmocka_unit_test(a_study_goes_on_where_it_was_on_another_device),
        cmocka_unit_test(predict_answers_as_the_processor_does),
        cmocka_unit_test(what_cannot_be_done_is_said_in_one_line),
        cmocka_unit_test(bench_epoch_times_runs_side_by_side_and_their_kernels),
    };
    return cmocka_run_group_tests(tests, make_data, clean);
}
