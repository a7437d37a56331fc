/* fetch.c - see fetch.h. HTTPS only, redirects too; limits on size, on connecting and on standing still.
 * SPDX-License-Identifier: MIT */
#include "data/fetch.h"
#include "base/halt.h"
#include "data/gather.h"
#include "data/load.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#ifdef MP_HAVE_CURL
#include <curl/curl.h>
#endif

#define HOME "https://www.chrsmrrs.com/graphkerneldatasets/"

static mp_err read_as(const char *path, const char *name)
{
    mp_arena *a = mp_arena_new(1 << 16);
    mp_dataset d;
    mp_err e = mp_dataset_load(path, NULL, a, &d);
    if (e == MP_OK && strcmp(d.name, name) != 0)
        e = mp_fail(MP_ERR_INPUT, "the archive holds the data set %s, not %s", d.name, name);
    mp_arena_free(a);
    return e;
}

mp_err mp_fetch_accept(const char *downloaded, const char *name, const char *target)
{
    mp_err e = read_as(downloaded, name);
    if (e == MP_OK && rename(downloaded, target) != 0) e = mp_fail(MP_ERR_IO, "%s: %s", target, strerror(errno));
    if (e == MP_OK) return MP_OK;
    unlink(downloaded);
    return mp_fail_within(e, "%s was not taken over", name);
}

/* The name becomes part of an address and of a path: letters, digits and - _ + only. */
static mp_err check_name(const char *name)
{
    size_t n = strlen(name);
    if (n == 0 || n > 100 || strspn(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_+") != n)
        return mp_fail(MP_ERR_USAGE, "'%.60s' is not the name of a data set", name);
    return MP_OK;
}

#ifdef MP_HAVE_CURL

#define MOST_BYTES ((curl_off_t)2 << 30)

typedef struct transfer {
    FILE *file;
    curl_off_t bytes;
    mp_fetch_news *news;
    void *state;
} transfer;

static size_t take(char *p, size_t size, size_t n, void *state)
{
    transfer *t = state;
    t->bytes += (curl_off_t)(size * n);
    return t->bytes > MOST_BYTES ? 0 : fwrite(p, 1, size * n, t->file); /* fewer than given stops the transfer */
}

static int tell(void *state, curl_off_t total, curl_off_t now, curl_off_t up_total, curl_off_t up_now)
{
    transfer *t = state;
    (void)up_total, (void)up_now;
    if (t->news) t->news(t->state, (double)now, (double)total);
    return *mp_halt_asked() != 0; /* ends the transfer */
}

static void set_up(CURL *c, const char *address, transfer *t, char *why)
{
    curl_easy_setopt(c, CURLOPT_URL, address);
    curl_easy_setopt(c, CURLOPT_PROTOCOLS_STR, "https");
    curl_easy_setopt(c, CURLOPT_REDIR_PROTOCOLS_STR, "https");
    curl_easy_setopt(c, CURLOPT_FOLLOWLOCATION, 1L);
    curl_easy_setopt(c, CURLOPT_MAXREDIRS, 5L);
    curl_easy_setopt(c, CURLOPT_FAILONERROR, 1L);
    curl_easy_setopt(c, CURLOPT_CONNECTTIMEOUT, 20L);
    curl_easy_setopt(c, CURLOPT_LOW_SPEED_LIMIT, 1000L);
    curl_easy_setopt(c, CURLOPT_LOW_SPEED_TIME, 60L);
    curl_easy_setopt(c, CURLOPT_MAXFILESIZE_LARGE, MOST_BYTES);
    curl_easy_setopt(c, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(c, CURLOPT_USERAGENT, "midpool/" MP_VERSION);
    curl_easy_setopt(c, CURLOPT_ERRORBUFFER, why);
    curl_easy_setopt(c, CURLOPT_WRITEFUNCTION, take);
    curl_easy_setopt(c, CURLOPT_WRITEDATA, t);
    curl_easy_setopt(c, CURLOPT_NOPROGRESS, 0L);
    curl_easy_setopt(c, CURLOPT_XFERINFOFUNCTION, tell);
    curl_easy_setopt(c, CURLOPT_XFERINFODATA, t);
}

static mp_err transfer_to(transfer *t, const char *address)
{
    char why[CURL_ERROR_SIZE] = "";
    CURL *c = curl_easy_init();
    if (!c) return mp_fail(MP_ERR_IO, "%s: libcurl does not start", address);
    set_up(c, address, t, why);
    CURLcode code = curl_easy_perform(c);
    curl_easy_cleanup(c);
    if (code == CURLE_OK) return MP_OK;
    if (*mp_halt_asked()) return mp_fail(MP_ERR_IO, "%s: stopped", address);
    return mp_fail(MP_ERR_IO, "%s: %s", address, why[0] ? why : curl_easy_strerror(code));
}

static mp_err download(const char *address, const char *path, mp_fetch_news *news, void *state)
{
    transfer t = { fopen(path, "wbx"), 0, news, state };
    if (!t.file) return mp_fail(MP_ERR_IO, "%s: %s", path, strerror(errno));
    mp_err e = transfer_to(&t, address);
    if (fclose(t.file) != 0 && e == MP_OK) e = mp_fail(MP_ERR_IO, "%s: %s", path, strerror(errno));
    if (e != MP_OK) unlink(path);
    return e;
}

#else

static mp_err download(const char *address, const char *path, mp_fetch_news *news, void *state)
{
    (void)news, (void)state;
    return mp_fail(MP_ERR_IO, "this program was built without libcurl; fetch %s by other means and put it into %.*s",
                   address, (int)(strrchr(path, '/') - path), path);
}

#endif

mp_err mp_fetch(const char *name, mp_fetch_news *news, void *state, mp_arena *a, const char **path)
{
    MP_TRY(check_name(name));
    const char *cache = mp_cache_dir(a);
    if (!cache) return mp_fail(MP_ERR_IO, "no cache folder: neither XDG_CACHE_HOME nor HOME is set");
    MP_TRY(mp_make_folder(cache));
    const char *address = mp_arena_printf(a, HOME "%s.zip", name);
    const char *target = mp_arena_printf(a, "%s/%s.zip", cache, name);
    const char *temporary = mp_arena_printf(a, "%s/.%s.%ld.zip", cache, name, (long)getpid());
    mp_halt halt;
    mp_halt_begin(&halt, false); /* a transfer that is stopped takes its file away */
    mp_err e = download(address, temporary, news, state);
    if (e == MP_OK) e = mp_fetch_accept(temporary, name, target);
    mp_halt_end(&halt);
    *path = target;
    return e;
}
