/* err.c - the message behind a status code.
 * SPDX-License-Identifier: MIT */
#include "base/err.h"
#include "base/text.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static _Thread_local char message[MP_MESSAGE];
static _Thread_local mp_err status;

mp_err(mp_fail)(mp_err code, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    mp_vformat(message, sizeof message, fmt, ap);
    va_end(ap);
    mp_clean(message, strlen(message), false);
    return status = code;
}

mp_err(mp_fail_within)(mp_err code, const char *fmt, ...)
{
    char old[sizeof message];
    status = code;
    memcpy(old, message, sizeof old);
    va_list ap;
    va_start(ap, fmt);
    int n = mp_vformat(message, sizeof message, fmt, ap);
    va_end(ap);
    mp_clean(message, strlen(message), false);
    size_t at = n < 0 ? 0 : (size_t)n, room = at + 3 < sizeof message ? sizeof message - at - 3 : 0;
    if (room == 0) return code; /* the new text fills the line by itself */
    size_t keep = strnlen(old, room);
    memcpy(message + at, ": ", 2);
    memcpy(message + at + 2, old, keep);
    message[at + 2 + keep] = '\0';
    return code;
}

const char *mp_message(void)
{
    return message;
}

mp_err mp_status(void)
{
    return status;
}

void mp_failure_keep(mp_failure *f, mp_err e)
{
    f->e = e;
    if (e != MP_OK) memcpy(f->message, message, sizeof message);
}

mp_err mp_failure_again(const mp_failure *f)
{
    if (f->e == MP_OK) return MP_OK;
    memcpy(message, f->message, sizeof message);
    return status = f->e;
}

void mp_bug(const char *what, const char *file, int line)
{
    fprintf(stderr, "midpool: bug: %s:%d: %s does not hold\n", file, line, what);
    abort();
}
