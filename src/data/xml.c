/* xml.c - see xml.h.
 * SPDX-License-Identifier: MIT */
#include "data/xml.h"

#include <string.h>

static mp_err bad(const mp_xml *x, const char *what)
{
    return mp_fail(MP_ERR_INPUT, "%s:%lld: %s", x->file, (long long)x->line, what);
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

static bool begins(const mp_xml *x, const char *word)
{
    size_t n = strlen(word);
    return (size_t)(x->end - x->p) >= n && memcmp(x->p, word, n) == 0;
}

/* Goes to `to`, which is not behind the end. */
static void go(mp_xml *x, const char *to)
{
    x->line += (int64_t)mp_newlines(x->p, (size_t)(to - x->p));
    x->p = to;
}

static void skip_blanks(mp_xml *x)
{
    const char *p = x->p;
    while (p < x->end && is_blank(*p)) p++;
    go(x, p);
}

/* Where a word begins; NULL: nowhere. */
static const char *find(const mp_xml *x, const char *word)
{
    return memmem(x->p, (size_t)(x->end - x->p), word, strlen(word));
}

/* ---- characters ---- */

/* The number behind "&#" up to `end`; -1: it is none that XML allows. */
static int64_t character(mp_span digits)
{
    int base = digits.n && digits.p[0] == 'x' ? 16 : 10;
    int64_t v = 0;
    if (base == 16) digits = (mp_span){ digits.p + 1, digits.n - 1 };
    if (digits.n == 0 || digits.n > 8) return -1;
    for (size_t i = 0; i < digits.n; i++) {
        char c = digits.p[i];
        int d = c >= '0' && c <= '9'                 ? c - '0'
                : base == 16 && c >= 'a' && c <= 'f' ? c - 'a' + 10
                : base == 16 && c >= 'A' && c <= 'F' ? c - 'A' + 10
                                                     : -1;
        if (d < 0) return -1;
        v = v * base + d;
    }
    bool allowed = v == 9 || v == 10 || v == 13 || (v >= 0x20 && v < 0xD800) ||
                   (v >= 0xE000 && v <= 0x10FFFF && v != 0xFFFE && v != 0xFFFF);
    return allowed ? v : -1;
}

static size_t put_utf8(char *out, int64_t v)
{
    if (v < 0x80) {
        out[0] = (char)v;
        return 1;
    }
    size_t n = v < 0x800 ? 2 : v < 0x10000 ? 3 : 4;
    static const unsigned char lead[] = { 0, 0, 0xC0, 0xE0, 0xF0 };
    for (size_t i = n; i-- > 1; v >>= 6) out[i] = (char)(0x80 | (v & 0x3F));
    out[0] = (char)(lead[n] | (unsigned char)v);
    return n;
}

/* The entity of n bytes between & and ;, written to `out`, which is never more than it took. 0: there is no such entity. */
static size_t entity(mp_span name, char *out)
{
    static const struct {
        const char *name;
        char c;
    } five[] = { { "amp", '&' }, { "lt", '<' }, { "gt", '>' }, { "quot", '"' }, { "apos", '\'' } };
    for (size_t i = 0; i < sizeof five / sizeof *five; i++)
        if (mp_span_is(name, five[i].name)) {
            *out = five[i].c;
            return 1;
        }
    if (name.n < 2 || name.p[0] != '#') return 0;
    int64_t v = character((mp_span){ name.p + 1, name.n - 1 });
    return v < 0 ? 0 : put_utf8(out, v);
}

/* A text without entities. The line of a failure is that of x, which stands before the text. */
static mp_err plain(const mp_xml *x, mp_span text, mp_arena *a, mp_span *out)
{
    const char *amp = text.n ? memchr(text.p, '&', text.n) : NULL;
    *out = text;
    if (!amp) return MP_OK;
    char *to = MP_NEW_RAW(a, char, text.n);
    size_t n = 0;
    for (size_t i = 0; i < text.n;) {
        if (text.p[i] != '&') {
            to[n++] = text.p[i++];
            continue;
        }
        const char *first = text.p + i + 1, *semicolon = memchr(first, ';', text.n - i - 1);
        size_t got = semicolon ? entity((mp_span){ first, (size_t)(semicolon - first) }, to + n) : 0;
        if (!got) {
            mp_xml at = *x;
            go(&at, text.p + i);
            return bad(&at, "expected &amp;, &lt;, &gt;, &quot;, &apos; or the number of a character such as &#233;");
        }
        n += got;
        i = (size_t)(semicolon + 1 - text.p);
    }
    *out = (mp_span){ to, n };
    return MP_OK;
}

/* ---- tags ---- */

static bool is_name_byte(char c, bool first)
{
    unsigned char u = (unsigned char)c;
    bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == ':' || u >= 0x80;
    return letter || (!first && ((c >= '0' && c <= '9') || c == '-' || c == '.'));
}

static mp_err take_name(mp_xml *x, mp_span *out)
{
    const char *p = x->p;
    while (p < x->end && is_name_byte(*p, p == x->p)) p++;
    *out = (mp_span){ x->p, (size_t)(p - x->p) };
    x->p = p;
    return out->n ? MP_OK : bad(x, "expected a name");
}

static mp_err take_attribute(mp_xml *x, mp_arena *a, mp_xml_event *e)
{
    mp_span name;
    MP_TRY(take_name(x, &name));
    skip_blanks(x);
    if (x->p == x->end || *x->p != '=') return bad(x, "expected = behind the name of an attribute");
    x->p++;
    skip_blanks(x);
    char quote = x->p < x->end ? *x->p : '\0';
    if (quote != '"' && quote != '\'') return bad(x, "expected the value of an attribute in quotes");
    x->p++;
    const char *close = memchr(x->p, quote, (size_t)(x->end - x->p));
    if (!close) return bad(x, "the value of an attribute does not end");
    if (memchr(x->p, '<', (size_t)(close - x->p))) return bad(x, "the value of an attribute has a <, or does not end");
    for (int i = 0; i < e->attributes; i++)
        if (e->attribute[i].name.n == name.n && memcmp(e->attribute[i].name.p, name.p, name.n) == 0)
            return bad(x, "an attribute is there twice");
    if (e->attributes == MP_XML_ATTRIBUTES) return bad(x, "too many attributes");
    mp_xml_pair *pair = &e->attribute[e->attributes++];
    pair->name = name;
    MP_TRY(plain(x, (mp_span){ x->p, (size_t)(close - x->p) }, a, &pair->value));
    go(x, close + 1);
    return MP_OK;
}

/* A name without what stands before its colon. */
static void set_name(mp_xml_event *e, mp_span name)
{
    const char *colon = memchr(name.p, ':', name.n);
    e->prefixed = colon != NULL;
    e->name = colon ? (mp_span){ colon + 1, (size_t)(name.p + name.n - colon - 1) } : name;
}

static mp_err take_open(mp_xml *x, mp_arena *a, mp_xml_event *e)
{
    mp_span name;
    x->p++;
    MP_TRY(take_name(x, &name));
    e->kind = MP_XML_OPEN;
    set_name(e, name);
    if (x->done) return bad(x, "expected nothing behind the outermost element");
    if (x->depth == MP_XML_DEPTH) return bad(x, "too many elements inside each other");
    x->open[x->depth++] = name;
    for (;;) {
        const char *before = x->p;
        skip_blanks(x);
        if (begins(x, ">") || begins(x, "/>")) break;
        if (x->p == x->end) return bad(x, "a tag does not end");
        if (x->p == before) return bad(x, "expected a blank, > or /> in a tag");
        MP_TRY(take_attribute(x, a, e));
    }
    x->empty = *x->p == '/';
    x->p += x->empty ? 2 : 1;
    return MP_OK;
}

static void close_last(mp_xml *x, mp_xml_event *e)
{
    e->kind = MP_XML_CLOSE;
    set_name(e, x->open[--x->depth]);
    x->done = x->depth == 0;
}

static mp_err take_close(mp_xml *x, mp_xml_event *e)
{
    mp_span name;
    x->p += 2;
    MP_TRY(take_name(x, &name));
    skip_blanks(x);
    if (!begins(x, ">")) return bad(x, "expected > in a closing tag");
    x->p++;
    mp_span open = x->depth ? x->open[x->depth - 1] : (mp_span){ NULL, 0 };
    if (open.n != name.n || memcmp(open.p, name.p, name.n) != 0)
        return mp_fail(MP_ERR_INPUT, "%s:%lld: </%.*s> closes <%.*s>", x->file, (long long)x->line,
                       (int)(name.n < 40 ? name.n : 40), name.p, (int)(open.n < 40 ? open.n : 40),
                       open.n ? open.p : "");
    close_last(x, e);
    return MP_OK;
}

/* Comments and instructions are passed over; *found false: there is none here. */
static mp_err pass_over(mp_xml *x, bool *found)
{
    bool comment = begins(x, "<!--"), instruction = begins(x, "<?");
    *found = comment || instruction;
    if (!*found) return MP_OK;
    x->p += comment ? 4 : 2;
    const char *end = find(x, comment ? "-->" : "?>");
    if (!end) return bad(x, comment ? "a comment does not end" : "an instruction does not end");
    go(x, end + (comment ? 3 : 2));
    return MP_OK;
}

static mp_err take_cdata(mp_xml *x, mp_xml_event *e)
{
    static const char word[] = "<![CDATA[";
    x->p += sizeof word - 1;
    const char *end = find(x, "]]>");
    if (!end || x->depth == 0) return bad(x, "a CDATA section does not end, or is outside of elements");
    e->kind = MP_XML_TEXT;
    e->text = (mp_span){ x->p, (size_t)(end - x->p) };
    go(x, end + 3);
    return MP_OK;
}

mp_err mp_xml_next(mp_xml *x, mp_arena *a, mp_xml_event *e)
{
    e->attributes = 0;
    e->prefixed = false;
    e->name = e->text = (mp_span){ "", 0 };
    for (bool passed = true; passed;) {
        if (x->depth == 0) skip_blanks(x);
        e->line = x->line;
        if (x->empty) {
            x->empty = false;
            close_last(x, e);
            return MP_OK;
        }
        MP_TRY(pass_over(x, &passed));
    }
    if (x->p == x->end) {
        e->kind = MP_XML_END;
        if (x->depth)
            return mp_fail(MP_ERR_INPUT, "%s:%lld: <%.*s> does not end", x->file, (long long)x->line,
                           (int)(x->open[x->depth - 1].n < 40 ? x->open[x->depth - 1].n : 40), x->open[x->depth - 1].p);
        return x->done ? MP_OK : bad(x, "expected an element, the text ends here");
    }
    if (begins(x, "<![CDATA[")) return take_cdata(x, e);
    if (begins(x, "<!")) return bad(x, "document types and their entities are not read");
    if (begins(x, "</")) return take_close(x, e);
    if (*x->p == '<') return take_open(x, a, e);
    if (x->depth == 0) return bad(x, "expected an element, got text");
    const char *end = memchr(x->p, '<', (size_t)(x->end - x->p));
    mp_span text = { x->p, (size_t)((end ? end : x->end) - x->p) };
    e->kind = MP_XML_TEXT;
    MP_TRY(plain(x, text, a, &e->text));
    go(x, text.p + text.n);
    return MP_OK;
}

mp_span mp_xml_get(const mp_xml_event *e, const char *name)
{
    for (int i = 0; i < e->attributes; i++)
        if (mp_span_is(e->attribute[i].name, name)) return e->attribute[i].value;
    return (mp_span){ NULL, 0 };
}

/* ---- the whole text ---- */

static mp_err check_bytes(mp_xml *x)
{
    const char *p = x->p;
    while (p < x->end) {
        int n = mp_utf8_length(p, (size_t)(x->end - p));
        bool control = n == 1 && (unsigned char)*p < 0x20 && !is_blank(*p);
        if (n == 0 || control) {
            go(x, p);
            return bad(x, n ? "a control character" : "the text is not UTF-8");
        }
        p += n;
    }
    return MP_OK;
}

/* <?xml version="1.0" encoding="UTF-8"?> */
static mp_err check_encoding(const mp_xml *x)
{
    const char *end = begins(x, "<?xml") ? find(x, "?>") : NULL;
    const char *word = end ? memmem(x->p, (size_t)(end - x->p), "encoding", 8) : NULL;
    if (!word) return MP_OK;
    for (word += 8; word < end && (is_blank(*word) || *word == '='); word++) continue;
    const char *close = word < end ? memchr(word + 1, *word, (size_t)(end - word - 1)) : NULL;
    char name[16] = "";
    if (close && close - word - 1 < (int)sizeof name) memcpy(name, word + 1, (size_t)(close - word - 1));
    if (mp_same_letters(name, "utf-8") || mp_same_letters(name, "us-ascii") || mp_same_letters(name, "ascii"))
        return MP_OK;
    return mp_fail(MP_ERR_INPUT, "%s:1: the encoding must be UTF-8", x->file);
}

mp_err mp_xml_open(mp_xml *x, mp_span text, const char *file)
{
    text = mp_without_mark(text);
    *x = (mp_xml){ .file = file, .p = text.p, .end = text.p + text.n, .line = 1 };
    MP_TRY(check_encoding(x));
    mp_xml look = *x;
    return check_bytes(&look);
}

void mp_xml_put(mp_buf *b, mp_span text)
{
    for (size_t i = 0; i < text.n; i++) {
        const char *as = text.p[i] == '&'    ? "&amp;"
                         : text.p[i] == '<'  ? "&lt;"
                         : text.p[i] == '>'  ? "&gt;"
                         : text.p[i] == '"'  ? "&quot;"
                         : text.p[i] == '\t' ? "&#9;"
                         : text.p[i] == '\n' ? "&#10;"
                         : text.p[i] == '\r' ? "&#13;"
                                             : NULL;
        if (as)
            mp_buf_puts(b, as);
        else
            mp_buf_add(b, &text.p[i], 1);
    }
}
