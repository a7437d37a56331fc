/* err.h - status codes for what the outside world can do wrong, and a stop for bugs.
 *
 * A function that touches files, options, the store or numbers that may diverge returns mp_err and leaves
 * one line of text behind with mp_fail. Only src/cli prints that line.
 * SPDX-License-Identifier: MIT */
#ifndef MP_ERR_H
#define MP_ERR_H

#include "base/api.h"
#include "midpool/status.h"

MP_API_BEGIN

#define MP_MUST __attribute__((warn_unused_result))

/* Leaves a message for mp_message and returns `code`. One line: control characters in it become '?'. */
mp_err mp_fail(mp_err code, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Puts "text: " in front of the message that is there, and returns `code`. */
mp_err mp_fail_within(mp_err code, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* With the code in plain sight the compiler knows that MP_TRY goes no further, and that nothing is used which a call that
 * failed has not set. */
static inline mp_err mp_failed(mp_err said, mp_err code)
{
    (void)said;
    return code;
}
#define mp_fail(code, ...)        mp_failed(mp_fail((code), __VA_ARGS__), (code))
#define mp_fail_within(code, ...) mp_failed(mp_fail_within((code), __VA_ARGS__), (code))

/* A status with its message, to carry from one thread to another. */
#define MP_MESSAGE 1024
typedef struct mp_failure {
    mp_err e;
    char message[MP_MESSAGE];
} mp_failure;
void mp_failure_keep(mp_failure *f, mp_err e); /* with the message of this thread, unless e is MP_OK */
mp_err mp_failure_again(const mp_failure *f);  /* as this thread's own */

#define MP_TRY(call)                                                                                                   \
    do {                                                                                                               \
        mp_err mp_try_ = (call);                                                                                       \
        if (mp_try_ != MP_OK) return mp_try_;                                                                          \
    } while (0)

/* Always on. A failed assertion is a bug in the caller: says where and stops the program. */
#define mp_assert(cond) ((cond) ? (void)0 : mp_bug(#cond, __FILE__, __LINE__))
_Noreturn void mp_bug(const char *what, const char *file, int line);

MP_API_END

#endif
