/* json.h - JSON in and out: a strict reader that builds a tree in an arena, and a writer on mp_buf.
 *
 * Strict means RFC 8259 and nothing else: no comments, no trailing commas, no NaN, valid UTF-8, one value
 * and then the end. Three things the RFC leaves open are errors here: a key given twice, a NUL in a
 * string, nesting deeper than MP_JSON_DEPTH. We have our own because prediction must need no library
 * beside libc and libm.
 * SPDX-License-Identifier: MIT */
#ifndef MP_JSON_H
#define MP_JSON_H

#include "base/text.h"

#define MP_JSON_DEPTH 64

typedef enum mp_json_kind {
    MP_JSON_NULL,
    MP_JSON_BOOL,
    MP_JSON_NUMBER,
    MP_JSON_STRING,
    MP_JSON_ARRAY,
    MP_JSON_OBJECT
} mp_json_kind;

/* Items of an array and members of an object are lists in the order of the file:
 *     for (const mp_json *v = obj->first; v; v = v->next) use(v->key, v); */
typedef struct mp_json {
    const struct mp_json *next; /* in the array or object that holds this value */
    const char *key;            /* in an object, else NULL                      */
    size_t at;                  /* offset of the value in the text              */
    int line;                   /* of the value, from 1                         */
    unsigned char kind;         /* mp_json_kind                                 */
    bool truth;                 /* BOOL                                         */
    bool exact;                 /* NUMBER: it is a whole number, and `whole` is it */
    union {
        struct { /* NUMBER */
            double number;
            int64_t whole;
        };
        struct { /* STRING */
            const char *text;
            size_t bytes;
        };
        struct { /* ARRAY, OBJECT */
            const struct mp_json *first;
            int count;
        };
    };
} mp_json;

/* `name` opens the message of a failure: "name:3: expected ',' or ']' (byte 41)". */
MP_MUST mp_err mp_json_parse(mp_span text, const char *name, mp_arena *a, const mp_json **out);
/* The same for a text that begins on a later line of the file. */
MP_MUST mp_err mp_json_parse_line(mp_span text, const char *name, int line, mp_arena *a, const mp_json **out);

/* NULL when it is not there, or when `v` is NULL or not an object (array). */
const mp_json *mp_json_get(const mp_json *v, const char *key);
const mp_json *mp_json_at(const mp_json *v, int index); /* walks the list: not for loops */

/* The member, or `otherwise` when it is not there or of another kind. */
double mp_json_real(const mp_json *obj, const char *key, double otherwise);
int64_t mp_json_int(const mp_json *obj, const char *key, int64_t otherwise);
bool mp_json_flag(const mp_json *obj, const char *key, bool otherwise);
const char *mp_json_text(const mp_json *obj, const char *key, const char *otherwise);

/* The member, which must be there and of this kind; else "name:LINE: 'key' is missing". */
MP_MUST mp_err mp_json_need(const mp_json *obj, const char *key, mp_json_kind kind, const char *name,
                            const mp_json **out);
/* As above: a whole number in lo .. hi. */
MP_MUST mp_err mp_json_need_int(const mp_json *obj, const char *key, int64_t lo, int64_t hi, const char *name,
                                int64_t *out);

/* Fails when an object has a member that is not in the NULL-ended list, and names the nearest that is. */
MP_MUST mp_err mp_json_only(const mp_json *obj, const char *const *keys, const char *name);

/* A list of whole numbers in lo .. hi, as an array. */
MP_MUST mp_err mp_json_ints(const mp_json *v, int lo, int hi, const char *name, mp_arena *a, const int **out, int *n);

const char *mp_json_kind_name(mp_json_kind kind); /* "an object", "a number" ... */

/* Writing. Commas come by themselves:
 *     mp_json_open(b, '{');  mp_json_key(b, "seed");  mp_json_put_int(b, 42);  mp_json_close(b, '}');      */
void mp_json_open(mp_buf *b, char bracket);
void mp_json_close(mp_buf *b, char bracket);
void mp_json_key(mp_buf *b, const char *key);
void mp_json_put_text(mp_buf *b, const char *s); /* bytes that are not UTF-8 become U+FFFD; NULL: null */
void mp_json_put_int(mp_buf *b, int64_t v);
void mp_json_put_real(mp_buf *b, double v); /* the shortest text that reads back the same; not finite: null */
void mp_json_put_bool(mp_buf *b, bool v);
void mp_json_put_null(mp_buf *b);
void mp_json_put_raw(mp_buf *b, const char *json); /* text that is JSON already */

/* The same with the key in front, for members of an object. */
void mp_json_add_text(mp_buf *b, const char *key, const char *s);
void mp_json_add_int(mp_buf *b, const char *key, int64_t v);
void mp_json_add_real(mp_buf *b, const char *key, double v);
void mp_json_add_bool(mp_buf *b, const char *key, bool v);

#endif
