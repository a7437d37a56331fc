/* ensemble.c - see ensemble.h.
 * SPDX-License-Identifier: MIT */
#include "cli/ensemble.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <dirent.h>
#include <sys/stat.h>

/* ---- which files ---- */

typedef struct list {
    mp_arena *arena;
    const char **path;
    int n, room;
} list;

static void add_path(list *l, const char *path)
{
    if (l->n == l->room) {
        l->room = mp_room(l->room, (int64_t)l->n + 1, 16, "models");
        MP_MORE(l->arena, l->path, l->n, l->room);
    }
    l->path[l->n++] = path;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static mp_err add_folder(list *l, const char *folder)
{
    static const char end[] = ".safetensors";
    int first = l->n;
    DIR *d = opendir(folder);
    if (!d) return mp_fail(MP_ERR_IO, "%s: %s", folder, strerror(errno));
    for (const struct dirent *f; (f = readdir(d)) != NULL;) {
        size_t n = strlen(f->d_name);
        if (f->d_name[0] != '.' && n >= sizeof end && strcmp(f->d_name + n - (sizeof end - 1), end) == 0)
            add_path(l, mp_arena_printf(l->arena, "%s/%s", folder, f->d_name));
    }
    closedir(d);
    if (l->n == first) return mp_fail(MP_ERR_INPUT, "%s: a folder without models (*.safetensors)", folder);
    qsort(l->path + first, (size_t)(l->n - first), sizeof *l->path, by_name);
    return MP_OK;
}

static mp_err add_operand(list *l, const char *path)
{
    struct stat s;
    if (stat(path, &s) == 0 && S_ISDIR(s.st_mode)) return add_folder(l, path);
    add_path(l, path);
    return MP_OK;
}

/* ---- whether they go together ---- */

static void say_task(const mp_answerer *m, mp_buf *b)
{
    mp_buf_puts(b, mp_model_goal(m->model)->task->name);
}

static void say_columns(const mp_answerer *m, mp_buf *b)
{
    int n = mp_model_goal(m->model)->columns;
    mp_buf_printf(b, "%d", n);
    for (int t = 0; m->about.target_name && t < n; t++) mp_buf_printf(b, " %s", m->about.target_name[t]);
}

static void say_classes(const mp_answerer *m, mp_buf *b)
{
    int n = m->about.class_names ? m->about.class_names : m->about.classes;
    mp_buf_printf(b, "%d", n);
    for (int c = 0; c < n; c++) {
        mp_words w = { .columns = 1, .answer = &(double){ c } };
        mp_buf_puts(b, " ");
        mp_words_label(m, &w, 0, b);
    }
}

static void say_inputs(const mp_answerer *m, mp_buf *b)
{
    mp_recipe_text(&m->about.recipe, b);
    if (m->about.names) mp_names_text(m->about.names, b);
    if (m->about.edge_names) mp_names_text(m->about.edge_names, b);
}

static const struct { /* what all models must agree in */
    const char *what;
    void (*say)(const mp_answerer *m, mp_buf *b);
} aspects[] = {
    { "task", say_task }, { "label columns", say_columns }, { "classes", say_classes }, { "inputs", say_inputs }
};

static mp_err check_alike(const mp_ensemble *e, int m)
{
    mp_err err = MP_OK;
    for (size_t i = 0; i < sizeof aspects / sizeof *aspects && err == MP_OK; i++) {
        mp_buf first = { 0 }, mine = { 0 };
        aspects[i].say(&e->by[0], &first);
        aspects[i].say(&e->by[m], &mine);
        if (strcmp(first.p, mine.p) != 0)
            err = mp_fail(MP_ERR_INPUT, "%s: not the same %s as %s: %.200s, not %.200s", e->path[m], aspects[i].what,
                          e->path[0], mine.p, first.p);
        mp_buf_free(&first);
        mp_buf_free(&mine);
    }
    return err;
}

mp_err mp_ensemble_load(const char *const *path, int n, mp_arena *a, mp_ensemble *out)
{
    list l = { .arena = a };
    for (int i = 0; i < n; i++) MP_TRY(add_operand(&l, path[i]));
    mp_answerer *by = MP_NEW(a, mp_answerer, l.n);
    *out = (mp_ensemble){ l.n, l.path, by };
    for (int m = 0; m < l.n; m++) {
        MP_TRY(mp_checkpoint_load(l.path[m], a, &by[m].model, &by[m].about));
        MP_TRY(mp_task_of_graphs(mp_model_goal(by[m].model)->task, l.path[m]));
        MP_TRY(check_alike(out, m));
    }
    return MP_OK;
}

/* ---- answering ---- */

/* Models are added in their order: the mean depends on nothing else. */
mp_joined mp_ensemble_join(const mp_ensemble *e, const mp_real *told, int n, mp_arena *a)
{
    if (e->models == 1) return (mp_joined){ .told = told };
    const mp_goal *goal = mp_model_goal(e->by[0].model);
    size_t O = (size_t)mp_goal_outputs(goal), M = (size_t)e->models, all = (size_t)n * O;
    double *shown = MP_NEW(a, double, all), *spread = MP_NEW(a, double, all), *one = MP_NEW_RAW(a, double, M *O);
    mp_real *joined = MP_NEW_RAW(a, mp_real, all);
    for (size_t i = 0; i < (size_t)n; i++) {
        double *mean = shown + i * O, *far = spread + i * O;
        for (size_t m = 0; m < M; m++) {
            const mp_goal *g = mp_model_goal(e->by[m].model);
            g->task->show(g, told + m * all + i * O, one + m * O);
            for (size_t k = 0; k < O; k++) mean[k] += one[m * O + k];
        }
        for (size_t k = 0; k < O; k++) {
            mean[k] /= e->models;
            for (size_t m = 0; m < M; m++) far[k] += (one[m * O + k] - mean[k]) * (one[m * O + k] - mean[k]);
            far[k] = sqrt(far[k] / e->models);
        }
        goal->task->unshow(goal, mean, joined + i * O);
    }
    return (mp_joined){ joined, shown, spread };
}

mp_words mp_ensemble_words(const mp_ensemble *e, const mp_joined *j, int i, mp_arena *a)
{
    size_t at = (size_t)i * (size_t)mp_model_outputs(e->by[0].model);
    mp_words w = mp_words_of(&e->by[0], j->told + at, a);
    if (!j->shown) return w;
    w.shown = j->shown + at;
    w.spread = j->spread + at;
    return w;
}
