/* json.c - reading JSON. A recursive descent over RFC 8259, one function a rule of the grammar.
 * SPDX-License-Identifier: MIT */
#include "base/json.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MOST_VALUES 20000000 /* 64 bytes each: a hostile file of brackets must not eat the machine */

typedef struct reader {
    const char *p, *end, *start;
    const char *name;
    mp_arena *arena;
    int line, depth, values;
} reader;

static mp_err parse_value(reader *r, mp_json **out);

static mp_err bad(const reader *r, const char *what)
{
    return mp_fail(MP_ERR_INPUT, "%s:%d: %s (byte %zu)", r->name, r->line, what, (size_t)(r->p - r->start));
}

static void skip_space(reader *r)
{
    for (; r->p < r->end; r->p++) {
        if (*r->p == '\n') r->line++;
        if (*r->p != ' ' && *r->p != '\t' && *r->p != '\n' && *r->p != '\r') return;
    }
}

/* Skips space, then takes `ch` if it is next. */
static bool take(reader *r, char ch)
{
    skip_space(r);
    if (r->p == r->end || *r->p != ch) return false;
    r->p++;
    return true;
}

static bool is_digit(const reader *r)
{
    return r->p < r->end && *r->p >= '0' && *r->p <= '9';
}

static bool take_digits(reader *r)
{
    if (!is_digit(r)) return false;
    while (is_digit(r)) r->p++;
    return true;
}

static bool take_any(reader *r, const char *set)
{
    if (r->p == r->end || *r->p == '\0' || !strchr(set, *r->p)) return false;
    r->p++;
    return true;
}

/* Most numbers are whole and short: these in one pass. False, and nothing taken, for all others. */
static bool take_short_whole(reader *r, mp_json *v)
{
    const char *p = r->p + (*r->p == '-'), *first = p;
    int64_t n = 0;
    while (p < r->end && *p >= '0' && *p <= '9' && p - first < 16) n = n * 10 + (*p++ - '0');
    bool more = p < r->end && (*p == '.' || *p == 'e' || *p == 'E');
    if (p == first || p - first == 16 || more) return false;
    if (*first == '0' && p > r->p + 1) return false; /* 01 is an error, -0 has a sign to keep */
    v->kind = MP_JSON_NUMBER;
    v->exact = true;
    v->whole = *r->p == '-' ? -n : n;
    v->number = (double)v->whole;
    r->p = p;
    return true;
}

static mp_err parse_number(reader *r, mp_json *v)
{
    if (take_short_whole(r, v)) return MP_OK;
    const char *from = r->p;
    bool whole = true;
    take_any(r, "-");
    if (!is_digit(r)) return bad(r, "expected a digit");
    if (*r->p == '0')
        r->p++;
    else
        take_digits(r);
    if (is_digit(r)) return bad(r, "a number must not begin with 0");
    if (take_any(r, ".")) {
        whole = false;
        if (!take_digits(r)) return bad(r, "expected a digit after the point");
    }
    if (take_any(r, "eE")) {
        whole = false;
        take_any(r, "+-");
        if (!take_digits(r)) return bad(r, "expected a digit in the exponent");
    }
    mp_span digits = { from, (size_t)(r->p - from) };
    v->kind = MP_JSON_NUMBER;
    if (!mp_to_real(digits, &v->number)) return bad(r, "number too large or too long");
    if (whole)
        v->exact = mp_to_int(digits, &v->whole);
    else if (fabs(v->number) <= 0x1p53 && v->number == floor(v->number)) {
        v->exact = true;
        v->whole = (int64_t)v->number;
    }
    return MP_OK;
}

static int hex_value(char ch)
{
    if (ch >= '0' && ch <= '9') return ch - '0';
    if (ch >= 'a' && ch <= 'f') return ch - 'a' + 10;
    if (ch >= 'A' && ch <= 'F') return ch - 'A' + 10;
    return -1;
}

static bool take_hex4(reader *r, unsigned *out)
{
    if (r->end - r->p < 4) return false;
    *out = 0;
    for (int i = 0; i < 4; i++) {
        int digit = hex_value(*r->p++);
        if (digit < 0) return false;
        *out = *out * 16 + (unsigned)digit;
    }
    return true;
}

