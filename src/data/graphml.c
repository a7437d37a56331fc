/* graphml.c - see graphml.h. Nested graphs and edges of more than two nodes are refused; ports, drawings and elements of other
 * name spaces are passed over.
 * SPDX-License-Identifier: MIT */
#include "data/graphml.h"
#include "data/xml.h"

#include <string.h>

enum { OF_FILE = MP_FRAME_PARTS, PLACES }; /* what a key is for, behind the parts of a frame */
static const char *const place_name[PLACES] = { "graph", "node", "edge", "graphml" };

typedef struct key {
    const char *id, *name;
    mp_frame_kind kind;
    bool truth; /* its values are true and false */
    bool is_for[PLACES];
    int column[PLACES];   /* of the frame; -1: not wanted */
    const char *fallback; /* its value where none is given, or NULL */
} key;

typedef struct reader {
    mp_xml x;
    mp_xml_event e; /* the last one */
    mp_frame *f;
    mp_arena *a, *keep, *scratch;
    const char *called;
    key *keys;
    int count, room, graphs; /* keys; graphs of this file */
    mp_buf text;             /* of an element */
    mp_graphml_set *set;
} reader;

static mp_err bad(const reader *r, const char *what)
{
    return mp_fail(MP_ERR_INPUT, "%s:%lld: %s", r->x.file, (long long)r->e.line, what);
}

static mp_err next(reader *r)
{
    mp_arena_reset(r->scratch);
    return mp_xml_next(&r->x, r->scratch, &r->e);
}

static bool is(const reader *r, const char *name)
{
    return !r->e.prefixed && mp_span_is(r->e.name, name);
}

/* Passes over the element that was opened last. */
static mp_err skip(reader *r)
{
    for (int depth = 1; depth > 0;) {
        MP_TRY(next(r));
        depth += r->e.kind == MP_XML_OPEN ? 1 : r->e.kind == MP_XML_CLOSE ? -1 : 0;
    }
    return MP_OK;
}

static mp_err unexpected(const reader *r, const char *inside)
{
    mp_span n = r->e.name;
    return mp_fail(MP_ERR_INPUT, "%s:%lld: <%.*s> in <%s> is not read", r->x.file, (long long)r->e.line,
                   (int)(n.n < 40 ? n.n : 40), n.p, inside);
}

/* The next element inside one that is open; text and what is of others are passed over. *got false: it has ended. */
static mp_err child(reader *r, bool *got)
{
    for (;;) {
        MP_TRY(next(r));
        *got = r->e.kind == MP_XML_OPEN;
        if (r->e.kind == MP_XML_CLOSE || r->e.kind == MP_XML_END) return MP_OK;
        if (r->e.kind == MP_XML_TEXT && mp_trim(r->e.text).n) return bad(r, "expected an element, got text");
        if (*got && !r->e.prefixed && !is(r, "desc") && !is(r, "port")) return MP_OK;
        if (*got) MP_TRY(skip(r));
    }
}

/* The text of the element that was opened last, which has nothing else inside. */
static mp_err take_text(reader *r, mp_span *out)
{
    r->text.n = 0;
    for (;;) {
        MP_TRY(next(r));
        if (r->e.kind == MP_XML_OPEN) return bad(r, "expected text, got an element");
        if (r->e.kind == MP_XML_CLOSE) break;
        mp_buf_add(&r->text, r->e.text.p, r->e.text.n);
    }
    *out = mp_trim((mp_span){ r->text.n ? r->text.p : "", r->text.n });
    return MP_OK;
}

static mp_err need(const reader *r, const char *element, const char *name, mp_span *out)
{
    *out = mp_xml_get(&r->e, name);
    if (out->p) return MP_OK;
    return mp_fail(MP_ERR_INPUT, "%s:%lld: <%s> needs the attribute %s", r->x.file, (long long)r->e.line, element,
                   name);
}

static const char *copy(const reader *r, mp_span s)
{
    return mp_arena_text(r->a, s.p, s.n);
}

/* ---- keys ---- */

static mp_err kind_of(const reader *r, mp_span type, key *k)
{
    static const struct {
        const char *name;
        mp_frame_kind kind;
    } types[] = { { "boolean", MP_FRAME_NUMBER }, { "int", MP_FRAME_NUMBER },    { "long", MP_FRAME_NUMBER },
                  { "float", MP_FRAME_NUMBER },   { "double", MP_FRAME_NUMBER }, { "string", MP_FRAME_WORD } };
    k->kind = MP_FRAME_WORD;
    k->truth = type.p && mp_span_is(type, types[0].name);
    for (size_t i = 0; type.p && i < sizeof types / sizeof *types; i++) {
        if (!mp_span_is(type, types[i].name)) continue;
        k->kind = types[i].kind;
        return MP_OK;
    }
    return type.p ? bad(r, "attr.type: expected boolean, int, long, float, double or string") : MP_OK;
}

