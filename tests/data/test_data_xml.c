/* test_data_xml.c - texts in XML come tag by tag, or are refused with their line.
 * SPDX-License-Identifier: MIT */
#include "fixture.h"

#include "data/xml.h"

/* Every event as a word: <name key=value>, >name for a closing tag, "text". */
static mp_err told(const char *text, mp_arena *a, mp_buf *out)
{
    mp_xml x;
    mp_xml_event e;
    MP_TRY(mp_xml_open(&x, mp_span_of(text), "f.xml"));
    for (;;) {
        MP_TRY(mp_xml_next(&x, a, &e));
        if (e.kind == MP_XML_END) return MP_OK;
        if (e.kind == MP_XML_TEXT) mp_buf_printf(out, "'%.*s'", (int)e.text.n, e.text.p);
        if (e.kind == MP_XML_CLOSE) mp_buf_printf(out, ">%.*s", (int)e.name.n, e.name.p);
        if (e.kind != MP_XML_OPEN) continue;
        mp_buf_printf(out, "<%s%.*s@%d", e.prefixed ? "*" : "", (int)e.name.n, e.name.p, (int)e.line);
        for (int i = 0; i < e.attributes; i++)
            mp_buf_printf(out, " %.*s=%.*s", (int)e.attribute[i].name.n, e.attribute[i].name.p,
                          (int)e.attribute[i].value.n, e.attribute[i].value.p);
    }
}

static void reads_as(const char *text, const char *events, mp_arena *a)
{
    mp_buf b = { 0 };
    mp_buf_puts(&b, "");
    WORKS(told(text, a, &b));
    assert_string_equal(b.p, events);
    mp_buf_free(&b);
}

static void a_text_comes_tag_by_tag(void **state)
{
    mp_arena *a = *state;
    reads_as("<a/>", "<a@1>a", a);
    reads_as("\xEF\xBB\xBF<?xml version='1.0' encoding=\"utf-8\"?>\n<!-- <b> -->\n<a x = '1' "
             "y=\"&lt;2'\">t<b/>u</a>\n<!---->\n",
             "<a@3 x=1 y=<2''t'<b@3>b'u'>a", a);
    reads_as("<a>&amp;&lt;&gt;&quot;&apos;&#65;&#xe9;&#x1F600;<![CDATA[<&amp;]]>]]&gt;</a>",
             "<a@1'&<>\"'A\xC3\xA9\xF0\x9F\x98\x80''<&amp;'']]>'>a", a);
    reads_as("<y:a xmlns:y='u'\n  k='v'>\n\n<b\n></b ></y:a>", "<*a@1 xmlns:y=u k=v'\n\n'<b@4>b>a", a);
}

static void what_is_not_well_formed_is_refused_with_its_line(void **state)
{
    static const struct {
        const char *text, *message;
    } cases[] = {
        { "", "f.xml:1: expected an element" },
        { "\n\nx<a/>", "f.xml:3: expected an element, got text" },
        { "<a>\n</b>", "f.xml:2: </b> closes <a>" },
        { "<a>\n<b></a>", "f.xml:2: </a> closes <b>" },
        { "<a>\n", "<a> does not end" },
        { "<a/>\n<b/>", "f.xml:2: expected nothing behind" },
        { "<a x=1/>", "in quotes" },
        { "<a x/>", "expected =" },
        { "<a x='1' x='2'/>", "there twice" },
        { "<a x='1'y='2'/>", "expected a blank" },
        { "<a x='<'/>", "has a <" },
        { "<a x='/>", "does not end" },
        { "<a\n", "a tag does not end" },
        { "<a><!-- </a>", "a comment does not end" },
        { "<a>\n\n&nbsp;</a>", "f.xml:3: expected &amp;" },
        { "<a>&#0;</a>", "expected &amp;" },
        { "<a>&#xD800;</a>", "expected &amp;" },
        { "<a>&#x110000;</a>", "expected &amp;" },
        { "<a>&#99999999999;</a>", "expected &amp;" },
        { "<a>& b;</a>", "expected &amp;" },
        { "<!DOCTYPE a [<!ENTITY b 'c'>]><a>&b;</a>", "document types" },
        { "<a>\n\x01</a>", "f.xml:2: a control character" },
        { "<a>\n\xff</a>", "f.xml:2: the text is not UTF-8" },
        { "<?xml version='1.0' encoding='latin1'?><a/>", "must be UTF-8" },
        { "<1/>", "expected a name" },
        { "<![CDATA[x]]>", "outside of elements" },
    };
    mp_arena *a = *state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        mp_buf b = { 0 };
        FAILS(told(cases[i].text, a, &b), cases[i].message);
        mp_buf_free(&b);
    }
}

static void depth_and_attributes_have_limits(void **state)
{
    mp_arena *a = *state;
    for (int over = 0; over < 2; over++) {
        mp_buf deep = { 0 }, wide = { 0 }, out = { 0 };
        for (int i = 0; i < MP_XML_DEPTH + over; i++) mp_buf_puts(&deep, "<a>");
        for (int i = 0; i < MP_XML_DEPTH + over; i++) mp_buf_puts(&deep, "</a>");
        mp_buf_puts(&wide, "<a");
        for (int i = 0; i < MP_XML_ATTRIBUTES + over; i++) mp_buf_printf(&wide, " a%d='1'", i);
        mp_buf_puts(&wide, "/>");
        if (over) {
            FAILS(told(deep.p, a, &out), "too many elements inside each other");
            FAILS(told(wide.p, a, &out), "too many attributes");
        } else {
            WORKS(told(deep.p, a, &out));
            WORKS(told(wide.p, a, &out));
        }
        mp_buf_free(&deep);
        mp_buf_free(&wide);
        mp_buf_free(&out);
    }
}

static void what_is_written_is_read_back(void **state)
{
    static const char text[] = "<a & \"b\">'\t\n\r \xC3\xA9";
    mp_arena *a = *state;
    mp_buf b = { 0 };
    mp_xml x;
    mp_xml_event e;
    mp_buf_puts(&b, "<a k=\"");
    mp_xml_put(&b, mp_span_of(text));
    mp_buf_puts(&b, "\"/>");
    WORKS(mp_xml_open(&x, mp_span_of(b.p), "f"));
    WORKS(mp_xml_next(&x, a, &e));
    mp_span back = mp_xml_get(&e, "k");
    assert_int_equal(back.n, strlen(text));
    assert_memory_equal(back.p, text, back.n);
    assert_null(mp_xml_get(&e, "l").p);
    mp_buf_free(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(a_text_comes_tag_by_tag),
        CASE(what_is_not_well_formed_is_refused_with_its_line),
        CASE(depth_and_attributes_have_limits),
        CASE(what_is_written_is_read_back),
    };
    return cmocka_run_group_tests_name("data_xml", tests, NULL, NULL);
}
