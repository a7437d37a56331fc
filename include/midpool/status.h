/* status.h - how a call ended, and the line that says why.
 * SPDX-License-Identifier: MIT */
#ifndef MIDPOOL_STATUS_H
#define MIDPOOL_STATUS_H

#define MP_API __attribute__((visibility("default")))

#ifdef __cplusplus
extern "C" {
#endif

typedef enum mp_err {
    MP_OK = 0,
    MP_ERR_USAGE,    /* an argument, an option or a configuration is wrong; of the program: exit 2 */
    MP_ERR_INPUT,    /* a file or an array says something impossible: exit 1, as are all below */
    MP_ERR_IO,       /* the system refused: no file, no space, no permission */
    MP_ERR_DIVERGED, /* training met NaN or infinity */
    MP_ERR_LIMIT,    /* would need more memory or larger counts than there are */
    MP_ERR_BUSY,     /* another program is using it: the same may work later */
    MP_ERR_STOPPED   /* whoever was asked wanted no more */
} mp_err;

/* The line behind the last call of this thread that failed; "" when none did yet. It stays until another call of the thread
 * fails. */
MP_API const char *mp_message(void);

/* The status of that call, for those that return none; MP_OK when none failed yet. */
MP_API mp_err mp_status(void);

#ifdef __cplusplus
}
#endif

#endif