static mp_err set_columns(reader *r, key *k, bool drawn)
{
    for (int p = 0; p < PLACES; p++) {
        mp_frame_part part = (mp_frame_part)p;
        mp_frame_kind kind;
        k->column[p] = -1;
        if (p == OF_FILE || drawn || !k->is_for[p] || !mp_frame_wants(r->f, part, k->name)) continue;
        if (!mp_frame_known(r->f, part, k->name, &kind)) kind = k->kind;
        k->column[p] = mp_frame_make_column(r->f, part, k->name, kind);
        if (mp_frame_kind_of(r->f, part, k->column[p]) != kind)
            return mp_fail(MP_ERR_INPUT, "%s:%lld: '%.80s' of %ss is %s here and %s in a file before", r->x.file,
                           (long long)r->e.line, k->name, place_name[p], kind == MP_FRAME_WORD ? "words" : "numbers",
                           kind == MP_FRAME_WORD ? "numbers" : "words");
    }
    return MP_OK;
}

static const key *find_key(const reader *r, mp_span id)
{
    for (int i = 0; i < r->count; i++)
        if (mp_span_is(id, r->keys[i].id)) return &r->keys[i];
    return NULL;
}

static mp_err read_key(reader *r)
{
    mp_span id, place = mp_xml_get(&r->e, "for"), name = mp_xml_get(&r->e, "attr.name"), text;
    bool drawn = mp_xml_get(&r->e, "yfiles.type").p != NULL, got, all = !place.p || mp_span_is(place, "all");
    key k = { 0 };
    MP_TRY(need(r, "key", "id", &id));
    if (find_key(r, id)) return bad(r, "a key of that id is there already");
    MP_TRY(kind_of(r, mp_xml_get(&r->e, "attr.type"), &k));
    k.id = copy(r, id);
    k.name = copy(r, mp_trim(name.p ? name : id));
    for (int p = 0; p < PLACES; p++) k.is_for[p] = all || mp_span_is(place, place_name[p]);
    MP_TRY(set_columns(r, &k, drawn));
    for (;;) {
        MP_TRY(child(r, &got));
        if (!got) break;
        if (!is(r, "default")) return unexpected(r, "key");
        if (drawn) {
            MP_TRY(skip(r));
            continue;
        }
        MP_TRY(take_text(r, &text));
        k.fallback = copy(r, text);
    }
    if (r->count == r->room) {
        r->room = mp_room(r->room, (int64_t)r->count + 1, 16, "keys");
        MP_MORE(r->a, r->keys, r->count, r->room);
    }
    r->keys[r->count++] = k;
    return MP_OK;
}

/* ---- data ---- */

/* true and false of nodes and edges, in any case of letters, are 1 and 0; of graphs they are words. */
static mp_err set(reader *r, const key *k, mp_frame_part part, mp_span value, int64_t line)
{
    if (k->truth && part != MP_FRAME_GRAPHS) {
        char word[8] = "";
        if (value.n < sizeof word) memcpy(word, value.p, value.n);
        if (mp_same_letters(word, "true")) value = mp_span_of("1");
        if (mp_same_letters(word, "false")) value = mp_span_of("0");
    }
    return mp_frame_set(r->f, part, k->column[part], value, line);
}

static mp_err read_data(reader *r, int place)
{
    int64_t line = r->e.line;
    mp_span id, text;
    MP_TRY(need(r, "data", "key", &id));
    const key *k = find_key(r, id);
    if (!k)
        return mp_fail(MP_ERR_INPUT, "%s:%lld: no <key> before has the id '%.*s'", r->x.file, (long long)line,
                       (int)(id.n < 40 ? id.n : 40), id.p);
    bool about = place == OF_FILE && k->is_for[OF_FILE];
    if (place != OF_FILE && !k->is_for[place])
        return mp_fail(MP_ERR_INPUT, "%s:%lld: the key '%.40s' is not for %ss", r->x.file, (long long)line, k->id,
                       place_name[place]);
    if (k->column[place] < 0 && !about) return skip(r);
    MP_TRY(take_text(r, &text));
    if (!about) return set(r, k, (mp_frame_part)place, text, line);
    if (strcmp(k->name, "dataset") == 0 && text.n) {
        if (text.n > 255 || memchr(text.p, '/', text.n) || text.p[0] == '.')
            return bad(r, "dataset: expected a name of 1 to 255 bytes without '/'");
        r->set->name = mp_arena_text(r->keep, text.p, text.n);
    }
    if (strcmp(k->name, "folds") == 0) {
        mp_fold_text *folds = MP_NEW(r->keep, mp_fold_text, 1);
        folds->where = mp_arena_text(r->keep, r->x.file, strlen(r->x.file));
        folds->json = (mp_span){ mp_arena_text(r->keep, text.p, text.n), text.n };
        r->set->folds = folds;
    }
    return MP_OK;
}

