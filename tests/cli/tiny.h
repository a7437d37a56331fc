/* tiny.h - a small generated data set in the folder of the test, and the program run on it.
 * SPDX-License-Identifier: MIT */
#ifndef MP_CLI_TINY_H
#define MP_CLI_TINY_H

#include "base/json.h"
#include "cli/spawn.h"
#include "cli/tiny_raw.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

static mp_arena *arena;

static const char *path(const char *name)
{
    return mp_arena_printf(arena, "%s/%s", mp_spawn_dir(), name);
}

#ifndef TINY_GRAPHS
#define TINY_GRAPHS 40, 15, 15
#endif

/* A data set in TU files: 70 graphs, or as many as TINY_GRAPHS says; two classes (few or many green nodes). */
static int make_data(void **state)
{
    (void)state;
    arena = mp_arena_new(1 << 20);
    mp_raw raw;
    if (tiny_raw(arena, TINY_GRAPHS, &raw) != MP_OK) return -1;
    return mp_tu_write(&raw, path("TINY")) == MP_OK ? 0 : -1;
}

/* SPLIT.jsonl: 20 paths of three nodes whose lines say of which part they are. */
static inline void make_split_data(void)
{
    static const char *const part[] = { "train", "train", "train", "val", "test" };
    char text[4000], *at = text;
    for (int g = 0; g < 20; g++)
        at += sprintf(at, "{\"nodes\":3,\"edges\":[[0,1],[1,2]],\"labels\":[0,%d,1],\"y\":%d,\"split\":\"%s\"}\n",
                      g % 2, g % 2, part[g % 5]);
    assert_int_equal(mp_write_file(path("SPLIT.jsonl"), text, strlen(text)), MP_OK);
}

static int clean(void **state)
{
    (void)state;
    mp_arena_free(arena);
    mp_spawn_clean();
    return 0;
}

/* Runs and expects an exit code; on stderr exactly one line that holds `part` when it fails. */
static mp_spawned expect(int code, const char *line, const char *part)
{
    mp_spawned s = mp_spawn(line);
    const char *out = s.out.p ? s.out.p : "", *err = s.err.p ? s.err.p : "";
    if (s.code != code) print_message("midpool %s\nexit %d\n%s%s", line, s.code, out, err);
    assert_int_equal(s.code, code);
    if (part && !strstr(err, part)) print_message("midpool %s\nstderr: %s", line, err);
    if (part) assert_non_null(strstr(err, part));
    return s;
}

static inline void refuse(int code, const char *line, const char *part)
{
    mp_spawned s = expect(code, line, part);
    const char *end = strchr(s.err.p, '\n');
    assert_int_equal(strncmp(s.err.p, "midpool: ", 9), 0);
    assert_true(end && end[1] == '\0'); /* one line */
    mp_spawn_free(&s);
}

static inline const mp_json *json_of(const mp_spawned *s)
{
    const mp_json *v = NULL;
    assert_int_equal(mp_json_parse((mp_span){ s->out.p, s->out.n }, "stdout", arena, &v), MP_OK);
    return v;
}

#endif
