/* haar_store.c - the chains of all graphs of a data set: made once, in parallel, and kept in a file.
 *
 * The clusterings are what takes time, so the file has those; bases follow from them in a moment. Its name is
 * a hash of what the clusterings depend on (data set, levels, version), its first line a hash of its
 * contents. A file that is not as it should be counts as none.
 * SPDX-License-Identifier: MIT */
#include "base/crew.h"
#include "base/sha256.h"
#include "base/text.h"
#include "baseline/haar.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define FORMAT      "midpool haar 1" /* to be raised when the same graphs get other clusters */
#define HASH        64               /* hexadecimal digits in front of the numbers */
#define CHUNKS      100              /* reports of progress */
#define LEVELS_MOST 64

typedef struct making {
    const mp_graph *all;
    int levels, first; /* first: graph of this chunk */
    mp_chain *chain;
    int **parent;       /* where chain's lists may be written: levels a graph */
    mp_arena **scratch; /* one a thread */
    int *number;        /* all lists, one after another: what the file holds */
    size_t numbers;
} making;

/* Room for all lists; how long they are follows from the sizes of the graphs. */
static void lay_out(mp_arena *a, making *m)
{
    int graphs = m->all->graphs;
    m->chain = MP_NEW(a, mp_chain, graphs);
    m->parent = MP_NEW(a, int *, (size_t)graphs *(size_t)m->levels);
    for (int b = 0; b < graphs; b++) {
        m->chain[b] =
            (mp_chain){ m->levels, mp_chain_sizes(a, m->all->node_ptr[b + 1] - m->all->node_ptr[b], m->levels),
                        (const int *const *)(m->parent + (size_t)b * (size_t)m->levels) };
        for (int l = 0; l < m->levels; l++) m->numbers += (size_t)m->chain[b].size[l];
    }
    m->number = MP_NEW(a, int, m->numbers + 1);
    int *next = m->number;
    for (int b = 0; b < graphs; b++) {
        for (int l = 0; l < m->levels; l++) {
            m->parent[(size_t)b * (size_t)m->levels + (size_t)l] = next;
            next += m->chain[b].size[l];
        }
    }
}

static void make_one(void *arg, int index, int worker)
{
    making *m = arg;
    int b = m->first + index;
    mp_arena_reset(m->scratch[worker]);
    mp_chain_fill(m->scratch[worker], m->all, b, &m->chain[b], m->parent + (size_t)b * (size_t)m->levels);
}

static void make_all(making *m, const mp_prepare *how, mp_arena *a)
{
    mp_crew *crew = mp_crew_new(how->threads > 0 ? how->threads : 1);
    int total = m->all->graphs, chunk = total / CHUNKS + 1, size = mp_crew_size(crew);
    if (chunk < 4 * size) chunk = 4 * size;
    m->scratch = MP_NEW(a, mp_arena *, size);
    for (int i = 0; i < size; i++) m->scratch[i] = mp_arena_new(1 << 16);
    for (m->first = 0; m->first < total; m->first += chunk) {
        mp_crew_run(crew, total - m->first < chunk ? total - m->first : chunk, make_one, m);
        if (how->progress) how->progress(how->state, m->first + chunk < total ? m->first + chunk : total, total);
    }
    for (int i = 0; i < size; i++) mp_arena_free(m->scratch[i]);
    mp_crew_free(crew);
}

/* ---- the file */

static const char *file_name(mp_arena *a, const mp_prepare *how, int levels)
{
    char hex[HASH + 1];
    const char *key = mp_arena_printf(a, "%s %016" PRIx64 " %d", FORMAT, how->fingerprint, levels);
    mp_sha256_hex(key, strlen(key), hex);
    return mp_arena_printf(a, "%s/haar-%.32s", how->cache, hex);
}

static void hash_of(const making *m, char hex[HASH + 1])
{
    mp_sha256_hex(m->number, m->numbers * sizeof(int), hex);
}

/* Every node has a cluster, and every cluster a node. */
static bool makes_sense(const making *m, mp_arena *scratch)
{
    for (int b = 0; b < m->all->graphs; b++) {
        for (int l = 0; l < m->levels; l++) {
            int n = m->chain[b].size[l], K = m->chain[b].size[l + 1], met = 0;
            mp_arena_reset(scratch);
            char *seen = MP_NEW(scratch, char, K);
            for (int v = 0; v < n; v++) {
                int q = m->chain[b].parent[l][v];
                if (q < 0 || q >= K) return false;
                met += !seen[q];
                seen[q] = 1;
            }
            if (met != K) return false;
        }
    }
    return true;
}

