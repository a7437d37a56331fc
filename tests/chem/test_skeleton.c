/* test_skeleton.c - validity against molecules known by hand and against RDKit, sameness against all permutations.
 * SPDX-License-Identifier: MIT */
#include "base/rng.h"
#include "chem/chem.h"
#include "chem/element.h"
#include "chem/skeleton.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#define ATOMS 8
#define BONDS 16

typedef struct sample { /* a skeleton as it grows, and elements on it */
    int atoms, bonds, from[BONDS], to[BONDS], order[BONDS];
    unsigned char element[ATOMS];
    int ptr[ATOMS + 1], other[2 * BONDS];
    unsigned char orders[2 * BONDS];
} sample;

static void bind(sample *m, int v, int u, int order)
{
    m->from[m->bonds] = v;
    m->to[m->bonds] = u;
    m->order[m->bonds++] = order;
}

static mp_skeleton skeleton(sample *m, int first)
{
    int n = 0;
    for (int v = 0; v < m->atoms; v++) {
        m->ptr[v] = n;
        for (int b = 0; b < m->bonds; b++) {
            if (m->from[b] != v && m->to[b] != v) continue;
            m->other[n] = first + (m->from[b] == v ? m->to[b] : m->from[b]);
            m->orders[n++] = (unsigned char)m->order[b];
        }
    }
    m->ptr[m->atoms] = n;
    return (mp_skeleton){ m->atoms, m->ptr, m->other, m->orders, first };
}

/* ---- by hand ---- */

/* Atoms as letters (L chlorine, B bromine), bonds as "012": atoms 0 and 1, order 2. */
static sample written(const char *atoms, const char *bonds)
{
    static const char letters[] = "CNOFPSLBI";
    static const unsigned char element[] = { 6, 7, 8, 9, 15, 16, 17, 35, 53 };
    sample m = { .atoms = (int)strlen(atoms) };
    for (int v = 0; v < m.atoms; v++) m.element[v] = element[strchr(letters, atoms[v]) - letters];
    for (; *bonds; bonds += bonds[3] ? 4 : 3) bind(&m, bonds[0] - '0', bonds[1] - '0', bonds[2] - '0');
    return m;
}

static void molecules_known_by_hand_are_valid_or_not(void **state)
{
    static const struct {
        const char *what, *atoms, *bonds;
        bool valid;
    } cases[] = {
        { "methane", "C", "", true },
        { "carbon monoxide, C of 3 and O of 3", "CO", "013", false },
        { "acetylene", "CC", "013", true },
        { "carbon of 5", "CCCC", "012 022 031", false },
        { "ammonium, N of 4 without its charge", "NCCCC", "011 021 031 041", false },
        { "nitro group, written with two double bonds", "CNOO", "011 122 132", true },
        { "nitro group without its charges: N of 4", "CNOO", "011 122 131", false },
        { "N of 5 whose double bond leads to C", "CNCC", "012 122 131", false },
        { "sulphone", "CSOOC", "011 122 132 141", true },
        { "sulphur of 8", "SOOOO", "012 022 032 042", false },
        { "phosphate", "POOOO", "012 021 031 041", true },
        { "chlorine of 2", "CLC", "011 121", false },
        { "iodine of 5", "IOOF", "012 022 031", true },
        { "hydrogen fluoride and water", "FO", "", true },
        { "pyridine, aromatic", "NCCCCC", "014 124 234 344 454 504", true },
        { "aromatic carbon with two more bonds", "CCCCCCCC", "014 124 234 344 454 504 061 071", false },
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        sample m = written(cases[i].atoms, cases[i].bonds);
        mp_skeleton s = skeleton(&m, 100);
        if (mp_skeleton_valid(&s, m.element) != cases[i].valid) fail_msg("%s", cases[i].what);
    }
}

static void the_benchmark_has_nine_elements(void **state)
{
    (void)state;
    static const char *const symbol[MP_ZINC_TYPES] = { "C", "O", "N", "F", "C", "S", "Cl", "O", "N", "Br",
                                                       "N", "N", "N", "N", "S", "I", "P",  "O", "N", "O",
                                                       "S", "P", "P", "C", "P", "S", "C",  "P" };
    for (int t = 0; t < MP_ZINC_TYPES; t++) assert_string_equal(mp_element(mp_zinc_element[t]), symbol[t]);
}

