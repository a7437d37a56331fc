/* work.c - see work.h.
 *
 * A claim is one row that is inserted, or taken from a worker that is dead: whoever does it first has it. The run is looked for
 * after that, because whoever finishes a run stores it and ends the claim in one transaction.
 * SPDX-License-Identifier: MIT */
#include "store/work.h"
#include "store/db.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>

static const char worker_sql[] =
    "INSERT INTO worker (id, host, boot, pid, birth, command, plan, total, finished, started, beat)"
    " VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, @now, @now)"
    " ON CONFLICT (id) DO UPDATE SET beat = excluded.beat, finished = excluded.finished";
static const char workers_sql[] = "SELECT id, host, boot, pid, birth, command, plan, total, finished, @now - started,"
                                  " @now - beat FROM worker ORDER BY started, id";
static const char holder_sql[] = "SELECT id, host, boot, pid, birth, @now - beat FROM worker"
                                 " WHERE id = (SELECT worker FROM lease WHERE key = $1)";
static const char claim_sql[] = "INSERT INTO lease (key, worker, dataset, pool, seed, fold, started)"
                                " VALUES ($1, $2, $3, $4, $5, $6, @now) ON CONFLICT (key) DO NOTHING RETURNING key";
static const char take_sql[] = "UPDATE lease SET worker = $1, started = @now, epoch = 0, epochs = 0, loss = NULL"
                               " WHERE key = $2 AND worker = $3 RETURNING key";
static const char news_sql[] =
    "INSERT INTO lease (key, worker, dataset, pool, seed, fold, epoch, epochs, loss, started)"
    " VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, @now)"
    " ON CONFLICT (key) DO UPDATE SET epoch = excluded.epoch, epochs = excluded.epochs,"
    " loss = excluded.loss WHERE lease.worker = excluded.worker";
static const char leases_sql[] = "SELECT key, dataset, pool, seed, fold, epoch, epochs, loss, @now - started FROM lease"
                                 " WHERE worker = $1 ORDER BY dataset, pool, seed, fold, key";

/* ---- one statement ---- */

/* Runs a statement that was bound; in `*row` (may be NULL): whether it gave one. */
static mp_err finish(mp_stmt *stmt, const char *doing, bool *row)
{
    bool unused;
    mp_err e = mp_db_step(stmt, doing, row ? row : &unused);
    mp_db_end(stmt);
    return e;
}

static mp_err with_text(mp_store *s, const char *sql, const char *text, const char *doing)
{
    mp_stmt *stmt;
    int at = 1;
    MP_TRY(mp_db_prepare(s, sql, &stmt));
    mp_bind_text(stmt, &at, text);
    return finish(stmt, doing, NULL);
}

/* ---- beginning and end ---- */

static void bind_key(mp_store *s, mp_stmt *stmt, int *at, const char *hash, const mp_run_key *key)
{
    mp_bind_text(stmt, at, hash);
    mp_bind_text(stmt, at, s->work);
    mp_bind_text(stmt, at, key->dataset);
    mp_bind_text(stmt, at, key->config.pool);
    mp_bind_int(stmt, at, key->config.seed);
    mp_bind_int(stmt, at, key->fold);
}

/* The worker's row, made or refreshed. */
static mp_err put_worker(mp_store *s, const mp_work_plan *plan)
{
    mp_process self;
    mp_stmt *stmt;
    int at = 1;
    mp_process_self(&self);
    MP_TRY(mp_db_prepare(s, worker_sql, &stmt));
    mp_bind_text(stmt, &at, s->work);
    mp_bind_text(stmt, &at, self.host);
    mp_bind_text(stmt, &at, self.boot);
    mp_bind_int(stmt, &at, self.pid);
    mp_bind_int(stmt, &at, self.birth);
    mp_bind_text(stmt, &at, plan->command);
    mp_bind_text(stmt, &at, plan->hash);
    mp_bind_int(stmt, &at, plan->total);
    mp_bind_int(stmt, &at, plan->finished);
    return finish(stmt, "giving a sign of life", NULL);
}

static mp_err remove_worker(mp_store *s, const char *id)
{
    return with_text(s, "DELETE FROM worker WHERE id = $1", id, "ending work"); /* its leases go with it */
}

