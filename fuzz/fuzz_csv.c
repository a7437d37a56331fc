/* fuzz_csv.c - noise as a table. The first byte says how few bytes a read gives, the second how large pieces are.
 *
 * Records read from the text and from pieces of a feed must be the same; a record that is accepted must come back from the
 * fields it is written as.
 * SPDX-License-Identifier: MIT */
#include "../tests/data/pour.h"
#include "data/csv.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void write_again(const mp_csv_record *r, mp_arena *a)
{
    mp_csv c = { .file = "again" };
    mp_buf b = { 0 };
    mp_csv_record again;
    bool got;
    if (r->fields == 1 && r->field[0].n == 0) return; /* is written as an empty line */
    for (int i = 0; i < r->fields; i++) {
        if (i) mp_buf_puts(&b, ",");
        mp_csv_put(&b, r->field[i]);
    }
    mp_buf_puts(&b, "\n");
    mp_span text = { b.p, b.n };
    mp_assert(mp_csv_next(&c, &text, a, &again, &got) == MP_OK && got && text.n == 0);
    mp_assert(again.fields == r->fields);
    for (int i = 0; i < r->fields; i++)
        mp_assert(again.field[i].n == r->field[i].n && !memcmp(again.field[i].p, r->field[i].p, r->field[i].n));
    mp_buf_free(&b);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 2) return 0;
    mp_arena *a = mp_arena_new(1 << 14);
    mp_csv whole = { .file = "noise" }, cut = whole;
    memory m = { { (const char *)data + 2, size - 2 }, (size_t)data[0] + 1 };
    mp_span text = mp_without_mark(m.rest);
    mp_feed f;
    mp_buf piece = { 0 };
    mp_csv_head head;
    bool first = true, got = true, same = true;
    mp_err e = MP_OK;
    mp_feed_open(&f, (mp_tap){ pour, leave, &m });
    do {
        int64_t before;
        mp_assert(mp_csv_cut(&cut, &f, (size_t)data[1] + 1, &piece, &before) == MP_OK);
        mp_csv inside = { .file = "noise", .lines = before, .columns = whole.columns };
        mp_span rest = { piece.p, piece.n };
        for (same = true; same && e == MP_OK;) {
            mp_csv_record r, by_piece;
            mp_err found = mp_csv_next(&inside, &rest, a, &by_piece, &same);
            if (!same && found == MP_OK) break;
            e = mp_csv_next(&whole, &text, a, &r, &got);
            mp_assert(e == found && got == same && r.line == by_piece.line && r.fields == by_piece.fields);
            mp_assert(r.raw.n == by_piece.raw.n && memcmp(r.raw.p, by_piece.raw.p, r.raw.n) == 0);
            if (e == MP_OK) write_again(&r, a);
            if (e == MP_OK && first) e = mp_csv_names(&whole, &r, a, &head);
            if (e == MP_OK && first) mp_assert(mp_csv_list(&head, a));
            inside.columns = whole.columns;
            first = false;
        }
    } while (piece.n && e == MP_OK);
    mp_feed_close(&f);
    mp_buf_free(&piece);
    mp_arena_free(a);
    return 0;
}