static void the_same_molecule_may_be_numbered_in_another_way(void **state)
{
    sample m = written("CCO", "011 121"); /* ethanol from either end */
    mp_skeleton s = skeleton(&m, 0);
    static const unsigned char back[] = { 8, 6, 6 }, middle[] = { 6, 8, 6 };
    assert_true(mp_skeleton_same(&s, m.element, back, *state));
    assert_false(mp_skeleton_same(&s, m.element, middle, *state));
    m = written("CCO", "012 121"); /* the double bond tells the ends apart */
    s = skeleton(&m, 0);
    assert_false(mp_skeleton_same(&s, m.element, back, *state));
}

/* ---- all permutations ---- */

static bool carries(const sample *m, const int *image, const unsigned char *x, const unsigned char *y)
{
    int order[ATOMS][ATOMS] = { { 0 } };
    for (int b = 0; b < m->bonds; b++) order[m->from[b]][m->to[b]] = order[m->to[b]][m->from[b]] = m->order[b];
    for (int v = 0; v < m->atoms; v++) {
        if (x[v] != y[image[v]]) return false;
        for (int u = 0; u < m->atoms; u++)
            if (order[v][u] != order[image[v]][image[u]]) return false;
    }
    return true;
}

static bool some_permutation(const sample *m, int *image, int at, const unsigned char *x, const unsigned char *y)
{
    if (at == m->atoms) return carries(m, image, x, y);
    for (int i = at; i < m->atoms; i++) {
        int t = image[at];
        image[at] = image[i];
        image[i] = t;
        bool found = some_permutation(m, image, at + 1, x, y);
        t = image[at];
        image[at] = image[i];
        image[i] = t;
        if (found) return true;
    }
    return false;
}

static void being_the_same_agrees_with_trying_all_permutations(void **state)
{
    mp_arena *a = *state;
    int same = 0, all = 3000;
    for (int draw = 0; draw < all; draw++) {
        mp_rng r = mp_rng_stream(7, MP_FOR_TEST, (uint64_t)draw, 0, 0);
        sample m = { .atoms = 1 + mp_rng_below(&r, 6) };
        int image[ATOMS] = { 0, 1, 2, 3, 4, 5, 6, 7 }, kinds = 1 + mp_rng_below(&r, 2);
        unsigned char y[ATOMS];
        for (int v = 0; v < m.atoms; v++)
            for (int u = 0; u < v; u++)
                if (mp_rng_below(&r, 2)) bind(&m, v, u, 1 + mp_rng_below(&r, kinds));
        for (int v = 0; v < m.atoms; v++) m.element[v] = (unsigned char)(6 + mp_rng_below(&r, 2));
        int order[ATOMS] = { 0, 1, 2, 3, 4, 5, 6, 7 };
        mp_rng_shuffle(&r, order, m.atoms);
        for (int v = 0; v < m.atoms; v++) y[order[v]] = m.element[v];
        mp_skeleton s = skeleton(&m, draw);
        bool want = some_permutation(&m, image, 0, m.element, y);
        same += want;
        assert_int_equal(mp_skeleton_same(&s, m.element, y, a), want);
        mp_arena_reset(a);
    }
    assert_true(same > all / 10 && same < all - all / 10); /* both answers are met */
}

/* ---- RDKit ---- */

static bool is_halogen(unsigned char element)
{
    return element == 9 || element == 17 || element == 35 || element == 53;
}

static void put_atom(const sample *m, int v, int before, char *out)
{
    static const char *const sign[] = { "", "-", "=", "#" };
    strcat(out, mp_element(m->element[v]));
    for (int b = 0; b < m->bonds; b++) {
        int u = m->from[b] == v ? m->to[b] : m->from[b];
        if ((m->from[b] != v && m->to[b] != v) || u == before) continue;
        strcat(out, "(");
        strcat(out, sign[m->order[b]]);
        put_atom(m, u, v, out);
        strcat(out, ")");
    }
}

static sample random_tree(uint64_t draw)
{
    static const unsigned char element[] = { 6, 7, 8, 9, 15, 16, 17, 35, 53 };
    mp_rng r = mp_rng_stream(8, MP_FOR_TEST, draw, 0, 0);
    sample m = { .atoms = 2 + mp_rng_below(&r, 6) };
    for (int v = 0; v < m.atoms; v++)
        m.element[v] = element[mp_rng_below(&r, 3) ? mp_rng_below(&r, 3) : mp_rng_below(&r, 9)];
    for (int v = 1; v < m.atoms; v++)
        bind(&m, v, mp_rng_below(&r, v), mp_rng_below(&r, 3) ? 1 : 1 + mp_rng_below(&r, 3));
    return m;
}

