/* postgres_url.c - see postgres_url.h. A password is whatever may be one: all between the first colon and the last @ before the
 * parameters, and every parameter with "pass" in its name.
 * SPDX-License-Identifier: MIT */
#include "store/postgres_url.h"

#include <stdlib.h>
#include <string.h>

#define HIDDEN_MOST 16 /* URLs with a password, of a command line */

static struct {
    char *shown, *whole;
} hidden[HIDDEN_MOST];
static int n_hidden;

static const char *const schemes[] = { "postgresql://", "postgres://" };

static const char *after_scheme(const char *where)
{
    for (int i = 0; i < 2; i++)
        if (strncmp(where, schemes[i], strlen(schemes[i])) == 0) return where + strlen(schemes[i]);
    return NULL;
}

bool mp_postgres_takes(const char *where)
{
    return after_scheme(where) != NULL;
}

static mp_span cut(const char *from, const char *to)
{
    return (mp_span){ from, (size_t)(to - from) };
}

static void add(mp_buf *b, mp_span s)
{
    mp_buf_add(b, s.p, s.n);
}

static bool is_secret(mp_span parameter)
{
    for (size_t i = 0; i + 4 <= parameter.n && parameter.p[i] != '='; i++)
        if (strncmp(parameter.p + i, "pass", 4) == 0) return true;
    return false;
}

static void show_parameters(const char *p, mp_buf *shown)
{
    char before = '?';
    while (*p) {
        const char *to = p + strcspn(p, "&");
        if (!is_secret(cut(p, to))) {
            mp_buf_printf(shown, "%c", before);
            add(shown, cut(p, to));
            before = '&';
        }
        p = *to ? to + 1 : to;
    }
}

/* Letters of file names. */
static void add_plain(mp_buf *b, mp_span s)
{
    static const char plain[] = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ-_.";
    for (size_t i = 0; i < s.n; i++) mp_buf_printf(b, "%c", strchr(plain, s.p[i]) ? s.p[i] : '_');
}

void mp_postgres_name(const char *where, mp_buf *shown, mp_buf *beside)
{
    const char *from = after_scheme(where), *query = from + strcspn(from, "?"), *host = from;
    for (const char *p = from; p < query; p++)
        if (*p == '@') host = p + 1;
    const char *slash = host + strcspn(host, "/?"), *base = *slash == '/' ? slash + 1 : slash;
    add(shown, cut(where, from)); /* never longer than the URL */
    if (host > from) {
        add(shown, cut(from, from + strcspn(from, ":@")));
        mp_buf_puts(shown, "@");
    }
    add(shown, cut(host, query));
    if (*query) show_parameters(query + 1, shown);
    mp_span server = cut(host, host + strcspn(host, ":/?"));
    add_plain(beside, query > base ? cut(base, query) : mp_span_of("midpool"));
    mp_buf_puts(beside, "@");
    add_plain(beside, server.n ? server : mp_span_of("local"));
}

void mp_postgres_hide(char *url)
{
    mp_buf shown = { 0 }, beside = { 0 };
    mp_postgres_name(url, &shown, &beside);
    mp_buf_free(&beside);
    if (n_hidden == HIDDEN_MOST || strcmp(shown.p, url) == 0) {
        mp_buf_free(&shown);
        return;
    }
    hidden[n_hidden].shown = shown.p;
    hidden[n_hidden].whole = strdup(url);
    size_t length = strlen(url);
    memset(url, 0, length);
    memcpy(url, shown.p, shown.n);
    n_hidden++;
}

const char *mp_postgres_whole(const char *where)
{
    for (int i = 0; i < n_hidden; i++)
        if (hidden[i].whole && strcmp(hidden[i].shown, where) == 0) return hidden[i].whole;
    return where;
}