static bool is_dead(const mp_process *p, double silent)
{
    return !(silent <= MP_WORK_DEAD_SECONDS) || mp_process_gone(p);
}

/* Of this very process: a work that could not be ended. */
static bool is_self(const mp_process *p)
{
    mp_process self;
    mp_process_self(&self);
    return memcmp(&self, p, sizeof self) == 0;
}

static mp_err note_time(mp_store *s)
{
    mp_stmt *stmt;
    bool row;
    MP_TRY(mp_db_prepare(s, "SELECT @stamp", &stmt));
    mp_err e = mp_db_step(stmt, "reading the clock", &row);
    if (row) snprintf(s->work_began, sizeof s->work_began, "%s", mp_column_text(stmt, 0));
    mp_db_end(stmt);
    return e;
}

static mp_err begin_body(mp_store *s, void *context)
{
    const mp_store_worker *w;
    int n;
    mp_arena *a = mp_arena_new(1 << 14);
    mp_err e = mp_store_workers(s, a, &w, &n);
    for (int i = 0; i < n && e == MP_OK; i++)
        if (w[i].dead || is_self(&w[i].process)) e = remove_worker(s, w[i].id);
    mp_arena_free(a);
    if (e == MP_OK) e = put_worker(s, context);
    return e == MP_OK ? note_time(s) : e;
}

static mp_err random_id(char out[33])
{
    unsigned char bytes[16];
    if (getrandom(bytes, sizeof bytes, 0) != (ssize_t)sizeof bytes)
        return mp_fail(MP_ERR_IO, "no random number for a worker");
    for (int i = 0; i < 16; i++) snprintf(out + 2 * i, 3, "%02x", bytes[i]);
    return MP_OK;
}

mp_err mp_store_work_begin(mp_store *s, const mp_work_plan *plan)
{
    mp_assert(!s->work[0]);
    MP_TRY(random_id(s->work));
    mp_work_plan copy = *plan;
    snprintf(s->work_command, sizeof s->work_command, "%s", plan->command);
    snprintf(s->work_hash, sizeof s->work_hash, "%s", plan->hash);
    s->work_total = plan->total;
    mp_err e = mp_db_quick(s, begin_body, &copy);
    if (e != MP_OK) s->work[0] = '\0';
    return e;
}

static mp_err end_body(mp_store *s, void *context)
{
    return remove_worker(s, context);
}

mp_err mp_store_work_end(mp_store *s)
{
    char id[sizeof s->work];
    memcpy(id, s->work, sizeof id);
    s->work[0] = '\0';
    return id[0] ? mp_db_quick(s, end_body, id) : MP_OK;
}

/* ---- claims ---- */

typedef struct claim {
    const mp_run_key *key;
    char hash[65];
    bool again;
    mp_claim got;
} claim;

static mp_err insert_lease(mp_store *s, const claim *c, bool *got)
{
    mp_stmt *stmt;
    int at = 1;
    MP_TRY(mp_db_prepare(s, claim_sql, &stmt));
    bind_key(s, stmt, &at, c->hash, c->key);
    return finish(stmt, "claiming a run", got);
}

static void read_process(mp_stmt *stmt, int i, mp_process *out)
{
    memset(out, 0, sizeof *out);
    snprintf(out->host, sizeof out->host, "%s", mp_column_text(stmt, i));
    snprintf(out->boot, sizeof out->boot, "%s", mp_column_text(stmt, i + 1));
    out->pid = mp_column_int(stmt, i + 2);
    out->birth = mp_column_int(stmt, i + 3);
}

/* Who has a run: "" when nobody has it (any more), or when it is free because its holder is dead. */
static mp_err find_holder(mp_store *s, const char *hash, char id[65], bool *dead)
{
    mp_stmt *stmt;
    mp_process p;
    int at = 1;
    bool row;
    id[0] = '\0';
    *dead = false;
    MP_TRY(mp_db_prepare(s, holder_sql, &stmt));
    mp_bind_text(stmt, &at, hash);
    mp_err e = mp_db_step(stmt, "claiming a run", &row);
    if (e == MP_OK && row) {
        snprintf(id, 65, "%s", mp_column_text(stmt, 0));
        read_process(stmt, 1, &p);
        *dead = is_dead(&p, mp_column_real(stmt, 5));
    }
    mp_db_end(stmt);
    return e;
}

