/* text.c - see text.h.
 * SPDX-License-Identifier: MIT */
#include "base/text.h"
#include "base/alloc.h"
#include "base/guard.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <locale.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct slurp {
    int fd;
    const char *path;
    size_t limit;
    mp_arena *arena;
    mp_span *out;
} slurp;

static mp_err slurp_fd(void *arg)
{
    const slurp *s = arg;
    int fd = s->fd;
    const char *path = s->path;
    size_t limit = s->limit;
    struct stat st;
    if (fstat(fd, &st) != 0) return mp_fail(MP_ERR_IO, "%s: %s", path, strerror(errno));
    if (S_ISDIR(st.st_mode)) return mp_fail(MP_ERR_IO, "%s: is a folder, expected a file", path);
    size_t cap = st.st_size > 0 ? (size_t)st.st_size + 1 : 65536, n = 0;
    if (limit && st.st_size > 0 && (size_t)st.st_size > limit)
        return mp_fail(MP_ERR_LIMIT, "%s: larger than %zu bytes", path, limit);
    char *p = MP_NEW_RAW(s->arena, char, cap + 1);
    for (;;) {
        ssize_t got = read(fd, p + n, cap - n);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) return mp_fail(MP_ERR_IO, "%s: %s", path, strerror(errno));
        if (got == 0) break;
        n += (size_t)got;
        if (n == cap) { /* a pipe, or a file that grows: make room for more */
            if (limit && n >= limit) return mp_fail(MP_ERR_LIMIT, "%s: larger than %zu bytes", path, limit);
            char *more = MP_NEW_RAW(s->arena, char, 2 * cap + 1);
            memcpy(more, p, n);
            p = more;
            cap *= 2;
        }
    }
    p[n] = '\0';
    *s->out = (mp_span){ p, n };
    return MP_OK;
}

mp_err mp_slurp(const char *path, size_t limit, mp_arena *a, mp_span *out)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return mp_fail(MP_ERR_IO, "%s: %s", path, strerror(errno));
    mp_err e = mp_guarded(slurp_fd, &(slurp){ fd, path, limit, a, out });
    close(fd);
    return e;
}

static mp_err put_all(int fd, const char *path, const char *p, size_t n)
{
    while (n > 0) {
        ssize_t put = write(fd, p, n);
        if (put < 0 && errno == EINTR) continue;
        if (put < 0) return mp_fail(MP_ERR_IO, "%s: %s", path, strerror(errno));
        p += put;
        n -= (size_t)put;
    }
    return MP_OK;
}

static mp_err sync_file(int fd, const char *path)
{
    if (fsync(fd) == 0 || errno == EINVAL || errno == EROFS) return MP_OK;
    return mp_fail(MP_ERR_IO, "%s: %s", path, strerror(errno));
}

/* Where the bytes go before the file gets its name. */
static mp_err temporary_name(const char *path, char out[PATH_MAX])
{
    if (snprintf(out, PATH_MAX, "%s.%ld.tmp", path, (long)getpid()) < PATH_MAX) return MP_OK;
    return mp_fail(MP_ERR_IO, "%s: name too long", path);
}

/* A new name outlives a power cut when the folder is on the disk as well. */
static mp_err sync_folder(const char *path)
{
    char folder[PATH_MAX];
    const char *slash = strrchr(path, '/');
    snprintf(folder, sizeof folder, "%.*s", slash ? (int)(slash - path) + 1 : 1, slash ? path : ".");
    int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0 && errno == EACCES) return MP_OK; /* a folder that may be written but not read */
    if (fd < 0) return mp_fail(MP_ERR_IO, "%s: %s", folder, strerror(errno));
    mp_err e = fsync(fd) == 0 || errno == EINVAL || errno == EROFS
                   ? MP_OK
                   : mp_fail(MP_ERR_IO, "%s: %s", folder, strerror(errno));
    close(fd);
    return e;
}

static bool is_device(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 && !S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode);
}

struct mp_writer {
    int fd;
    bool device; /* or a pipe: it has no content that must stay whole */
    char path[PATH_MAX], temp[PATH_MAX];
};

