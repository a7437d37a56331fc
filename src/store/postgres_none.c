/* postgres_none.c - in a build without libpq: a store that is a URL is refused with the reason.
 * SPDX-License-Identifier: MIT */
#include "store/db.h"
#include "store/postgres_url.h"

static mp_err refuse(mp_store *s, const char *where, mp_store_mode mode)
{
    (void)where;
    (void)mode;
    return mp_fail(MP_ERR_USAGE, "%s: this midpool was built without PostgreSQL (install libpq-dev and build it again)",
                   s->path);
}

static void nothing(mp_store *s)
{
    (void)s;
}

const mp_driver mp_postgres = {
    .takes = mp_postgres_takes, .name = mp_postgres_name, .open = refuse, .close = nothing
};