static bool read_file(making *m, const char *path, mp_arena *scratch)
{
    mp_span text;
    char hex[HASH + 1];
    size_t bytes = m->numbers * sizeof(int);
    if (mp_slurp(path, HASH + bytes + 1, scratch, &text) != MP_OK) return false; /* none yet is the usual case */
    if (text.n != HASH + bytes) return false;
    memcpy(m->number, text.p + HASH, bytes);
    hash_of(m, hex);
    bool same = memcmp(hex, text.p, HASH) == 0 && makes_sense(m, scratch);
    if (!same) memset(m->number, 0, bytes);
    return same;
}

static mp_err write_file(const making *m, const char *path)
{
    char hex[HASH + 1];
    mp_buf b = MP_BUF_LOCAL;
    hash_of(m, hex);
    mp_buf_add(&b, hex, HASH);
    mp_buf_add(&b, m->number, m->numbers * sizeof(int));
    mp_err e = mp_write_file(path, b.p, b.n);
    mp_buf_free(&b);
    return e;
}

static void chains_of(making *m, const mp_prepare *how, mp_arena *a)
{
    mp_arena *scratch = mp_arena_new(1 << 16);
    const char *path = how->cache ? file_name(a, how, m->levels) : NULL;
    if (!path || !read_file(m, path, scratch)) {
        make_all(m, how, a);
        mp_err e = path ? write_file(m, path) : MP_OK;
        if (e != MP_OK && how->note) how->note(how->state, mp_message()); /* slower next time, nothing worse */
    }
    mp_arena_free(scratch);
}

/* The bases of chains that are known, in front of what the graphs have already. */
static void keep(const making *m, mp_arena *a, mp_graph *all)
{
    mp_haar_store *store = MP_NEW(a, mp_haar_store, 1);
    mp_haar_graph *graph = MP_NEW(a, mp_haar_graph, all->graphs);
    mp_arena *scratch = mp_arena_new(1 << 16);
    for (int b = 0; b < all->graphs; b++) {
        mp_arena_reset(scratch);
        graph[b] = (mp_haar_graph){ m->chain[b], mp_haar_phis(a, scratch, &m->chain[b]) };
    }
    mp_arena_free(scratch);
    *store = (mp_haar_store){ m->levels, all->graphs, graph, all->extra };
    all->extra = store;
}

mp_err mp_haar_prepare(const mp_config *conf, const mp_prepare *how, mp_arena *a, mp_graph *all)
{
    int levels = mp_haar_levels(conf);
    if (levels == 1 || mp_haar_kept(all, levels)) return MP_OK; /* one cluster needs no clustering */
    making m = { .all = all, .levels = levels };
    lay_out(a, &m);
    chains_of(&m, how, a);
    keep(&m, a, all);
    return MP_OK;
}

/* ---- as bytes */

void mp_haar_pack(const mp_graph *all, mp_buf *out)
{
    int stores = 0;
    for (const mp_haar_store *s = all->extra; s; s = s->next) stores++;
    mp_bytes_put_int(out, stores);
    for (const mp_haar_store *s = all->extra; s; s = s->next) {
        mp_bytes_put_int(out, s->levels);
        for (int b = 0; b < s->graphs; b++)
            for (int l = 0; l < s->levels; l++)
                mp_buf_add(out, s->graph[b].chain.parent[l], sizeof(int) * (size_t)s->graph[b].chain.size[l]);
    }
}

static mp_err unpack_one(mp_bytes *b, int levels, mp_arena *a, mp_graph *all)
{
    making m = { .all = all, .levels = levels };
    lay_out(a, &m);
    size_t bytes = m.numbers * sizeof(int);
    if (b->rest.n < bytes) return mp_fail(MP_ERR_INPUT, "Haar clusters: half of them");
    memcpy(m.number, b->rest.p, bytes);
    b->rest = (mp_span){ b->rest.p + bytes, b->rest.n - bytes };
    mp_arena *scratch = mp_arena_new(1 << 16);
    bool fine = makes_sense(&m, scratch);
    mp_arena_free(scratch);
    if (!fine) return mp_fail(MP_ERR_INPUT, "Haar clusters: not a clustering");
    keep(&m, a, all);
    return MP_OK;
}

mp_err mp_haar_unpack(mp_bytes *b, mp_arena *a, mp_graph *all)
{
    int stores = (int)mp_bytes_int(b, 0, LEVELS_MOST);
    for (int i = 0; i < stores; i++) {
        int levels = (int)mp_bytes_int(b, 2, LEVELS_MOST);
        if (b->bad) break;
        MP_TRY(unpack_one(b, levels, a, all));
    }
    return b->bad ? mp_fail(MP_ERR_INPUT, "Haar clusters: no number of levels") : MP_OK;
}