static mp_err open_writer(const char *path, mp_writer *w)
{
    w->device = is_device(path);
    if (!w->device) MP_TRY(temporary_name(path, w->temp));
    snprintf(w->path, sizeof w->path, "%s", path);
    w->fd =
        w->device ? open(path, O_WRONLY | O_CLOEXEC) : open(w->temp, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    return w->fd < 0 ? mp_fail(MP_ERR_IO, "%s: %s", path, strerror(errno)) : MP_OK;
}

static mp_err finish_writer(mp_writer *w, mp_err e)
{
    if (e == MP_OK) e = sync_file(w->fd, w->path);
    if (close(w->fd) != 0 && e == MP_OK) e = mp_fail(MP_ERR_IO, "%s: %s", w->path, strerror(errno));
    if (w->device) return e;
    if (e == MP_OK && rename(w->temp, w->path) != 0) e = mp_fail(MP_ERR_IO, "%s: %s", w->path, strerror(errno));
    if (e == MP_OK) return sync_folder(w->path);
    unlink(w->temp);
    return e;
}

mp_err mp_write_file(const char *path, const void *data, size_t n)
{
    mp_writer w;
    MP_TRY(open_writer(path, &w));
    return finish_writer(&w, put_all(w.fd, path, data, n));
}

mp_err mp_writer_open(const char *path, mp_writer **out)
{
    mp_writer *w = mp_get(sizeof *w, _Alignof(mp_writer));
    if (!w) return mp_no_memory(sizeof *w);
    mp_err e = open_writer(path, w);
    if (e != MP_OK) mp_put(w);
    *out = e == MP_OK ? w : NULL;
    return e;
}

mp_err mp_writer_add(mp_writer *w, const void *data, size_t n)
{
    return put_all(w->fd, w->path, data, n);
}

mp_err mp_writer_keep(mp_writer *w)
{
    mp_err e = finish_writer(w, MP_OK);
    mp_put(w);
    return e;
}

void mp_writer_drop(mp_writer *w)
{
    if (!w) return;
    close(w->fd);
    if (!w->device) unlink(w->temp);
    mp_put(w);
}

mp_err mp_write_check(const char *path)
{
    struct stat st;
    char temp[PATH_MAX];
    if (stat(path, &st) == 0) {
        if (S_ISDIR(st.st_mode)) return mp_fail(MP_ERR_IO, "%s: is a folder, expected the name of a file", path);
        if (access(path, W_OK) != 0) return mp_fail(MP_ERR_IO, "%s: %s", path, strerror(errno));
        if (is_device(path)) return MP_OK;
    }
    MP_TRY(temporary_name(path, temp));
    int fd = open(temp, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (fd < 0 && errno == ENAMETOOLONG)
        return mp_fail(MP_ERR_IO, "%s: name too long: a file is first written as NAME%s", path, temp + strlen(path));
    if (fd < 0) return mp_fail(MP_ERR_IO, "%s: the folder cannot be written: %s", path, strerror(errno));
    close(fd);
    unlink(temp);
    return MP_OK;
}

bool mp_next_line(mp_span *text, mp_span *line)
{
    if (text->n == 0) return false;
    const char *end = memchr(text->p, '\n', text->n);
    size_t n = end ? (size_t)(end - text->p) : text->n, step = end ? n + 1 : n;
    *line = (mp_span){ text->p, n };
    if (n > 0 && line->p[n - 1] == '\r') line->n--;
    text->p += step;
    text->n -= step;
    return true;
}

/* Eight bytes at a time: lines of data sets are so short that a search for each end costs more than looking at all bytes. */
size_t mp_newlines(const char *p, size_t n)
{
    const uint64_t ends = 0x0a0a0a0a0a0a0a0au, low = 0x7f7f7f7f7f7f7f7fu, one = 0x0101010101010101u;
    size_t count = 0, i = 0;
    for (uint64_t w; i + 8 <= n; i += 8) {
        memcpy(&w, p + i, 8);
        w ^= ends;                                 /* 0 where a line ends */
        w = ~(((w & low) + low) | w | low);        /* there its highest bit, and nothing else */
        count += (size_t)(((w >> 7) * one) >> 56); /* the sum of the eight */
    }
    for (; i < n; i++) count += p[i] == '\n';
    return count;
}

bool mp_next_field(mp_span *line, char sep, mp_span *field)
{
    if (line->p == NULL) return false;
    const char *end = line->n ? memchr(line->p, sep, line->n) : NULL;
    size_t n = end ? (size_t)(end - line->p) : line->n;
    *field = mp_trim((mp_span){ line->p, n });
    if (end) {
        line->p += n + 1;
        line->n -= n + 1;
    } else {
        *line = (mp_span){ NULL, 0 };
    }
    return true;
}

mp_span mp_without_mark(mp_span s)
{
    size_t n = strlen(MP_TEXT_MARK);
    return s.n >= n && memcmp(s.p, MP_TEXT_MARK, n) == 0 ? (mp_span){ s.p + n, s.n - n } : s;
}

static bool is_space(char ch)
{
    return ch == ' ' || ch == '\t' || ch == '\r' || ch == '\n';
}

mp_span mp_trim(mp_span s)
{
    while (s.n && is_space(s.p[0])) {
        s.p++;
        s.n--;
    }
    while (s.n && is_space(s.p[s.n - 1])) s.n--;
    return s;
}

mp_span mp_span_of(const char *s)
{
    return (mp_span){ s, strlen(s) };
}

bool mp_span_is(mp_span s, const char *word)
{
    return s.n == strlen(word) && (s.n == 0 || memcmp(s.p, word, s.n) == 0);
}

bool mp_to_int(mp_span s, int64_t *out)
{
    size_t i = 0;
    bool minus = false;
    if (s.n && (s.p[0] == '-' || s.p[0] == '+')) minus = s.p[i++] == '-';
    if (i == s.n) return false;
    uint64_t v = 0, top = minus ? (uint64_t)INT64_MAX + 1 : (uint64_t)INT64_MAX;
    for (; i < s.n; i++) {
        if (s.p[i] < '0' || s.p[i] > '9') return false;
        uint64_t digit = (uint64_t)(s.p[i] - '0');
        if (v > (top - digit) / 10) return false;
        v = v * 10 + digit;
    }
    *out = minus ? (int64_t)(0 - v) : (int64_t)v;
    return true;
}

/* Up to 15 digits and a power of ten up to 22 are exact as doubles, so one multiplication or division rounds
 * correctly (Clinger 1990). Everything else goes to strtod. */
static bool short_real(const char *p, const char *end, double *out)
{
    static const double power[] = {
        1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15
    };
    bool minus = p < end && *p == '-';
    if (p < end && (*p == '-' || *p == '+')) p++;
    int64_t v = 0;
    int digits = 0, behind_point = 0;
    bool point = false;
    for (; p < end; p++) {
        if (*p == '.' && !point) {
            point = true;
        } else if ((unsigned)(*p - '0') < 10 && digits < 15) {
            v = v * 10 + (*p - '0');
            digits++;
            behind_point += point;
        } else {
            return false;
        }
    }
    if (digits == 0) return false;
    double size = (double)v / power[behind_point];
    *out = minus ? -size : size;
    return true;
}

/* The C locale. It is made once and never freed; 0 when the system refuses, and then the host's stays in force. */
static locale_t plain;

static void make_plain(void)
{
    plain = newlocale(LC_ALL_MASK, "C", (locale_t)0);
}

/* From here to uselocale(what this returned) the calling thread, and no other, writes and reads numbers with a point. */
static locale_t use_plain(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, make_plain);
    return uselocale(plain);
}

bool mp_to_real(mp_span s, double *out)
{
    char word[128];
    if (short_real(s.p, s.p + s.n, out)) return true;
    if (s.n == 0 || s.n >= sizeof word) return false;
    for (size_t i = 0; i < s.n; i++) /* decimal notation only: no hexadecimal, no "inf", no locale */
        if (!strchr("+-.eE0123456789", s.p[i]) || s.p[i] == '\0') return false;
    memcpy(word, s.p, s.n);
    word[s.n] = '\0';
    char *end;
    locale_t host = use_plain();
    double v = strtod(word, &end);
    uselocale(host);
    if (*end != '\0' || !isfinite(v)) return false;
    *out = v;
    return true;
}

int mp_vformat(char *out, size_t n, const char *fmt, va_list ap)
{
    locale_t host = use_plain();
    int length = vsnprintf(out, n, fmt, ap);
    uselocale(host);
    return length;
}

int mp_format(char *out, size_t n, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    int length = mp_vformat(out, n, fmt, ap);
    va_end(ap);
    return length;
}

static bool gives_back(const char *text, double v)
{
    double back;
    return mp_to_real(mp_span_of(text), &back) && back == v;
}

/* A number that 15 digits or fewer name has these first among its first 15, and zeros behind them: so many are enough. Numbers
 * next to 0 have fewer that count. If d digits are enough, so are d + 1: there a search by halves finds the least number. */
void mp_real_text(double v, char out[32])
{
    mp_assert(isfinite(v));
    mp_format(out, 32, "%.14e", v);
    bool named = gives_back(out, v), usual = isnormal(v) || v == 0;
    int lo = usual && !named ? 16 : 1, hi = usual && named ? 15 : 17;
    for (const char *p = strchr(out, 'e') - 1; hi <= 15 && hi > 1 && *p == '0'; p--) hi--;
    if (hi <= 15) lo = hi;
    while (lo < hi) {
        int digits = (lo + hi) / 2;
        mp_format(out, 32, "%.*g", digits, v);
        if (gives_back(out, v))
            hi = digits;
        else
            lo = digits + 1;
    }
    mp_format(out, 32, "%.*g", hi, v);
}

static char small_letter(char ch)
{
    return ch >= 'A' && ch <= 'Z' ? (char)(ch - 'A' + 'a') : ch;
}

const char *mp_plural(int64_t n)
{
    return n == 1 ? "" : "s";
}

bool mp_same_letters(const char *a, const char *b)
{
    while (*a && small_letter(*a) == small_letter(*b)) {
        a++;
        b++;
    }
    return *a == '\0' && *b == '\0';
}

/* Unicode table 3-7: the first byte gives the length and the range of the second; overlong forms,
 * surrogates and numbers past U+10FFFF are not characters. */
int mp_utf8_length(const char *p, size_t n)
{
    static const struct {
        unsigned char from, to, lo, hi;
        int length;
    } rows[] = {
        { 0x00, 0x7F, 0, 0, 1 },       { 0xC2, 0xDF, 0x80, 0xBF, 2 }, { 0xE0, 0xE0, 0xA0, 0xBF, 3 },
        { 0xE1, 0xEC, 0x80, 0xBF, 3 }, { 0xED, 0xED, 0x80, 0x9F, 3 }, { 0xEE, 0xEF, 0x80, 0xBF, 3 },
        { 0xF0, 0xF0, 0x90, 0xBF, 4 }, { 0xF1, 0xF3, 0x80, 0xBF, 4 }, { 0xF4, 0xF4, 0x80, 0x8F, 4 },
    };
    const unsigned char *u = (const unsigned char *)p;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (u[0] < rows[i].from || u[0] > rows[i].to) continue;
        int length = rows[i].length;
        if ((size_t)length > n) return 0;
        if (length > 1 && (u[1] < rows[i].lo || u[1] > rows[i].hi)) return 0;
        for (int k = 2; k < length; k++)
            if (u[k] < 0x80 || u[k] > 0xBF) return 0;
        return length;
    }
    return 0;
}

