/* format_ogb.c - OGB's raw layout as a row of format.h: a folder, or a zip of one.
 * SPDX-License-Identifier: MIT */
#include "data/archive.h"
#include "data/format.h"
#include "data/gather.h"
#include "data/ogb.h"
#include "data/table.h"

#include <string.h>

static const char *const ends[] = { "", ".zip", NULL };

static bool probe(const char *path, bool folder, mp_span head)
{
    bool zip = head.n >= 2 && memcmp(head.p, "PK", 2) == 0;
    return (folder || zip) && mp_ogb_is(path, folder);
}

/* Texts of all parts; of features of edges that nobody wants no more than a head. */
static mp_err read_texts(const mp_ogb_set *set, const mp_dataset_as *as, mp_arena *text, mp_ogb_files *out)
{
    size_t left = MP_GATHER_LIMIT;
    *out = (mp_ogb_files){ .name = set->name, .split = set->split, .as = as };
    for (int part = 0; part < MP_OGB_PARTS; part++) {
        mp_tap tap;
        bool head = part == MP_OGB_EDGE_FEAT && !mp_dataset_wants_bonds(as);
        out->file[part] = set->file[part];
        if (!set->path[part]) continue;
        MP_TRY(mp_ogb_open(set, (mp_ogb_part)part, &tap));
        MP_TRY(mp_tap_all(tap, set->file[part], left, head ? MP_GATHER_HEAD : SIZE_MAX, text, &out->part[part]));
        left -= out->part[part].n;
    }
    return MP_OK;
}

static mp_err read_set(const mp_data_input *in, mp_arena *text, mp_arena *a, mp_raw *out)
{
    mp_ogb_set set;
    mp_ogb_files files;
    MP_TRY(mp_ogb_find(in->path, in->folder, text, &set));
    mp_err e = read_texts(&set, in->as, text, &files);
    if (e == MP_OK) e = mp_ogb_parse(&files, a, out);
    return e == MP_OK ? mp_format_folds(in, a, &out->fold_text) : mp_fail_within(e, "%s", in->path);
}

static mp_err read(const mp_data_input *in, mp_arena *a, mp_raw *out)
{
    mp_arena *text = mp_arena_new(1 << 16);
    mp_err e = read_set(in, text, a, out);
    mp_arena_free(text);
    return e;
}

/* Columns of the features of edges that nobody wants, by their first line. */
static mp_err count_unread(const mp_ogb_set *set, mp_arena *a, int *columns)
{
    mp_tap tap;
    mp_span head;
    MP_TRY(mp_ogb_open(set, MP_OGB_EDGE_FEAT, &tap));
    MP_TRY(mp_tap_all(tap, set->file[MP_OGB_EDGE_FEAT], SIZE_MAX, MP_GATHER_HEAD, a, &head));
    *columns = mp_table_columns(head);
    return MP_OK;
}

static mp_err stream(const mp_data_input *in, mp_arena *a, mp_stream **out)
{
    mp_ogb_set set;
    mp_tap tap[MP_OGB_MAPPING] = { 0 };
    int unread = 0;
    MP_TRY(mp_ogb_find(in->path, in->folder, a, &set));
    mp_ogb_files names = { .name = set.name, .as = in->as };
    memcpy(names.file, set.file, sizeof names.file);
    if (!mp_dataset_wants_bonds(in->as) && set.path[MP_OGB_EDGE_FEAT]) {
        MP_TRY(count_unread(&set, a, &unread));
        set.path[MP_OGB_EDGE_FEAT] = NULL;
    }
    mp_err e = MP_OK;
    for (int part = 0; part < MP_OGB_MAPPING && e == MP_OK; part++)
        if (set.path[part]) e = mp_ogb_open(&set, (mp_ogb_part)part, &tap[part]);
    for (int part = 0; part < MP_OGB_MAPPING && e != MP_OK; part++)
        if (tap[part].close) tap[part].close(tap[part].state);
    return e == MP_OK ? mp_stream_ogb(&names, tap, unread, out) : e;
}

static mp_err write(const mp_raw *raw, const mp_folds *folds, const char *path)
{
    size_t stem;
    if (mp_format_named(&mp_format_ogb, path, &stem))
        return mp_fail(MP_ERR_USAGE, "%s: archives are not written, only folders", path);
    MP_TRY(mp_need_empty(path));
    return mp_ogb_write(raw, folds, path);
}

const mp_data_format mp_format_ogb = { .name = "ogb",
                                       .title = "OGB's raw layout: a folder or .zip with raw/edge.csv.gz",
                                       .ends = ends,
                                       .probe = probe,
                                       .read = read,
                                       .stream = stream,
                                       .write = write };