/* What RDKit repairs beyond the rule, azides and oxygen on halogens, is left to it. */
static bool is_repaired(const sample *m, const mp_skeleton *s)
{
    for (int v = 0; v < m->atoms; v++) {
        int sum = 0, oxygen = 0;
        for (int e = s->ptr[v]; e < s->ptr[v + 1]; e++) {
            sum += s->order[e];
            oxygen += m->element[s->to[e]] == 8;
        }
        if ((m->element[v] == 7 && sum == 5) || (is_halogen(m->element[v]) && sum > 1 && oxygen)) return true;
    }
    return false;
}

static void validity_is_what_rdkit_says(void **state)
{
    mp_arena *a = *state;
    if (!mp_chem_made()) skip();
    int valid = 0, asked = 0;
    for (uint64_t draw = 0; draw < 1500; draw++) {
        sample m = random_tree(draw);
        mp_skeleton s = skeleton(&m, 0);
        mp_molecule read;
        char smiles[200] = "";
        if (is_repaired(&m, &s)) continue;
        put_atom(&m, 0, -1, smiles);
        bool want = mp_molecule_read(mp_span_of(smiles), 0, a, &read) == MP_OK;
        if (mp_skeleton_valid(&s, m.element) != want) fail_msg("%s: RDKit says %s", smiles, want ? "valid" : "no");
        valid += want;
        asked++;
        mp_arena_reset(a);
    }
    assert_true(asked > 1000 && valid > asked / 5 && valid < asked - asked / 5);
    mp_molecule read;
    static const char *const nitro[] = { "CN(=O)=O", "C=N(C)=C", "FN(F)(F)F" };
    for (int i = 0; i < 3; i++) assert_int_equal(mp_molecule_read(mp_span_of(nitro[i]), 0, a, &read) == MP_OK, i == 0);
}

/* Two molecules on one skeleton are the same when their canonical SMILES are. */
static void being_the_same_is_what_canonical_smiles_say(void **state)
{
    mp_arena *a = *state;
    if (!mp_chem_made()) skip();
    int same = 0, asked = 0;
    for (uint64_t draw = 0; draw < 3000; draw++) {
        sample m = random_tree(draw), other = m;
        mp_rng r = mp_rng_stream(9, MP_FOR_TEST, draw, 0, 0);
        int v = mp_rng_below(&r, m.atoms), u = mp_rng_below(&r, m.atoms);
        other.element[v] = m.element[u];
        other.element[u] = m.element[v];
        mp_skeleton s = skeleton(&m, 0);
        mp_molecule one, two;
        char first[200] = "", second[200] = "";
        if (!mp_skeleton_valid(&s, m.element) || !mp_skeleton_valid(&s, other.element)) continue;
        put_atom(&m, 0, -1, first);
        put_atom(&other, 0, -1, second);
        assert_int_equal(mp_molecule_read(mp_span_of(first), MP_MOLECULE_CANONICAL, a, &one), MP_OK);
        assert_int_equal(mp_molecule_read(mp_span_of(second), MP_MOLECULE_CANONICAL, a, &two), MP_OK);
        bool want = strcmp(one.canonical, two.canonical) == 0;
        if (mp_skeleton_same(&s, m.element, other.element, a) != want)
            fail_msg("%s and %s: RDKit says %s", first, second, want ? "the same" : "others");
        same += want;
        asked++;
        mp_arena_reset(a);
    }
    assert_true(asked > 300 && same > asked / 10 && same < asked);
}

static int set_up(void **state)
{
    *state = mp_arena_new(1 << 16);
    return 0;
}

static int tear_down(void **state)
{
    mp_arena_free(*state);
    return 0;
}

#define CASE(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)
int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(molecules_known_by_hand_are_valid_or_not),
        CASE(the_benchmark_has_nine_elements),
        CASE(the_same_molecule_may_be_numbered_in_another_way),
        CASE(being_the_same_agrees_with_trying_all_permutations),
        CASE(validity_is_what_rdkit_says),
        CASE(being_the_same_is_what_canonical_smiles_say),
    };
    return cmocka_run_group_tests_name("skeleton", tests, NULL, NULL);
}
