/* halt.c - see halt.h.
 * SPDX-License-Identifier: MIT */
#include "base/halt.h"

#include <stddef.h>

static const int number[MP_HALT_SIGNALS] = { SIGINT, SIGTERM, SIGHUP };
static volatile sig_atomic_t asked, last, counts_all;
static int depth; /* begins without an end */
static mp_halt outermost;

static void on_signal(int which)
{
    last = which;
    if (++asked > 1 && !counts_all) {
        signal(which, SIG_DFL);
        raise(which); /* acts when this handler returns */
    }
}

void mp_halt_begin(mp_halt *h, bool blocked)
{
    struct sigaction act = { .sa_handler = on_signal };
    sigset_t block;
    if (depth++ > 0) {
        *h = outermost;
        return;
    }
    sigemptyset(&block);
    for (int i = 0; i < MP_HALT_SIGNALS; i++) sigaddset(&block, number[i]);
    asked = 0;
    counts_all = blocked;
    sigprocmask(SIG_BLOCK, blocked ? &block : NULL, &h->mask);
    for (int i = 0; i < MP_HALT_SIGNALS; i++) {
        sigaction(number[i], NULL, &h->old[i]);
        if (number[i] != SIGHUP || h->old[i].sa_handler != SIG_IGN) sigaction(number[i], &act, NULL);
    }
    outermost = *h;
}

void mp_halt_end(const mp_halt *h)
{
    if (--depth > 0) return;
    for (int i = 0; i < MP_HALT_SIGNALS; i++) sigaction(number[i], &h->old[i], NULL);
    sigprocmask(SIG_SETMASK, &h->mask, NULL);
}

const volatile sig_atomic_t *mp_halt_asked(void)
{
    return &asked;
}

int mp_halt_signal(void)
{
    return last;
}

void mp_halt_as_worker(const mp_halt *h)
{
    signal(SIGINT, SIG_IGN);
    signal(SIGHUP, SIG_IGN);
    asked = depth = 0;
    sigprocmask(SIG_SETMASK, &h->mask, NULL);
}