static mp_err take_over(mp_store *s, const claim *c, const char *from, bool *got)
{
    mp_stmt *stmt;
    int at = 1;
    MP_TRY(mp_db_prepare(s, take_sql, &stmt));
    mp_bind_text(stmt, &at, s->work);
    mp_bind_text(stmt, &at, c->hash);
    mp_bind_text(stmt, &at, from);
    return finish(stmt, "claiming a run", got);
}

static mp_err get_lease(mp_store *s, const claim *c, bool *got)
{
    char holder[65];
    bool dead;
    MP_TRY(insert_lease(s, c, got));
    if (*got) return MP_OK;
    MP_TRY(find_holder(s, c->hash, holder, &dead));
    *got = strcmp(holder, s->work) == 0;
    return dead ? take_over(s, c, holder, got) : MP_OK;
}

static mp_err drop_lease(mp_store *s, const char *hash)
{
    mp_stmt *stmt;
    int at = 1;
    MP_TRY(mp_db_prepare(s, "DELETE FROM lease WHERE key = $1 AND worker = $2", &stmt));
    mp_bind_text(stmt, &at, hash);
    mp_bind_text(stmt, &at, s->work);
    return finish(stmt, "releasing a run", NULL);
}

/* Whether a run failed after this work began, in a try of another. */
static mp_err failed_since(mp_store *s, const char *hash, bool *out)
{
    mp_stmt *stmt;
    int at = 1;
    MP_TRY(mp_db_prepare(s, "SELECT 1 FROM run WHERE key = $1 AND status = 'failed' AND finished > $2", &stmt));
    mp_bind_text(stmt, &at, hash);
    mp_bind_text(stmt, &at, s->work_began);
    return finish(stmt, "claiming a run", out);
}

static mp_err claim_body(mp_store *s, void *context)
{
    claim *c = context;
    bool got, failed = false;
    mp_run_status status;
    c->got = MP_CLAIM_HELD;
    MP_TRY(get_lease(s, c, &got));
    if (!got) return MP_OK;
    MP_TRY(mp_store_has(s, c->key, &status));
    if (status == MP_RUN_FAILED) MP_TRY(failed_since(s, c->hash, &failed));
    c->got = MP_CLAIM_MINE;
    if (failed) c->got = MP_CLAIM_FAILED;
    if (status == MP_RUN_DONE && !c->again) c->got = MP_CLAIM_DONE;
    return c->got == MP_CLAIM_MINE ? MP_OK : drop_lease(s, c->hash);
}

mp_err mp_store_claim(mp_store *s, const mp_run_key *key, bool again, mp_claim *out)
{
    mp_assert(s->work[0]);
    claim c = { .key = key, .again = again };
    mp_run_key_hash(key, c.hash);
    MP_TRY(mp_db_quick(s, claim_body, &c));
    *out = c.got;
    return MP_OK;
}

/* At once and not with the next sign of life: the store has the run, so who counts its runs expects it here too. */
static mp_err count_finished(mp_store *s)
{
    return with_text(s, "UPDATE worker SET finished = finished + 1 WHERE id = $1", s->work, "counting a run");
}

mp_err mp_work_release(mp_store *s, const mp_run_key *key, bool finished)
{
    char hash[65];
    if (!s->work[0]) return MP_OK;
    if (finished) MP_TRY(count_finished(s));
    mp_run_key_hash(key, hash);
    return drop_lease(s, hash);
}

static mp_err release_body(mp_store *s, void *context)
{
    return mp_work_release(s, context, false);
}

mp_err mp_store_release(mp_store *s, const mp_run_key *key)
{
    mp_run_key copy = *key;
    return mp_db_quick(s, release_body, &copy);
}

/* ---- signs of life ---- */

typedef struct beat {
    int finished, n;
    const mp_claim_news *news;
} beat;

static mp_err put_news(mp_store *s, mp_stmt *stmt, const mp_claim_news *n)
{
    char hash[65];
    int at = 1;
    bool row;
    mp_run_key_hash(n->key, hash);
    bind_key(s, stmt, &at, hash, n->key);
    mp_bind_int(stmt, &at, n->epoch);
    mp_bind_int(stmt, &at, n->epochs);
    mp_bind_real(stmt, &at, n->loss);
    mp_err e = mp_db_step(stmt, "giving a sign of life", &row);
    mp_db_again(stmt);
    return e;
}