bool mp_is_control(const char *p, int n)
{
    const unsigned char *u = (const unsigned char *)p;
    return n == 1 ? u[0] < 0x20 || u[0] == 0x7F : n == 2 && u[0] == 0xC2 && u[1] < 0xA0;
}

void mp_clean(char *s, size_t n, bool lines)
{
    for (size_t i = 0, step; i < n; i += step) {
        int length = mp_utf8_length(s + i, n - i);
        bool stays = lines && (s[i] == '\n' || s[i] == '\t');
        step = length ? (size_t)length : 1;
        if (!stays && (length == 0 || mp_is_control(s + i, length))) memset(s + i, '?', step);
    }
}

/* Edit distance with insertions, deletions and changes, capped by the short words it is used on. */
static int distance(const char *a, const char *b)
{
    int row[64];
    int na = (int)strlen(a), nb = (int)strlen(b);
    if (na > 60 || nb > 60) return 99;
    for (int j = 0; j <= nb; j++) row[j] = j;
    for (int i = 1; i <= na; i++) {
        int diagonal = row[0];
        row[0] = i;
        for (int j = 1; j <= nb; j++) {
            int change = diagonal + (a[i - 1] != b[j - 1]), skip = (row[j] < row[j - 1] ? row[j] : row[j - 1]) + 1;
            diagonal = row[j];
            row[j] = change < skip ? change : skip;
        }
    }
    return row[nb];
}

/* The shortest that begins with the word. */
static const char *begun(const char *word, const char *const *list)
{
    const char *best = NULL;
    size_t n = strlen(word);
    for (; n && *list; list++)
        if (strncmp(*list, word, n) == 0 && (!best || strlen(*list) < strlen(best))) best = *list;
    return best;
}

const char *mp_nearest(const char *word, const char *const *list)
{
    const char *best = begun(word, list);
    int least = 1 + (int)strlen(word) / 2;
    if (least > 5) least = 5;
    if (best) return best;
    for (; *list; list++) {
        int d = distance(word, *list);
        if (d >= least) continue;
        least = d;
        best = *list;
    }
    return best;
}
