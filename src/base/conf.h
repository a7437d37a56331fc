/* conf.h - options as a table: one row gives the name on the command line, in YAML, in JSON, in the store and
 * in reports, its type, default, range and help.
 * SPDX-License-Identifier: MIT */
#ifndef MP_CONF_H
#define MP_CONF_H

#include "base/api.h"
#include "base/text.h"

MP_API_BEGIN

typedef enum mp_opt_kind { MP_OPT_INT, MP_OPT_REAL, MP_OPT_FLAG, MP_OPT_CHOICE, MP_OPT_TEXT, MP_OPT_LIST } mp_opt_kind;

#define MP_LIST_MOST 8
typedef struct mp_list { /* rising whole numbers, written "85,95" */
    int count;           /* at least 1 */
    int at[MP_LIST_MOST];
} mp_list;

typedef struct mp_opt {
    const char *name; /* kebab-case */
    mp_opt_kind kind;
    size_t offset; /* of the field in the struct: int, double, int (0/1), int (index of choice), char[64], mp_list */
    const char *initial; /* the default, as text */
    double lo, hi;       /* allowed range of INT, REAL and each number of LIST, both ends included */
    const char *choices; /* CHOICE: "a|b|c" */
    const char *help;
    int mark;          /* MP_COMMON or 0. This and what follows may be left out of a row */
    const char *group; /* heading of its own in the help; rows of a set get that of the set */
    const char *needs; /* of a command: "select=nested", without which to give it is an error (conf/uses.h) */
} mp_opt;
enum { MP_COMMON = 1 }; /* among the options that --help explains; it names the others */

/* Tables end with a row whose name is NULL. */
void mp_conf_defaults(const mp_opt *table, void *conf);
void mp_conf_default(const mp_opt *opt, void *conf); /* of one option */

/* NULL when there is none. A flag is also found as no-NAME. */
const mp_opt *mp_conf_find(const mp_opt *table, const char *name);

/* Sets one option from text. `where` ("--ratio", "grid.yaml:3") opens the message of a failure. */
MP_MUST mp_err mp_conf_set(const mp_opt *table, void *conf, const char *name, const char *value, const char *where);

/* Takes the next setting of a text "ratio=0.25 clip=1". False at its end; a word without '=' has value.p NULL. */
bool mp_conf_next(mp_span *settings, mp_span *name, mp_span *value);

/* Sets what such a text says, in its order. `where` opens the message of a failure. */
MP_MUST mp_err mp_conf_set_all(const mp_opt *table, void *conf, const char *settings, const char *where);

/* "no option --rato; did you mean --ratio?" */
mp_err mp_conf_unknown(const mp_opt *table, const char *name, const char *where);

/* The value as text, as mp_conf_set takes it. */
void mp_conf_get(const mp_opt *opt, const void *conf, char *out, size_t n);

/* Whether two structs have the same value of this option. Unused bytes do not count. */
bool mp_conf_same(const mp_opt *opt, const void *a, const void *b);
bool mp_conf_equal(const mp_opt *table, const void *a, const void *b); /* of all options */

/* Whether a value is text in JSON. A list of one is a number: it reads and hashes as a plain number does. */
bool mp_conf_quoted(const mp_opt *opt, const char *value);

/* A JSON object of all options, in table order; from the option `late` on (NULL: none) those that are not at their
 * defaults. */
void mp_conf_json(const mp_opt *table, const char *late, const void *conf, mp_buf *out);

MP_API_END

#endif