static mp_err fill_in(reader *r, mp_frame_part part, int64_t line)
{
    for (int i = 0; i < r->count; i++) {
        const key *k = &r->keys[i];
        if (!k->fallback || k->column[part] < 0 || mp_frame_is_set(r->f, part, k->column[part])) continue;
        MP_TRY(set(r, k, part, mp_span_of(k->fallback), line));
    }
    return MP_OK;
}

/* ---- graphs ---- */

/* Nodes and edges have data inside and nothing else that counts. */
static mp_err read_inside(reader *r, mp_frame_part part)
{
    int64_t line = r->e.line;
    bool got;
    for (;;) {
        MP_TRY(child(r, &got));
        if (!got) return fill_in(r, part, line);
        if (!is(r, "data")) return unexpected(r, place_name[part]);
        MP_TRY(read_data(r, part));
    }
}

static mp_err read_node(reader *r, int graph)
{
    mp_span id;
    MP_TRY(need(r, "node", "id", &id));
    MP_TRY(mp_frame_node(r->f, graph, id, r->e.line));
    return read_inside(r, MP_FRAME_NODES);
}

static mp_err read_edge(reader *r, int graph)
{
    mp_span from, to;
    MP_TRY(need(r, "edge", "source", &from));
    MP_TRY(need(r, "edge", "target", &to));
    MP_TRY(mp_frame_edge(r->f, graph, from, to, r->e.line));
    return read_inside(r, MP_FRAME_EDGES);
}

/* What the graph is called that has just begun. */
static mp_span name_graph(const reader *r)
{
    mp_span id = mp_xml_get(&r->e, "id");
    if (r->called) return mp_span_of(r->graphs ? mp_arena_printf(r->a, "%s:%d", r->called, r->graphs) : r->called);
    if (id.n && mp_frame_find(r->f, id) < 0) return id;
    return mp_span_of(mp_arena_printf(r->a, "%d", r->graphs));
}

static mp_err read_graph(reader *r)
{
    int64_t line = r->e.line;
    int graph;
    bool got;
    MP_TRY(mp_frame_graph(r->f, name_graph(r), line, &graph));
    r->graphs++;
    for (;;) {
        MP_TRY(child(r, &got));
        if (!got) return fill_in(r, MP_FRAME_GRAPHS, line);
        if (is(r, "node"))
            MP_TRY(read_node(r, graph));
        else if (is(r, "edge"))
            MP_TRY(read_edge(r, graph));
        else if (is(r, "data"))
            MP_TRY(read_data(r, MP_FRAME_GRAPHS));
        else
            return unexpected(r, "graph");
    }
}

static mp_err read_file(reader *r)
{
    bool got;
    MP_TRY(next(r));
    if (!mp_span_is(r->e.name, "graphml")) return bad(r, "expected <graphml>");
    for (;;) {
        MP_TRY(child(r, &got));
        if (!got) break;
        if (is(r, "key"))
            MP_TRY(read_key(r));
        else if (is(r, "graph"))
            MP_TRY(read_graph(r));
        else if (is(r, "data"))
            MP_TRY(read_data(r, OF_FILE));
        else
            return unexpected(r, "graphml");
    }
    MP_TRY(next(r)); /* nothing comes behind it */
    return r->graphs ? MP_OK : mp_fail(MP_ERR_INPUT, "%s: holds no <graph>", r->x.file);
}

mp_err mp_graphml_parse(mp_span text, const char *file, const char *called, mp_frame *f, mp_arena *a, mp_arena *keep,
                        mp_graphml_set *out)
{
    reader r = { .f = f, .a = a, .keep = keep, .called = called, .text = MP_BUF_LOCAL, .set = out };
    *out = (mp_graphml_set){ 0 };
    MP_TRY(mp_xml_open(&r.x, text, file));
    mp_frame_file(f, file);
    r.scratch = mp_arena_new(1 << 14);
    mp_err e = read_file(&r);
    mp_arena_free(r.scratch);
    mp_buf_free(&r.text);
    return e;
}
