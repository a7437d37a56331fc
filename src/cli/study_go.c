/* study_go.c - see study_go.h.
 * SPDX-License-Identifier: MIT */
#include "cli/study_go.h"
#include "cli/study_print.h"
#include "report/table.h"
#include "study/estimate.h"

mp_rule mp_study_rule(const mp_study_options *o)
{
    if (o->select != MP_SELECT_NESTED) return (mp_rule){ 0 };
    return (mp_rule){ .retrain = o->retrain, .inner = o->inner_folds };
}

/* What has to be run, and what it takes. */
static mp_err put_plan(mp_study *s, mp_buf *out)
{
    static const char *const header[] = { "data set", "model",      "points", "runs",          "there",
                                          "epochs",   "s an epoch", "MiB",    "minutes to go", NULL };
    mp_table t;
    double minutes = 0, most = 0;
    bool all_fit = true;
    MP_TRY(mp_study_read(s));
    mp_table_init(&t, s->arena, NULL, header);
    for (int i = 0; i < s->rows; i++) {
        const mp_study_row *row = &s->row[i];
        mp_estimate e;
        mp_forecast memory;
        char name[160];
        mp_err limit = mp_study_forecast(s, row, &memory);
        bool fits = limit == MP_OK;
        double bytes = (double)memory.bytes;
        if (!fits && limit != MP_ERR_LIMIT) return limit;
        MP_TRY(mp_study_estimate(s, row, &e));
        mp_study_row_name(row, name, sizeof name);
        mp_table_add(&t, "%s", row->data->name);
        mp_table_add(&t, "%s", name);
        mp_table_add(&t, "%d", row->points.count);
        mp_table_add(&t, "%lld", (long long)e.runs);
        mp_table_add(&t, "%d", e.there);
        mp_table_add(&t, "%d", e.epochs);
        mp_table_add(&t, "%.3f", e.seconds);
        mp_table_add(&t, "%.0f%s", bytes / 1048576, fits ? "" : " (not free)");
        mp_table_add(&t, "%.1f", e.minutes);
        mp_listener_now(&s->listener, "looking at rows: %d of %d", i + 1, s->rows);
        minutes += e.minutes;
        most = bytes > most ? bytes : most;
        all_fit = all_fit && fits;
    }
    mp_listener_end(&s->listener);
    mp_table_print(&t, out);
    mp_buf_printf(
        out,
        "\nAbout %.0f minutes and %.0f MiB with %d run%s side by side%s. Seconds an epoch are those of finished "
        "runs, else of two epochs of the widest setting; epochs likewise, else twice the patience and 20.\n",
        minutes, most / 1048576, s->jobs, mp_plural(s->jobs), all_fit ? "" : ", more than is free");
    return MP_OK;
}

static mp_err show_plan(mp_study *s)
{
    mp_buf out = { 0 };
    mp_err e = put_plan(s, &out);
    if (e == MP_OK) e = mp_cli_print(out.p, out.n);
    mp_buf_free(&out);
    return e;
}

mp_err mp_study_go(mp_study *s, const mp_study_options *o)
{
    mp_buf out = { 0 };
    mp_select mode = (mp_select)o->select;
    if (o->dry_run) return show_plan(s);
    MP_TRY(mp_study_run(s));
    mp_err e = o->json ? mp_study_json(s, mode, &out) : mp_study_print(s, mode, &out);
    if (e == MP_OK && o->show_points && !o->json) e = mp_study_print_points(s, mode, &out);
    if (e == MP_OK) e = mp_cli_print(out.p, out.n);
    mp_buf_free(&out);
    if (e == MP_OK && s->count.failed)
        e = mp_fail(MP_ERR_DIVERGED, "%d of %d runs failed", s->count.failed, s->count.total);
    return e;
}
