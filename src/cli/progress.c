/* progress.c - see progress.h.
 * SPDX-License-Identifier: MIT */
#include "cli/progress.h"
#include "base/clock.h"
#include "base/text.h"
#include "cli/cli.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define LEAST_GAP 0.1 /* seconds between two versions of the changing line */

void mp_progress_init(mp_progress *p, bool quiet)
{
    *p = (mp_progress){ .terminal = isatty(STDERR_FILENO), .quiet = quiet, .start = mp_seconds() };
}

double mp_progress_seconds(const mp_progress *p)
{
    return mp_seconds() - p->start;
}

void mp_progress_end(mp_progress *p)
{
    if (p->open) fputs("\r\033[K", stderr);
    p->open = false;
}

void mp_progress_line(mp_progress *p, const char *fmt, ...)
{
    if (p->quiet) return;
    mp_progress_end(p);
    va_list ap;
    va_start(ap, fmt);
    mp_cli_vsay(fmt, ap);
    va_end(ap);
}

/* A line that wraps could not be taken back. */
static int width(void)
{
    struct winsize w;
    if (ioctl(STDERR_FILENO, TIOCGWINSZ, &w) == 0 && w.ws_col > 1) return w.ws_col - 1;
    return 79;
}

static struct winsize screen(void)
{
    struct winsize w;
    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &w) != 0 || w.ws_col < 2 || w.ws_row < 2)
        w = (struct winsize){ .ws_col = 80, .ws_row = 24 };
    return w;
}

/* Bytes of the text that take at most `most` columns. */
static int bytes_in(const char *text, int most)
{
    int at = 0;
    for (int columns = 0; text[at]; at++) {
        bool begins = ((unsigned char)text[at] & 0xc0) != 0x80; /* not within a character of UTF-8 */
        if (begins && ++columns > most) break;
    }
    return at;
}

static bool fits(const char *text, int most)
{
    return text[bytes_in(text, most)] == '\0';
}

/* The first n bytes of the text, tabs apart, and the tail. */
static void put(char *out, const char *text, size_t n, const char *tail)
{
    for (size_t i = 0; i < n; i++)
        if (text[i] != '\t') *out++ = text[i];
    sprintf(out, "%s%s", n && *tail ? ", " : "", tail);
}

/* As many parts of the text as fit before the tail; the tail alone where none does. `out` has room for all. */
static void join(char *out, const char *text, const char *tail, int most)
{
    size_t n = strlen(text);
    do {
        put(out, text, n, tail);
        if (fits(out, most)) return;
        while (n > 0 && text[--n] != '\t') {} /* without the last part */
    } while (n > 0);
    if (*tail) put(out, text, 0, tail);
}

bool mp_progress_due(const mp_progress *p)
{
    return !p->quiet && p->terminal && !(p->open && mp_seconds() - p->at < LEAST_GAP);
}

void mp_progress_now(mp_progress *p, double left, const char *fmt, ...)
{
    if (!mp_progress_due(p)) return;
    char text[512], time_left[32], tail[64] = "", line[sizeof text + sizeof tail];
    va_list ap;
    va_start(ap, fmt);
    mp_vformat(text, sizeof text, fmt, ap);
    va_end(ap);
    if (left >= 0) snprintf(tail, sizeof tail, "about %s left", mp_duration(left, time_left));
    join(line, text, tail, width());
    mp_clean(line, strlen(line), false);
    fprintf(stderr, "\r\033[K%.*s", bytes_in(line, width()), line);
    fflush(stderr);
    p->open = true;
    p->at = mp_seconds();
}

/* Line over line, so that nothing flickers; what is left of the page before is cleared. */
mp_err mp_screen_show(const char *text, size_t n)
{
    struct winsize w = screen();
    mp_buf page = { 0 };
    mp_span rest = { text, n }, line;
    mp_buf_puts(&page, "\033[H");
    for (int row = 1; row < w.ws_row && mp_next_line(&rest, &line); row++) {
        mp_buf one = { 0 };
        mp_buf_puts(&one, "");
        mp_buf_add(&one, line.p, line.n);
        mp_clean(one.p, one.n, false);
        mp_buf_add(&page, one.p, (size_t)bytes_in(one.p, w.ws_col - 1));
        mp_buf_puts(&page, "\033[K\n");
        mp_buf_free(&one);
    }
    mp_buf_puts(&page, "\033[J");
    bool put = fwrite(page.p, 1, page.n, stdout) == page.n && fflush(stdout) == 0;
    mp_buf_free(&page);
    return put ? MP_OK : mp_fail(MP_ERR_IO, "standard output: cannot be written");
}

const char *mp_duration(double seconds, char out[32])
{
    long s = seconds > 0 && seconds < 1e9 ? (long)(seconds + 0.5) : 0;
    if (seconds < 10)
        mp_format(out, 32, "%.1f s", seconds);
    else if (s < 120)
        snprintf(out, 32, "%ld s", s);
    else if (s < 7200)
        snprintf(out, 32, "%ld min %02ld s", s / 60, s % 60);
    else
        snprintf(out, 32, "%ld h %02ld min", s / 3600, s / 60 % 60);
    return out;
}
