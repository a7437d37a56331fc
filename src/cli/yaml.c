/* yaml.c - see yaml.h. libyaml gives events; we take a flat mapping of scalars, lists and flat mappings of scalars, nothing
 * else.
 * SPDX-License-Identifier: MIT */
#include "cli/yaml.h"
#include "store/store.h"

#include <string.h>
#include <yaml.h>

#define MAX_BYTES   (1 << 20)
#define MAX_ENTRIES 256
#define MAX_VALUES  1024
#define MAX_PARTS   8

typedef struct reader {
    yaml_parser_t parser;
    yaml_event_t event;
    const char *name;
    mp_arena *arena;
    mp_yaml_entry *entry;
    int count;
} reader;

static int line_of(const yaml_mark_t *m)
{
    return (int)m->line + 1;
}

static mp_err next(reader *r)
{
    yaml_event_delete(&r->event);
    if (yaml_parser_parse(&r->parser, &r->event)) return MP_OK;
    memset(&r->event, 0, sizeof r->event);
    const char *problem = r->parser.problem ? r->parser.problem : "not YAML";
    return mp_fail(MP_ERR_USAGE, "%s:%d: %s", r->name, line_of(&r->parser.problem_mark), problem);
}

static mp_err wrong(const reader *r, const char *expected)
{
    return mp_fail(MP_ERR_USAGE, "%s:%d: expected %s", r->name, line_of(&r->event.start_mark), expected);
}

static const char *scalar(const reader *r)
{
    const char *text = (const char *)r->event.data.scalar.value;
    char *own = mp_arena_text(r->arena, text, strlen(text));
    mp_store_hide(own); /* as on the command line: what is shown or kept has no password */
    return own;
}

static mp_err read_list(reader *r, mp_yaml_entry *e)
{
    const char **value = MP_NEW(r->arena, const char *, MAX_VALUES);
    e->list = true;
    e->value = value;
    for (;;) {
        MP_TRY(next(r));
        if (r->event.type == YAML_SEQUENCE_END_EVENT) return MP_OK;
        if (r->event.type != YAML_SCALAR_EVENT) return wrong(r, "a value or the end of the list");
        if (e->count == MAX_VALUES) return wrong(r, "at most 1024 values");
        value[e->count++] = scalar(r);
    }
}

static mp_err read_parts(reader *r, mp_yaml_entry *e)
{
    const char **value = MP_NEW(r->arena, const char *, MAX_PARTS), **part = MP_NEW(r->arena, const char *, MAX_PARTS);
    e->value = value;
    e->part = part;
    for (;;) {
        MP_TRY(next(r));
        if (r->event.type == YAML_MAPPING_END_EVENT) return MP_OK;
        if (r->event.type != YAML_SCALAR_EVENT) return wrong(r, "a name or the end of the parts");
        if (e->count == MAX_PARTS) return wrong(r, "at most 8 parts");
        part[e->count] = scalar(r);
        for (int i = 0; i < e->count; i++)
            if (strcmp(part[i], part[e->count]) == 0) return wrong(r, "a name that was not given before");
        MP_TRY(next(r));
        if (r->event.type != YAML_SCALAR_EVENT) return wrong(r, "a value");
        value[e->count++] = scalar(r);
    }
}

static mp_err read_value(reader *r, mp_yaml_entry *e)
{
    MP_TRY(next(r));
    if (r->event.type == YAML_SEQUENCE_START_EVENT) return read_list(r, e);
    if (r->event.type == YAML_MAPPING_START_EVENT) return read_parts(r, e);
    if (r->event.type != YAML_SCALAR_EVENT) return wrong(r, "a value or a list of values");
    const char **value = MP_NEW(r->arena, const char *, 1);
    value[0] = scalar(r);
    e->value = value;
    e->count = 1;
    return MP_OK;
}

static mp_err read_entry(reader *r)
{
    if (r->event.type != YAML_SCALAR_EVENT) return wrong(r, "a name");
    if (r->count == MAX_ENTRIES) return wrong(r, "at most 256 names");
    mp_yaml_entry *e = &r->entry[r->count];
    e->key = scalar(r);
    e->line = line_of(&r->event.start_mark);
    for (int i = 0; i < r->count; i++) {
        if (strcmp(r->entry[i].key, e->key) == 0)
            return mp_fail(MP_ERR_USAGE, "%s:%d: '%.60s' was given before, on line %d", r->name, e->line, e->key,
                           r->entry[i].line);
    }
    r->count++;
    return read_value(r, e);
}

static mp_err read_mapping(reader *r)
{
    for (;;) {
        MP_TRY(next(r));
        if (r->event.type == YAML_MAPPING_END_EVENT) return MP_OK;
        MP_TRY(read_entry(r));
    }
}

static mp_err read_stream(reader *r)
{
    MP_TRY(next(r)); /* start of stream */
    MP_TRY(next(r));
    if (r->event.type == YAML_STREAM_END_EVENT) return MP_OK; /* nothing but comments */
    MP_TRY(next(r));
    bool empty = r->event.type == YAML_SCALAR_EVENT && r->event.data.scalar.length == 0;
    if (!empty && r->event.type != YAML_MAPPING_START_EVENT) return wrong(r, "lines of 'name: value'");
    if (!empty) MP_TRY(read_mapping(r));
    MP_TRY(next(r)); /* end of document */
    MP_TRY(next(r));
    if (r->event.type != YAML_STREAM_END_EVENT) return wrong(r, "the end of the file");
    return MP_OK;
}

mp_err mp_yaml_parse(mp_span text, const char *name, mp_arena *a, mp_yaml *out)
{
    reader r = { .name = name, .arena = a };
    *out = (mp_yaml){ 0 };
    if (!yaml_parser_initialize(&r.parser)) return mp_fail(MP_ERR_LIMIT, "%s: out of memory", name);
    yaml_parser_set_input_string(&r.parser, (const unsigned char *)(text.n ? text.p : ""), text.n);
    r.entry = MP_NEW(a, mp_yaml_entry, MAX_ENTRIES);
    mp_err e = read_stream(&r);
    yaml_event_delete(&r.event);
    yaml_parser_delete(&r.parser);
    *out = (mp_yaml){ r.count, r.entry };
    return e;
}

mp_err mp_yaml_load(const char *path, mp_arena *a, mp_yaml *out)
{
    mp_span text;
    MP_TRY(mp_slurp(path, MAX_BYTES, a, &text));
    return mp_yaml_parse(text, path, a, out);
}
