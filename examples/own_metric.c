/* own_metric.c - a metric of one's own: Cohen's kappa, agreement beyond what chance would give, and training chosen by it.
 *
 *     kappa = (p_o - p_e) / (1 - p_e);   p_o: share of right answers,   p_e: sum over classes of wanted share x answered share
 *
 *     cc own_metric.c $(pkg-config --cflags --libs midpool) && ./a.out
 * SPDX-License-Identifier: MIT */
#include <midpool/operator.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

static double kappa(const mp_column *c)
{
    double right = 0, chance = 0;
    double *wanted = MP_NEW(c->scratch, double, c->classes), *answered = MP_NEW(c->scratch, double, c->classes);
    for (int i = 0; i < c->n; i++) {
        right += c->want[i] == c->answer[i];
        wanted[(int)c->want[i]] += 1.0 / c->n;
        answered[(int)c->answer[i]] += 1.0 / c->n;
    }
    for (int k = 0; k < c->classes; k++) chance += wanted[k] * answered[k];
    return c->n == 0 || chance == 1 ? (double)NAN : (right / c->n - chance) / (1 - chance);
}

static const mp_metric row = { .name = "kappa", .title = "Cohen's kappa", .larger = true, .measure = kappa };

/* Rings, and stars in class 1: one in four. */
enum { GRAPHS = 120, NODES = 8 };

static mp_err make(mp_data **out)
{
    static int node_ptr[GRAPHS + 1], from[GRAPHS * NODES], to[GRAPHS * NODES], edges;
    static double label[GRAPHS];
    for (int b = 0; b < GRAPHS; b++) {
        int first = NODES * b, star = b % 4 == 0;
        for (int v = 0; v < NODES - star; v++, edges++) {
            from[edges] = first + (star ? 0 : v);
            to[edges] = first + (v + 1) % NODES;
        }
        node_ptr[b + 1] = first + NODES;
        label[b] = star;
    }
    mp_arrays in = {
        .graphs = GRAPHS, .edges = edges, .node_ptr = node_ptr, .from = from, .to = to, .targets = 1, .label = label
    };
    return mp_data_make(&in, out);
}

int main(void)
{
    static const char *const options[] = { "metric=kappa", "stop-on=metric", "pool=topk", "hidden=32",
                                           "layers=2",     "epochs=30",      "lr=0.01",   NULL };
    mp_data *data = NULL;
    mp_trained *model = NULL;
    mp_result r;
    mp_err e = mp_metric_add(&row, "classify");
    if (e == MP_OK) e = make(&data);
    if (e == MP_OK) e = mp_train(data, options, NULL, &model, &r);
    if (e != MP_OK) fprintf(stderr, "own_metric: %s\n", mp_message());
    for (int i = 0; e == MP_OK && i < r.metrics; i++)
        printf("%s%s of test graphs: %.3f\n", r.test[i].name, strcmp(r.test[i].name, r.metric) ? "" : " (it leads)",
               r.test[i].value);
    mp_trained_free(model);
    mp_data_free(data);
    return e == MP_OK ? 0 : 1;
}