static int put_utf8(char *out, unsigned c)
{
    int n = c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
    static const unsigned char lead[] = { 0, 0, 0xC0, 0xE0, 0xF0 };
    for (int i = n - 1; i > 0; i--, c >>= 6) out[i] = (char)(0x80 | (c & 0x3F));
    out[0] = (char)(lead[n] | c);
    return n;
}

/* After "\u": one or, for a surrogate pair, two groups of four digits. At most as many bytes as were read. */
static mp_err take_unicode(reader *r, char **out)
{
    unsigned c, low;
    if (!take_hex4(r, &c)) return bad(r, "expected four hexadecimal digits after \\u");
    if (c == 0) return bad(r, "\\u0000 in a string is not supported");
    if (c >= 0xDC00 && c < 0xE000) return bad(r, "second half of a surrogate pair without the first");
    if (c >= 0xD800 && c < 0xDC00) {
        if (!take_any(r, "\\") || !take_any(r, "u") || !take_hex4(r, &low) || low < 0xDC00 || low >= 0xE000)
            return bad(r, "first half of a surrogate pair without the second");
        c = 0x10000 + ((c - 0xD800) << 10) + (low - 0xDC00);
    }
    *out += put_utf8(*out, c);
    return MP_OK;
}

static mp_err take_escape(reader *r, char **out)
{
    static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
    if (r->p == r->end) return bad(r, "string without its closing quote");
    char ch = *r->p++;
    if (ch == 'u') return take_unicode(r, out);
    const char *at = ch ? strchr(from, ch) : NULL;
    if (!at) return bad(r, "unknown escape in a string");
    *(*out)++ = to[at - from];
    return MP_OK;
}

static mp_err take_character(reader *r, char **out)
{
    int n = mp_utf8_length(r->p, (size_t)(r->end - r->p));
    if (n == 0) return bad(r, "string is not UTF-8");
    if ((unsigned char)*r->p < 0x20) return bad(r, "control character in a string");
    memcpy(*out, r->p, (size_t)n);
    *out += n;
    r->p += n;
    return MP_OK;
}

/* The opening quote is taken. Decoded text is never longer than what it is written as, which bounds the
 * room. */
static mp_err parse_string(reader *r, const char **text, size_t *bytes)
{
    const char *close = r->p;
    while (close < r->end && *close != '"') close += *close == '\\' && close + 1 < r->end ? 2 : 1;
    if (close >= r->end) return bad(r, "string without its closing quote");
    char *begin = MP_NEW_RAW(r->arena, char, (size_t)(close - r->p) + 1), *out = begin;
    while (r->p < close) {
        if (*r->p == '\\') {
            r->p++;
            MP_TRY(take_escape(r, &out));
        } else
            MP_TRY(take_character(r, &out));
    }
    r->p = close + 1;
    *out = '\0';
    *text = begin;
    *bytes = (size_t)(out - begin);
    return MP_OK;
}

static int by_key(const void *a, const void *b)
{
    const mp_json *x = *(const mp_json *const *)a, *y = *(const mp_json *const *)b;
    return strcmp(x->key, y->key);
}

static mp_err check_keys(reader *r, const mp_json *object)
{
    if (object->count < 2) return MP_OK;
    mp_arena_mark mark = mp_arena_here(r->arena);
    const mp_json **member = MP_NEW_RAW(r->arena, const mp_json *, object->count);
    int n = 0;
    for (const mp_json *v = object->first; v; v = v->next) member[n++] = v;
    qsort(member, (size_t)n, sizeof *member, by_key);
    const char *twice = NULL;
    for (int i = 1; i < n && !twice; i++)
        if (strcmp(member[i - 1]->key, member[i]->key) == 0) twice = member[i]->key;
    mp_arena_back(r->arena, mark);
    if (!twice) return MP_OK;
    return mp_fail(MP_ERR_INPUT, "%s:%d: key '%s' is given twice in one object (byte %zu)", r->name, object->line,
                   twice, object->at);
}

