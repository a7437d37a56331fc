/* err.c - the message behind a status code.
 * SPDX-License-Identifier: MIT */
#include "base/err.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static _Thread_local char message[1024];

mp_err mp_fail(mp_err code, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(message, sizeof message, fmt, ap);
    va_end(ap);
    return code;
}

mp_err mp_fail_within(mp_err code, const char *fmt, ...)
{
    char old[sizeof message];
    memcpy(old, message, sizeof old);
    va_list ap;
    va_start(ap, fmt);
    int n = vsnprintf(message, sizeof message, fmt, ap);
    va_end(ap);
    if (n >= 0 && (size_t)n < sizeof message) snprintf(message + n, sizeof message - (size_t)n, ": %s", old);
    return code;
}

const char *mp_message(void)
{
    return message;
}

void mp_bug(const char *what, const char *file, int line)
{
    fprintf(stderr, "midpool: bug: %s:%d: %s does not hold\n", file, line, what);
    abort();
}
