/* test_sha256.c - the examples of FIPS 180-4 and NIST's long message, whole and in pieces.
 * SPDX-License-Identifier: MIT */
#include "base/sha256.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static const struct {
    const char *message, *digest;
} vectors[] = {
    { "", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855" },
    { "abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad" },
    { "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
      "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1" },
    { "abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmnoijklmnopjklmnopqklmnopqrlmnopqrsmnopqr"
      "stnopqrstu",
      "cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1" },
};

static void standard_messages_have_the_standard_hash(void **state)
{
    (void)state;
    char hex[65];
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++) {
        mp_sha256_hex(vectors[i].message, strlen(vectors[i].message), hex);
        assert_string_equal(hex, vectors[i].digest);
    }
}

static void a_million_times_a_has_the_standard_hash(void **state)
{
    (void)state;
    char *text = malloc(1000000), hex[65];
    memset(text, 'a', 1000000);
    mp_sha256_hex(text, 1000000, hex);
    assert_string_equal(hex, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
    free(text);
}

static void pieces_of_any_size_give_the_same_hash(void **state)
{
    (void)state;
    char text[300], whole[65], pieces[65];
    for (int i = 0; i < 300; i++) text[i] = (char)(i * 7);
    for (size_t n = 0; n < sizeof text; n++) {
        mp_sha256_hex(text, n, whole);
        for (size_t step = 1; step < 140; step += 13) {
            mp_sha256 s;
            mp_sha256_init(&s);
            for (size_t at = 0; at < n; at += step) mp_sha256_add(&s, text + at, step < n - at ? step : n - at);
            mp_sha256_end_hex(&s, pieces);
            assert_string_equal(pieces, whole);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(standard_messages_have_the_standard_hash),
        cmocka_unit_test(a_million_times_a_has_the_standard_hash),
        cmocka_unit_test(pieces_of_any_size_give_the_same_hash),
    };
    return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