static mp_err parse_key(reader *r, const char **key)
{
    size_t bytes;
    if (!take(r, '"')) return bad(r, "expected a key in quotes");
    MP_TRY(parse_string(r, key, &bytes));
    if (!take(r, ':')) return bad(r, "expected ':' after a key");
    return MP_OK;
}

/* An array or, with `keys`, an object; the opening bracket is taken. */
static mp_err parse_list(reader *r, mp_json *v, bool keys)
{
    const char close = keys ? '}' : ']';
    const mp_json **tail = &v->first;
    v->kind = keys ? MP_JSON_OBJECT : MP_JSON_ARRAY;
    if (take(r, close)) return MP_OK;
    if (++r->depth > MP_JSON_DEPTH) return bad(r, "nested too deeply");
    do {
        const char *key = NULL;
        mp_json *item;
        if (keys) MP_TRY(parse_key(r, &key));
        MP_TRY(parse_value(r, &item));
        item->key = key;
        *tail = item;
        tail = &item->next;
        v->count++;
    } while (take(r, ','));
    if (!take(r, close)) return bad(r, keys ? "expected ',' or '}'" : "expected ',' or ']'");
    r->depth--;
    return keys ? check_keys(r, v) : MP_OK;
}

static mp_err parse_word(reader *r, mp_json *v)
{
    static const struct {
        const char *word;
        mp_json_kind kind;
        bool truth;
    } words[] = { { "null", MP_JSON_NULL, false }, { "true", MP_JSON_BOOL, true }, { "false", MP_JSON_BOOL, false } };
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        size_t n = strlen(words[i].word);
        if ((size_t)(r->end - r->p) < n || memcmp(r->p, words[i].word, n) != 0) continue;
        r->p += n;
        v->kind = (unsigned char)words[i].kind;
        v->truth = words[i].truth;
        return MP_OK;
    }
    return bad(r, "expected a value");
}

static mp_err parse_value(reader *r, mp_json **out)
{
    skip_space(r);
    if (r->p == r->end) return bad(r, "the text ends where a value should be");
    if (++r->values > MOST_VALUES) return mp_fail(MP_ERR_LIMIT, "%s: more than %d values", r->name, MOST_VALUES);
    mp_json *v = *out = MP_NEW(r->arena, mp_json, 1);
    v->at = (size_t)(r->p - r->start);
    v->line = r->line;
    if (take(r, '{')) return parse_list(r, v, true);
    if (take(r, '[')) return parse_list(r, v, false);
    if (take(r, '"')) {
        v->kind = MP_JSON_STRING;
        return parse_string(r, &v->text, &v->bytes);
    }
    if (*r->p == '-' || is_digit(r)) return parse_number(r, v);
    return parse_word(r, v);
}

mp_err mp_json_parse_line(mp_span text, const char *name, int line, mp_arena *a, const mp_json **out)
{
    static const char nothing[] = "";
    const char *p = text.n ? text.p : nothing;
    reader r = { .p = p, .end = p + text.n, .start = p, .name = name, .arena = a, .line = line };
    mp_json *root;
    MP_TRY(parse_value(&r, &root));
    skip_space(&r);
    if (r.p != r.end) return bad(&r, "more text after the value");
    *out = root;
    return MP_OK;
}

mp_err mp_json_parse(mp_span text, const char *name, mp_arena *a, const mp_json **out)
{
    return mp_json_parse_line(text, name, 1, a, out);
}

const mp_json *mp_json_get(const mp_json *v, const char *key)
{
    if (!v || v->kind != MP_JSON_OBJECT) return NULL;
    for (const mp_json *m = v->first; m; m = m->next)
        if (strcmp(m->key, key) == 0) return m;
    return NULL;
}

const mp_json *mp_json_at(const mp_json *v, int index)
{
    if (!v || v->kind != MP_JSON_ARRAY || index < 0) return NULL;
    const mp_json *m = v->first;
    while (m && index-- > 0) m = m->next;
    return m;
}

