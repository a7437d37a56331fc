/* answers.c - see answers.h.
 * SPDX-License-Identifier: MIT */
#include "cli/answers.h"
#include "base/json.h"

#include <inttypes.h>

static const mp_goal *goal_of(const mp_answerer *m)
{
    return mp_model_goal(m->model);
}

mp_words mp_words_of(const mp_answerer *m, const mp_real *told, mp_arena *a)
{
    const mp_goal *g = goal_of(m);
    int outputs = mp_goal_outputs(g);
    double *answer = MP_NEW_RAW(a, double, g->columns), *shown = MP_NEW_RAW(a, double, outputs);
    g->task->answer(g, told, answer);
    g->task->show(g, told, shown);
    return (mp_words){ g->columns, outputs, answer, shown, NULL };
}

void mp_words_label(const mp_answerer *m, const mp_words *w, int column, mp_buf *out)
{
    int class = (int)w->answer[column];
    if (m->about.class_name)
        mp_buf_puts(out, m->about.class_name[class]);
    else if (!goal_of(m)->task->classes)
        mp_buf_printf(out, "%.6g", w->answer[column]);
    else
        mp_buf_printf(out, "%" PRId64, m->about.class_value[class]);
}

/* Where in the shown numbers the one behind the answer of a column is. */
static int behind(const mp_answerer *m, const mp_words *w, int column)
{
    return goal_of(m)->task->classes ? (int)w->answer[column] : column;
}

double mp_words_behind(const mp_answerer *m, const mp_words *w, int column)
{
    return w->shown[behind(m, w, column)];
}

double mp_words_spread(const mp_answerer *m, const mp_words *w, int column)
{
    return w->spread[behind(m, w, column)];
}

void mp_words_head(const mp_answerer *m, const char *word, int column, mp_buf *out)
{
    mp_buf_puts(out, word);
    if (m->about.target_name)
        mp_buf_printf(out, "_%s", m->about.target_name[column]);
    else if (goal_of(m)->columns > 1)
        mp_buf_printf(out, "_%d", column);
}

void mp_words_class_head(const mp_answerer *m, int class, mp_buf *out)
{
    mp_buf_puts(out, "p_");
    mp_words_label(m, &(mp_words){ .columns = 1, .answer = &(double){ class } }, 0, out);
}

void mp_words_shown_head(const mp_answerer *m, int column, mp_buf *out)
{
    const mp_task *task = goal_of(m)->task;
    if (task->yes_no && m->about.class_name)
        mp_words_class_head(m, 1, out);
    else
        mp_words_head(m, task->shown_word, column, out);
}

void mp_words_classes_json(const mp_answerer *m, mp_buf *b)
{
    int n = m->about.class_names ? m->about.class_names : m->about.classes;
    mp_json_key(b, "classes");
    mp_json_open(b, '[');
    for (int c = 0; c < n; c++) {
        if (m->about.class_name)
            mp_json_put_text(b, m->about.class_name[c]);
        else
            mp_json_put_int(b, m->about.class_value[c]);
    }
    mp_json_close(b, ']');
}

static void put_answer(const mp_answerer *m, const mp_words *w, int column, mp_buf *b)
{
    if (!goal_of(m)->task->classes && !m->about.class_name) {
        mp_json_put_real(b, w->answer[column]);
        return;
    }
    mp_buf text = { 0 };
    mp_words_label(m, w, column, &text);
    if (m->about.class_name)
        mp_json_put_text(b, text.p);
    else
        mp_json_put_raw(b, text.p);
    mp_buf_free(&text);
}

static void open_member(const mp_answerer *m, const char *word, int column, mp_buf *b)
{
    mp_buf key = { 0 };
    mp_words_head(m, word, column, &key);
    mp_json_key(b, key.p);
    mp_buf_free(&key);
}

static void put_list(const char *key, const double *v, int n, mp_buf *b)
{
    mp_json_key(b, key);
    mp_json_open(b, '[');
    for (int i = 0; i < n; i++) mp_json_put_real(b, v[i]);
    mp_json_close(b, ']');
}

/* Labels with names: a member for each. */
static void put_named(const mp_answerer *m, const mp_words *w, mp_buf *b)
{
    const mp_task *task = goal_of(m)->task;
    for (int t = 0; t < w->columns; t++) {
        open_member(m, task->json_answer, t, b);
        put_answer(m, w, t, b);
        if (task->shown_word && !task->classes) {
            open_member(m, task->shown_word, t, b);
            mp_json_put_real(b, w->shown[t]);
        }
        if (!w->spread) continue;
        open_member(m, "spread", t, b);
        mp_json_put_real(b, mp_words_spread(m, w, t));
    }
    if (task->classes) put_list(task->json_shown, w->shown, w->shows, b);
}

static void put_spread(const mp_answerer *m, const mp_words *w, mp_buf *b)
{
    bool several = w->columns > 1;
    mp_json_key(b, several ? "spreads" : "spread");
    if (several) mp_json_open(b, '[');
    for (int t = 0; t < w->columns; t++) mp_json_put_real(b, mp_words_spread(m, w, t));
    if (several) mp_json_close(b, ']');
}

static void put_numbered(const mp_answerer *m, const mp_words *w, mp_buf *b)
{
    const mp_task *task = goal_of(m)->task;
    const char *key = task->json_answer;
    bool several = w->columns > 1, list = several || task->yes_no || task->classes;
    mp_buf plural = { 0 };
    mp_buf_printf(&plural, "%ss", key);
    mp_json_key(b, several ? plural.p : key);
    if (several) mp_json_open(b, '[');
    for (int t = 0; t < w->columns; t++) put_answer(m, w, t, b);
    if (several) mp_json_close(b, ']');
    mp_buf_free(&plural);
    if (task->shown_word && list)
        put_list(task->json_shown, w->shown, w->shows, b);
    else if (task->shown_word)
        mp_json_add_real(b, task->shown_word, w->shown[0]);
    if (w->spread) put_spread(m, w, b);
}

void mp_words_json(const mp_answerer *m, const mp_words *w, mp_buf *b)
{
    if (m->about.target_name)
        put_named(m, w, b);
    else
        put_numbered(m, w, b);
}

void mp_words_text(const mp_answerer *m, const mp_words *w, mp_buf *b)
{
    const mp_task *task = goal_of(m)->task;
    for (int t = 0; t < w->columns; t++) {
        if (t) mp_buf_puts(b, "; ");
        if (m->about.target_name) mp_buf_printf(b, "%s: ", m->about.target_name[t]);
        if (task->shown_word && !task->classes && !task->yes_no)
            mp_buf_printf(b, "%s %.4f, ", task->shown_word, mp_words_behind(m, w, t));
        mp_buf_printf(b, "%s ", task->answer_word);
        mp_words_label(m, w, t, b);
        if (task->classes || task->yes_no) mp_buf_printf(b, " with %s", task->shown_word);
        if (task->yes_no && m->about.class_name) mp_buf_printf(b, " of %s", m->about.class_name[1]);
        if (task->classes || task->yes_no) mp_buf_printf(b, " %.4f", mp_words_behind(m, w, t));
    }
}
