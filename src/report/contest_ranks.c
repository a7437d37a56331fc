/* contest_ranks.c - methods over data sets: which of them can be ranked on which sets, average ranks, signed ranks.
 * SPDX-License-Identifier: MIT */
#include "report/contest_own.h"

#include <math.h>

typedef mp_contest_maker maker;

static int methods_of(const maker *m, int set)
{
    int n = 0;
    for (int i = 0; i < m->methods; i++) n += isfinite(m->set[set].cell[i].score.mean);
    return n;
}

/* Of the sets of one name the one with the most methods: they are not independent. */
static bool stands_for_its_name(const maker *m, int set)
{
    int own = methods_of(m, set);
    if (own < 2) return false;
    for (int k = 0; k < m->sets; k++) {
        if (k == set || !mp_contest_same_name(&m->set[k], &m->set[set])) continue;
        int other = methods_of(m, k);
        if (other > own || (other == own && k < set)) return false;
    }
    return true;
}

/* How many methods have a score on all of the first `n` sets of the list; `in` (methods) says which. */
static int common(const maker *m, const int *list, int n, bool *in)
{
    int count = 0;
    for (int i = 0; i < m->methods; i++) {
        in[i] = true;
        for (int k = 0; k < n && in[i]; k++) in[i] = isfinite(m->set[list[k]].cell[i].score.mean);
        count += in[i];
    }
    return count;
}

/* Takes the sets that have the most methods, as many as give the largest full table of sets x methods. */
static int widest_block(const maker *m, const int *list, int n, bool *in)
{
    int best = 0;
    int64_t most = 0;
    for (int k = 2; k <= n; k++) {
        int64_t methods = common(m, list, k, in);
        if (methods >= 2 && methods * k >= most) best = k, most = methods * k;
    }
    if (best) common(m, list, best, in);
    return best;
}

static int list_sets(const maker *m, int *list)
{
    int n = 0;
    for (int many = m->methods; many >= 2; many--)
        for (int s = 0; s < m->sets; s++)
            if (methods_of(m, s) == many && stands_for_its_name(m, s)) list[n++] = s;
    return n;
}

static void sort_ranks(int *method, double *rank, int n)
{
    for (int i = 1; i < n; i++)
        for (int k = i; k > 0 && rank[k] < rank[k - 1]; k--) {
            double r = rank[k];
            int j = method[k];
            rank[k] = rank[k - 1], method[k] = method[k - 1];
            rank[k - 1] = r, method[k - 1] = j;
        }
}

static void make_ranks(maker *m, const int *list, int n, mp_contest *out)
{
    bool *in = MP_NEW(m->arena, bool, m->methods + 1);
    int *method = MP_NEW(m->arena, int, m->methods + 1), sets = widest_block(m, list, n, in), count = 0;
    if (!sets) return;
    for (int i = 0; i < m->methods; i++)
        if (in[i]) method[count++] = i;
    double *value = MP_NEW(m->arena, double, sets *count), *rank = MP_NEW(m->arena, double, count);
    for (int s = 0; s < sets; s++) {
        mp_contest_set *set = &m->set[list[s]];
        set->ranked = true;
        for (int i = 0; i < count; i++) {
            double mean = set->cell[method[i]].score.mean;
            value[s * count + i] = set->metric->larger ? mean : -mean;
        }
    }
    mp_rank_average(value, sets, count, false, MP_TIES_MIDDLE, m->arena, rank);
    out->ranks = (mp_contest_ranks){ .sets = sets, .methods = count, .method = method, .rank = rank };
    out->ranks.friedman = mp_compare_friedman(value, sets, count, false, m->arena);
    sort_ranks(method, rank, count);
    for (int i = 0; i < m->methods; i++)
        if (!in[i])
            mp_contest_note(m, mp_arena_printf(m->arena,
                                               "%s is not ranked over data sets: it has no score on some of them.",
                                               m->method[i]));
    for (int s = sets; s < n; s++)
        mp_contest_note(m, mp_arena_printf(m->arena, "%s is not in the ranks: it has scores of too few methods.",
                                           m->set[list[s]].name));
}

static mp_contest_tour tour_of(const maker *m, const int *list, int n, int a, int b)
{
    mp_contest_tour t = { .a = a, .b = b };
    double *d = MP_NEW(m->arena, double, n + 1), sum = 0;
    for (int s = 0; s < n; s++) {
        const mp_contest_cell *cell = m->set[list[s]].cell;
        double difference = cell[a].score.mean - cell[b].score.mean;
        if (isnan(difference)) continue;
        sum += difference;
        d[t.sets++] = difference;
    }
    t.difference = t.sets ? sum / t.sets : (double)NAN;
    t.ranks = mp_compare_signed_ranks(d, t.sets, m->arena);
    t.least = ldexp(1, 1 - t.sets);
    return t;
}

static void make_tours(const maker *m, const int *list, int n, mp_contest *out)
{
    int most = out->baseline < 0 ? m->methods * (m->methods - 1) / 2 : m->methods - 1;
    out->metric = m->set[list[0]].metric;
    mp_contest_tour *tour = MP_NEW(m->arena, mp_contest_tour, most + 1);
    double *p = MP_NEW(m->arena, double, most + 1), *adjusted = MP_NEW(m->arena, double, most + 1);
    for (int a = 0; a < m->methods; a++)
        for (int b = 0; b < m->methods; b++) {
            if (a == b || (out->baseline < 0 ? a > b : b != out->baseline)) continue;
            mp_contest_tour t = tour_of(m, list, n, a, b);
            if (t.sets < 2) continue;
            p[out->tours] = t.ranks.p;
            tour[out->tours++] = t;
        }
    mp_compare_holm(p, out->tours, m->arena, adjusted);
    for (int i = 0; i < out->tours; i++) {
        mp_contest_tour *t = &tour[i];
        bool few = t->least >= MP_CONTEST_LEVEL, better = (t->ranks.plus > t->ranks.minus) == out->metric->larger;
        t->adjusted = adjusted[i];
        t->claim = few ? MP_CLAIM_FEW : mp_contest_claim(p[i], adjusted[i], better);
    }
    out->tour = tour;
}

void mp_contest_over_sets(maker *m, mp_contest *out)
{
    int *list = MP_NEW(m->arena, int, m->sets + 1), n = list_sets(m, list);
    bool several = false;
    for (int i = 1; i < n; i++) several = several || m->set[list[i]].metric != m->set[list[0]].metric;
    if (n < 2) return;
    make_ranks(m, list, n, out);
    if (several)
        mp_contest_note(m, "Data sets have different metrics, whose differences have no common size: there is no "
                           "signed-rank test over them, ranks alone compare.");
    else
        make_tours(m, list, n, out);
}

int mp_contest_cliques(const mp_contest_ranks *r, int *from, int *to)
{
    int n = 0, last = -1;
    for (int i = 0; i < r->methods; i++) {
        int end = i;
        while (end + 1 < r->methods && r->rank[end + 1] - r->rank[i] < r->friedman.distance) end++;
        if (end == i || end <= last) continue;
        from[n] = i;
        to[n++] = last = end;
    }
    return n;
}