static const mp_json *member(const mp_json *obj, const char *key, mp_json_kind kind)
{
    const mp_json *m = mp_json_get(obj, key);
    return m && m->kind == kind ? m : NULL;
}

double mp_json_real(const mp_json *obj, const char *key, double otherwise)
{
    const mp_json *m = member(obj, key, MP_JSON_NUMBER);
    return m ? m->number : otherwise;
}

int64_t mp_json_int(const mp_json *obj, const char *key, int64_t otherwise)
{
    const mp_json *m = member(obj, key, MP_JSON_NUMBER);
    return m && m->exact ? m->whole : otherwise;
}

bool mp_json_flag(const mp_json *obj, const char *key, bool otherwise)
{
    const mp_json *m = member(obj, key, MP_JSON_BOOL);
    return m ? m->truth : otherwise;
}

const char *mp_json_text(const mp_json *obj, const char *key, const char *otherwise)
{
    const mp_json *m = member(obj, key, MP_JSON_STRING);
    return m ? m->text : otherwise;
}

const char *mp_json_kind_name(mp_json_kind kind)
{
    static const char *const names[] = { "null", "true or false", "a number", "a string", "a list", "an object" };
    return names[kind];
}

mp_err mp_json_need(const mp_json *obj, const char *key, mp_json_kind kind, const char *name, const mp_json **out)
{
    if (!obj || obj->kind != MP_JSON_OBJECT)
        return mp_fail(MP_ERR_INPUT, "%s:%d: expected an object with '%s'", name, obj ? obj->line : 1, key);
    const mp_json *m = mp_json_get(obj, key);
    if (!m) return mp_fail(MP_ERR_INPUT, "%s:%d: '%s' is missing", name, obj->line, key);
    if (m->kind != kind)
        return mp_fail(MP_ERR_INPUT, "%s:%d: '%s' should be %s, not %s", name, m->line, key, mp_json_kind_name(kind),
                       mp_json_kind_name(m->kind));
    *out = m;
    return MP_OK;
}

static bool is_whole(const mp_json *v, int64_t lo, int64_t hi)
{
    return v->kind == MP_JSON_NUMBER && v->exact && v->whole >= lo && v->whole <= hi;
}

static mp_err not_whole(const mp_json *v, int64_t lo, int64_t hi, const char *name)
{
    return mp_fail(MP_ERR_INPUT, "%s:%d: expected a whole number from %lld to %lld", name, v->line, (long long)lo,
                   (long long)hi);
}

mp_err mp_json_need_int(const mp_json *obj, const char *key, int64_t lo, int64_t hi, const char *name, int64_t *out)
{
    const mp_json *m;
    MP_TRY(mp_json_need(obj, key, MP_JSON_NUMBER, name, &m));
    if (!is_whole(m, lo, hi)) return mp_fail_within(not_whole(m, lo, hi, name), "'%s'", key);
    *out = m->whole;
    return MP_OK;
}

mp_err mp_json_only(const mp_json *obj, const char *const *keys, const char *name)
{
    for (const mp_json *v = obj->kind == MP_JSON_OBJECT ? obj->first : NULL; v; v = v->next) {
        int k = 0;
        while (keys[k] && strcmp(keys[k], v->key) != 0) k++;
        if (keys[k]) continue;
        const char *near = mp_nearest(v->key, keys);
        return mp_fail(MP_ERR_INPUT, "%s:%d: no such key '%.40s'%s%s%s", name, v->line, v->key,
                       near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
    }
    return MP_OK;
}

mp_err mp_json_ints(const mp_json *v, int lo, int hi, const char *name, mp_arena *a, const int **out, int *n)
{
    if (!v || v->kind != MP_JSON_ARRAY)
        return mp_fail(MP_ERR_INPUT, "%s:%d: expected a list of whole numbers", name, v ? v->line : 1);
    int *list = MP_NEW_RAW(a, int, v->count), count = 0;
    for (const mp_json *m = v->first; m; m = m->next) {
        if (!is_whole(m, lo, hi)) return not_whole(m, lo, hi, name);
        list[count++] = (int)m->whole;
    }
    *out = list;
    *n = count;
    return MP_OK;
}
