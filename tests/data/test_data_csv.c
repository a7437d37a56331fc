/* test_data_csv.c - tables as text: fields, lines and bytes of records, every failure with its line, and pieces of any size.
 * SPDX-License-Identifier: MIT */
#include "fixture.h"
#include "pour.h"

#include "data/csv.h"

static const char odd[] = "\xEF\xBB\xBFname, smiles ,note\r\n"
                          "a,CCO,\"x, \"\"y\"\"\nz\"\r\n"
                          "\n"
                          "\r\n"
                          ",,\n"
                          "\"\",\"\"\"\",5\" pipe\n"
                          "last,\"C\",\xC3\xA9 end";

static void is_field(const mp_csv_record *r, int i, const char *text)
{
    assert_true(i < r->fields);
    assert_int_equal(r->field[i].n, strlen(text));
    assert_memory_equal(r->field[i].p, text, strlen(text));
}

static void records_have_their_fields_lines_and_bytes(void **state)
{
    static const struct {
        const char *field[3], *raw;
        int line;
    } want[] = { { { "name", " smiles ", "note" }, "name, smiles ,note\r\n", 1 },
                 { { "a", "CCO", "x, \"y\"\nz" }, "a,CCO,\"x, \"\"y\"\"\nz\"\r\n", 2 },
                 { { "", "", "" }, ",,\n", 6 },
                 { { "", "\"", "5\" pipe" }, "\"\",\"\"\"\",5\" pipe\n", 7 },
                 { { "last", "C", "\xC3\xA9 end" }, "last,\"C\",\xC3\xA9 end", 8 } };
    mp_csv c = { .file = "t.csv" };
    mp_span text = mp_without_mark((mp_span){ odd, sizeof odd - 1 });
    mp_csv_record r;
    bool got;
    for (int i = 0; i < 5; i++) {
        WORKS(mp_csv_next(&c, &text, *state, &r, &got));
        assert_true(got);
        assert_int_equal(r.fields, 3);
        for (int k = 0; k < 3; k++) is_field(&r, k, want[i].field[k]);
        assert_int_equal(r.line, want[i].line);
        assert_int_equal(r.raw.n, strlen(want[i].raw));
        assert_memory_equal(r.raw.p, want[i].raw, r.raw.n);
    }
    WORKS(mp_csv_next(&c, &text, *state, &r, &got));
    assert_false(got);
}

/* All records of a feed, written as "LINE:bytes", by pieces of about `near` bytes. */
static void by_pieces(size_t step, size_t near, mp_arena *a, mp_buf *out)
{
    memory m = { { odd, sizeof odd - 1 }, step };
    mp_csv c = { .file = "t.csv" };
    mp_feed f;
    mp_buf piece = { 0 };
    int64_t before, records = 0;
    mp_feed_open(&f, (mp_tap){ pour, leave, &m });
    do {
        WORKS(mp_csv_cut(&c, &f, near, &piece, &before));
        mp_csv inside = { .file = "t.csv", .lines = before };
        mp_span text = { piece.p, piece.n };
        mp_csv_record r;
        bool got = true;
        for (;;) {
            WORKS(mp_csv_next(&inside, &text, a, &r, &got));
            if (!got) break;
            mp_buf_printf(out, "%lld:", (long long)r.line);
            mp_buf_add(out, r.raw.p, r.raw.n);
        }
        if (piece.n && piece.p[piece.n - 1] == '\n') assert_int_equal(inside.lines, c.lines);
        records += inside.records;
        assert_int_equal(records, c.records);
    } while (piece.n);
    mp_feed_close(&f);
    mp_buf_free(&piece);
}

static void pieces_of_any_size_have_the_same_records(void **state)
{
    mp_buf whole = { 0 };
    by_pieces(sizeof odd, sizeof odd, *state, &whole);
    assert_non_null(strstr(whole.p, "2:a,CCO"));
    assert_non_null(strstr(whole.p, "8:last"));
    for (size_t step = 1; step < 40; step += 3)
        for (size_t near = 1; near < sizeof odd; near += 5) {
            mp_buf b = { 0 };
            by_pieces(step, near, *state, &b);
            assert_string_equal(b.p, whole.p);
            mp_buf_free(&b);
        }
    mp_buf_free(&whole);
}