static mp_err beat_body(mp_store *s, void *context)
{
    const beat *b = context;
    mp_stmt *stmt;
    MP_TRY(put_worker(s, &(mp_work_plan){ s->work_command, s->work_hash, s->work_total, b->finished }));
    MP_TRY(mp_db_prepare(s, news_sql, &stmt));
    mp_err e = MP_OK;
    for (int i = 0; i < b->n && e == MP_OK; i++) e = put_news(s, stmt, &b->news[i]);
    mp_db_end(stmt);
    return e;
}

mp_err mp_store_beat(mp_store *s, int finished, const mp_claim_news *news, int n)
{
    mp_assert(s->work[0]);
    return mp_db_quick(s, beat_body, &(beat){ finished, n, news });
}

/* ---- who is there ---- */

static int whole(mp_stmt *stmt, int i)
{
    int64_t v = mp_column_int(stmt, i);
    return v < 0 ? 0 : v > INT_MAX ? INT_MAX : (int)v;
}

static const char *copy_text(mp_stmt *stmt, int i, mp_arena *a)
{
    const char *t = mp_column_text(stmt, i);
    return mp_arena_text(a, t, strlen(t));
}

static mp_err read_leases(mp_store *s, mp_arena *a, mp_store_worker *w)
{
    mp_stmt *stmt;
    mp_store_lease *lease = NULL;
    int at = 1, room = 0;
    bool row = true;
    MP_TRY(mp_db_prepare(s, leases_sql, &stmt));
    mp_bind_text(stmt, &at, w->id);
    mp_err e = MP_OK;
    while ((e = mp_db_step(stmt, "reading who is at work", &row)) == MP_OK && row) {
        if (w->leases == room) {
            room = mp_room(room, (int64_t)room + 1, 16, "claims");
            MP_MORE(a, lease, w->leases, room);
        }
        lease[w->leases++] = (mp_store_lease){ .key = copy_text(stmt, 0, a),
                                               .dataset = copy_text(stmt, 1, a),
                                               .pool = copy_text(stmt, 2, a),
                                               .seed = whole(stmt, 3),
                                               .fold = whole(stmt, 4),
                                               .epoch = whole(stmt, 5),
                                               .epochs = whole(stmt, 6),
                                               .loss = mp_column_real(stmt, 7),
                                               .seconds = mp_column_real(stmt, 8) };
    }
    mp_db_end(stmt);
    w->lease = lease;
    return e;
}

static void read_worker(mp_stmt *stmt, mp_arena *a, mp_store_worker *w)
{
    *w = (mp_store_worker){ .id = copy_text(stmt, 0, a),
                            .command = copy_text(stmt, 5, a),
                            .plan = copy_text(stmt, 6, a),
                            .total = whole(stmt, 7),
                            .finished = whole(stmt, 8),
                            .seconds = mp_column_real(stmt, 9),
                            .silent = mp_column_real(stmt, 10) };
    read_process(stmt, 1, &w->process);
    w->dead = is_dead(&w->process, w->silent);
}

mp_err mp_store_workers(mp_store *s, mp_arena *a, const mp_store_worker **out, int *n)
{
    mp_stmt *stmt;
    mp_store_worker *w = NULL;
    int count = 0, room = 0;
    bool row = true;
    *out = NULL;
    *n = 0;
    if (s->version < 7) return MP_OK;
    MP_TRY(mp_db_prepare(s, workers_sql, &stmt));
    mp_err e = MP_OK;
    while ((e = mp_db_step(stmt, "reading who is at work", &row)) == MP_OK && row) {
        if (count == room) {
            room = mp_room(room, (int64_t)room + 1, 16, "workers");
            MP_MORE(a, w, count, room);
        }
        read_worker(stmt, a, &w[count++]);
    }
    mp_db_end(stmt);
    for (int i = 0; i < count && e == MP_OK; i++) e = read_leases(s, a, &w[i]);
    *out = w;
    *n = count;
    return e;
}