/* The message that reading a table ends with; "" when it does not fail. */
static const char *failure_of(const char *text, mp_arena *a)
{
    mp_csv c = { .file = "t.csv" };
    mp_span rest = mp_span_of(text);
    mp_csv_record r;
    mp_csv_head head;
    bool got;
    mp_err e = mp_csv_next(&c, &rest, a, &r, &got);
    if (e == MP_OK) e = mp_csv_names(&c, &r, a, &head);
    while (e == MP_OK && got) e = mp_csv_next(&c, &rest, a, &r, &got);
    return e == MP_OK ? "" : mp_message();
}

static void what_is_wrong_is_said_with_its_line(void **state)
{
    static const char *const cases[][2] = {
        { "a,b\n1,2\n1\n", "t.csv:3: 1 field; the header has 2" },
        { "a,b\n\"x\ny\",2\n1,2,3", "t.csv:4: 3 fields; the header has 2" },
        { "a,b\n1,2\nu,\"v\n1,2\n", "t.csv:3: a field in quotes does not end" },
        { "a,b\n\"1\n2\n\",\"v\n1,2\n", "t.csv:4: a field in quotes does not end" },
        { "a,b\n\"1\n2\"x,3\n", "t.csv:3: expected a comma or the end of the line behind the closing quote" },
        { "a,b, a\n", "t.csv:1: two columns are called 'a'" },
        { "a,,b,\n1,2,3,4\n", "" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_string_equal(failure_of(cases[i][0], *state), cases[i][1]);
}

static void columns_are_found_by_name(void **state)
{
    mp_csv c = { .file = "t.csv" };
    mp_span text = mp_span_of("id, SMILES ,,y\n");
    mp_csv_record r;
    mp_csv_head h;
    bool got;
    WORKS(mp_csv_next(&c, &text, *state, &r, &got));
    WORKS(mp_csv_names(&c, &r, *state, &h));
    assert_int_equal(mp_csv_column(&h, "SMILES"), 1);
    assert_int_equal(mp_csv_column(&h, "smiles"), -1);
    assert_int_equal(mp_csv_column(&h, ""), -1);
    assert_string_equal(mp_csv_list(&h, *state), "id, SMILES, , y");
}

/* A tap that opens a quote and goes on for ever. */
static ptrdiff_t endless(void *state, char *to, size_t n)
{
    size_t *given = state;
    memset(to, 'C', n);
    if (*given == 0) to[0] = '"';
    *given += n;
    return (ptrdiff_t)n;
}

static void a_quote_without_end_does_not_fill_the_memory(void **state)
{
    size_t given = 0;
    mp_csv c = { .file = "t.csv" };
    mp_feed f;
    mp_buf piece = { 0 };
    int64_t before;
    (void)state;
    mp_feed_open(&f, (mp_tap){ endless, leave, &given });
    assert_int_equal(mp_csv_cut(&c, &f, 1 << 15, &piece, &before), MP_ERR_LIMIT);
    assert_string_equal(mp_message(), "t.csv:1: a record of more than 16 MiB; is a quote not closed?");
    assert_true(given < (size_t)64 << 20);
    mp_feed_close(&f);
    mp_buf_free(&piece);
}

static void a_written_field_is_read_back(void **state)
{
    static const char *const words[] = { "", "plain", "a,b", "\"", "two\nlines", "cr\r", "5\" pipe", " blank " };
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        mp_csv c = { .file = "t.csv" };
        mp_buf b = { 0 };
        mp_csv_record r;
        bool got;
        mp_csv_put(&b, mp_span_of("first"));
        mp_buf_puts(&b, ",");
        mp_csv_put(&b, mp_span_of(words[i]));
        mp_span text = { b.p, b.n };
        WORKS(mp_csv_next(&c, &text, *state, &r, &got));
        assert_int_equal(r.fields, 2);
        is_field(&r, 1, words[i]);
        mp_buf_free(&b);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(records_have_their_fields_lines_and_bytes),
        CASE(pieces_of_any_size_have_the_same_records),
        CASE(what_is_wrong_is_said_with_its_line),
        CASE(columns_are_found_by_name),
        cmocka_unit_test(a_quote_without_end_does_not_fill_the_memory),
        CASE(a_written_field_is_read_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
