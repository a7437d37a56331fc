/* test_molecule.c - molecules are drawn as chemists draw them: letters, lines of bonds, and what pooling kept, by the elements of
 * the picture.
 * SPDX-License-Identifier: MIT */
#include "chem/chem.h"
#include "chem/element.h"
#include "report/svg.h"
#include "sound.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static mp_arena *arena;

static mp_molecule molecule(const char *smiles)
{
    mp_molecule m = { 0 };
    if (mp_chem_load() != MP_OK) {
        print_message("%s\n", mp_message());
        skip();
    }
    if (mp_molecule_read(mp_span_of(smiles), MP_MOLECULE_SYMBOLS | MP_MOLECULE_PLACES, arena, &m) != MP_OK)
        fail_msg("%s: %s", smiles, mp_message());
    return m;
}

static mp_depict depict(const char *smiles)
{
    mp_molecule m = molecule(smiles);
    mp_depict d;
    mp_depict_of(&m, arena, &d);
    return d;
}

/* The picture of one level: scores rise with the number of the atom, those of even number are kept. */
static const char *draw(const char *smiles)
{
    mp_molecule m = molecule(smiles);
    mp_depict d;
    mp_depict_of(&m, arena, &d);
    int *node = MP_NEW(arena, int, m.atoms);
    double *score = MP_NEW(arena, double, m.atoms);
    unsigned char *kept = MP_NEW(arena, unsigned char, m.atoms);
    for (int v = 0; v < m.atoms; v++) {
        node[v] = v;
        score[v] = v;
        kept[v] = v % 2 == 0;
    }
    mp_svg_level level = { NULL, m.atoms, m.bonds, node, score, kept, m.from, m.to, 0, NULL };
    mp_svg_graph_spec s = { .nodes = m.atoms, .molecule = &d, .levels = 1, .level = &level };
    mp_buf b = { 0 };
    char near[32];
    mp_svg_graph(&s, &b);
    const char *svg = mp_arena_text(arena, b.p, b.n), *bad = tags_check(svg, near);
    mp_buf_free(&b);
    if (bad) fail_msg("%s: %s near '%s'", smiles, bad, near);
    assert_null(strstr(svg, "nan"));
    return svg;
}

/* What is between the start of a group and its end. */
static const char *group(const char *svg, const char *class)
{
    const char *from = strstr(svg, mp_arena_printf(arena, "<g class=\"%s\"", class));
    assert_non_null(from);
    return mp_arena_text(arena, from, (size_t)(strstr(from, "</g>") - from));
}

typedef struct sample {
    const char *smiles;
    int atoms, lines, dashed; /* lines of bonds, and how many of them are dashed */
    const char *letters;      /* texts in the order of the picture */
} sample;

/* \xE2\x88\x92 is the minus. */
static const sample samples[] = {
    { "c1ccccc1", 6, 12, 6, "" },
    { "CC(=O)Oc1ccccc1C(=O)O", 13, 21, 6, "O O O O H " },
    { "[Na+].[O-]C(=O)CC[NH3+]", 7, 6, 0, "Na + O \xE2\x88\x92 O N H 3 + " },
    { "CC#N", 3, 4, 0, "N " },
    { "C", 1, 0, 0, "C H 4 " },
    { "[CH3+]", 1, 0, 0, "C H 3 + " },
    { "C[CH2]", 2, 1, 0, "C H 2 " },
    { "[Mg+2]", 1, 0, 0, "Mg 2+ " },
    { "*CCl", 3, 2, 0, "* Cl " },
    { "C=C=C", 3, 4, 0, "" },
    { "N->[Fe]", 2, 1, 1, "N H 3 Fe " },
};

static void atoms_and_bonds_are_what_chemists_write(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof samples / sizeof *samples; i++) {
        const sample *s = &samples[i];
        const char *svg = draw(s->smiles), *bonds = group(svg, "bonds"), *end = strstr(svg, "low to high score");
        mp_buf letters = { 0 };
        mp_buf_puts(&letters, "");
        for (const char *p = strstr(svg, "paint-order"); (p = strstr(p, "<text")) != NULL && p < end; p++) {
            const char *from = strchr(p, '>') + 1;
            if (strstr(from, "low to high") == from) break;
            mp_buf_printf(&letters, "%.*s ", (int)(strchr(from, '<') - from), from);
        }
        assert_string_equal(letters.p, s->letters);
        mp_buf_free(&letters);
        if (count(bonds, "<path") != s->lines) fail_msg("%s: %d lines", s->smiles, count(bonds, "<path"));
        assert_int_equal(count(bonds, "dasharray"), s->dashed);
        assert_int_equal(count(group(svg, "faint"), "<path"), 0);
        assert_int_equal(count(group(svg, "new"), "<path"), 0);
        assert_int_equal(count(svg, "<circle"), s->atoms + 2); /* the legend has two */
        assert_int_equal(count(svg, "stroke=\"#d62f3a\" stroke-width"), (s->atoms + 1) / 2 + 1); /* rings */
        assert_string_equal(svg, draw(s->smiles)); /* the same bytes again */
    }
}

static void a_picture_says_in_words_which_atoms_were_kept(void **state)
{
    (void)state;
    const char *svg = draw("CC(=O)N");
    assert_non_null(
        strstr(svg, "aria-label=\"A molecule of 4 atoms at 1 level of pooling. level 1: 4 atoms, 2 kept: C0 O2.\""));
    assert_non_null(strstr(svg, "<title>atom 2 (O), score 2, kept</title>"));
    assert_non_null(strstr(svg, "<title>atom 3 (N), score 3, dropped</title>"));
    assert_non_null(strstr(svg, "  4 atoms, 2 kept, scores 0 to 3"));
    assert_non_null(strstr(draw("C"), "\"A molecule of 1 atom at 1 level of pooling. level 1: 1 atom, 1 kept: C0.\""));
    assert_non_null(strstr(draw("C"), "  1 atom, 1 kept"));
    assert_null(strstr(svg, "dropped before")); /* nothing was, at the first level */
}

/* The second line of a bond in a ring runs inside, that of two fused rings inside one of them. */
static void second_lines_run_inside_rings(void **state)
{
    (void)state;
    static const char *const rings[] = { "c1ccccc1",       "Cc1c(C)c(C)c(C)c(C)c1C", "C1=CCCCC1",
                                         "c1ccc2ccccc2c1", "c1ccc2c(c1)CC2", /* the smaller ring is not aromatic */
                                         "CC1=C(C)CCCC1",  "C1CCCC(C)=C1C",          "CC1=C(CCCC1)C" };
    for (size_t i = 0; i < sizeof rings / sizeof *rings; i++) {
        mp_depict d = depict(rings[i]);
        for (int e = 0; e < d.bonds; e++) {
            const mp_depict_bond *b = &d.bond[e];
            const mp_depict_atom *p = &d.atom[b->from], *q = &d.atom[b->to];
            if (b->look == MP_BOND_SINGLE) continue;
            assert_true(b->side == 1 || b->side == -1);
            /* The centre of a ring of six is 0.87 bonds from the middle of each of its bonds: no atom is near, but six are around. */
            double x = (p->x + q->x) / 2 - b->side * 0.87 * (q->y - p->y),
                   y = (p->y + q->y) / 2 + b->side * 0.87 * (q->x - p->x);
            int around = 0;
            for (int v = 0; v < d.atoms; v++) around += fabs(hypot(d.atom[v].x - x, d.atom[v].y - y) - 1) < 0.1;
            if (around != 6) fail_msg("%s, bond %d: %d atoms around", rings[i], e, around);
        }
    }
    mp_depict chain = depict("CC=CC"), end = depict("CC(C)=O"), bent = depict("C/C=C\\C");
    assert_int_equal(end.bond[2].look, MP_BOND_DOUBLE);
    assert_int_equal(end.bond[2].side, 0);
    assert_int_not_equal(chain.bond[1].side, 0);
    const mp_depict_atom *t = bent.atom; /* both neighbours are on one side, and so is the line */
    double side = (t[2].x - t[1].x) * (t[0].y - t[1].y) - (t[2].y - t[1].y) * (t[0].x - t[1].x);
    assert_int_equal(bent.bond[1].side, side > 0 ? 1 : -1);
}

static void hydrogens_stand_where_no_bond_is(void **state)
{
    (void)state;
    static const struct {
        const char *smiles;
        int atom, hydrogens;
        mp_depict_side side;
    } alone[] = { { "O", 0, 2, MP_SIDE_LEFT },  { "Cl", 0, 1, MP_SIDE_LEFT }, { "S", 0, 2, MP_SIDE_LEFT },
                  { "C", 0, 4, MP_SIDE_RIGHT }, { "N", 0, 3, MP_SIDE_RIGHT }, { "[NH4+]", 0, 4, MP_SIDE_RIGHT } };
    for (size_t i = 0; i < sizeof alone / sizeof *alone; i++) {
        mp_depict d = depict(alone[i].smiles);
        assert_int_equal(d.atom[0].side, alone[i].side);
        assert_int_equal(d.atom[0].hydrogens, alone[i].hydrogens);
    }
    static const char *const joined[] = { "NCCO", "OCC(N)CS", "c1cc[nH]c1", "CNC", "C1CCNCC1", "O=C(O)CCC(=O)O" };
    for (size_t i = 0; i < sizeof joined / sizeof *joined; i++) {
        mp_depict d = depict(joined[i]);
        for (int v = 0; v < d.atoms; v++) {
            static const double way[4][2] = { { 1, 0 }, { -1, 0 }, { 0, -1 }, { 0, 1 } };
            const mp_depict_atom *t = &d.atom[v];
            if (!t->letters || !t->hydrogens) continue;
            for (int u = 0; u < d.atoms; u++) { /* no atom lies within 50 degrees of that way */
                double x = d.atom[u].x - t->x, y = d.atom[u].y - t->y, far = hypot(x, y);
                if (u != v && far < 1.3) assert_true((x * way[t->side][0] + y * way[t->side][1]) / far < 0.64);
            }
        }
    }
    mp_depict zigzag = depict("CNC"); /* between bonds to the left and right */
    assert_int_equal(zigzag.atom[1].side, zigzag.atom[1].y < zigzag.atom[0].y ? MP_SIDE_ABOVE : MP_SIDE_BELOW);
}

static void ions_stand_apart(void **state)
{
    (void)state;
    mp_depict d = depict("[NH4+].[Cl-].OC(=O)CC(=O)[O-].[K+]");
    for (int v = 0; v < d.atoms; v++)
        for (int u = 0; u < v; u++) assert_true(hypot(d.atom[v].x - d.atom[u].x, d.atom[v].y - d.atom[u].y) > 0.8);
    assert_true(d.atom[1].x - d.atom[0].x > 1.5 && fabs(d.atom[1].y - d.atom[0].y) < 1e-9);
    assert_true(d.atom[d.atoms - 1].x > d.right - 1e-9);
}

static void what_an_earlier_level_dropped_is_faint(void **state)
{
    (void)state;
    static const int all[] = { 0, 1, 2, 3 }, some[] = { 1, 3 }, few[] = { 2, 3 }, from[] = { 1 }, to[] = { 3 };
    static const unsigned char kept[] = { 0, 1, 0, 1 };
    mp_molecule m = molecule("CCCO");
    mp_depict d;
    mp_depict_of(&m, arena, &d);
    mp_svg_level level[] = { { NULL, 4, 3, all, NULL, kept, m.from, m.to, 0, NULL },
                             { "second", 2, 1, some, NULL, NULL, from, to, 0, NULL },
                             { NULL, 2, 0, few, NULL, NULL, NULL, NULL, 0, NULL } };
    mp_svg_graph_spec s = { .nodes = 4, .molecule = &d, .levels = 3, .level = level };
    mp_buf b = { 0 };
    mp_svg_graph(&s, &b);
    const char *one = b.p, *two = strstr(b.p, ">second<"), *three = strstr(two, ">level 3<");
    assert_int_equal(count(group(one, "bonds"), "<path"), 3);
    assert_int_equal(count(group(two, "bonds"), "<path"),
                     0); /* no two atoms of it have a bond, but pooling joined them */
    assert_int_equal(count(group(two, "faint"), "<path"), 3);
    assert_int_equal(count(group(two, "new"), "<path"), 1);
    assert_int_equal(count(group(three, "bonds"), "<path"), 1);
    assert_int_equal(count(group(three, "faint"), "<path"), 2);
    assert_int_equal(count(group(three, "new"), "<path"), 0);
    assert_int_equal(count(b.p, "<circle"), 4 + 2 + 2 + 2);
    assert_int_equal(count(b.p, "fill-opacity=\".35\""), 0); /* the letter is of every level */
    assert_int_equal(count(b.p, "faint: dropped before"), 1);
    assert_int_equal(count(b.p, "dotted: joined by pooling"), 1);
    mp_buf_free(&b);
    level[1].node = few;
    level[1].edges = 0;
    level[2].node = all; /* 0 and 1: without the letter */
    mp_svg_graph(&s, &b);
    assert_int_equal(count(b.p, "fill-opacity=\".35\""), 1);
    assert_int_equal(count(b.p, "joined by pooling"), 0);
    mp_buf_free(&b);
}

/* The numbers of a picture's opening tag. */
static void size_of(const char *smiles, int *width, int *height)
{
    assert_int_equal(sscanf(strstr(draw(smiles), "viewBox"), "viewBox=\"0 0 %d %d\"", width, height), 2);
}

static void large_molecules_get_room_up_to_a_limit(void **state)
{
    (void)state;
    int small[2], middle[2], large[2];
    char chain[401];
    memset(chain, 'C', 400);
    chain[400] = '\0';
    size_of("CCO", &small[0], &small[1]);
    size_of("CCCCCCCCCCCCCCCC", &middle[0], &middle[1]);
    size_of(chain, &large[0], &large[1]);
    assert_true(small[0] < middle[0] && middle[0] < large[0]);
    assert_true(large[0] <= 690 && large[1] <= 760);
}

static void elements_have_their_symbols(void **state)
{
    (void)state;
    static const struct {
        int number;
        const char *symbol;
    } some[] = { { 1, "H" },   { 6, "C" },  { 17, "Cl" },  { 26, "Fe" }, { 35, "Br" }, { 53, "I" },  { 57, "La" },
                 { 78, "Pt" }, { 92, "U" }, { 118, "Og" }, { 0, "*" },   { -1, "*" },  { 119, "*" }, { 80, "Hg" } };
    for (size_t i = 0; i < sizeof some / sizeof *some; i++)
        assert_string_equal(mp_element(some[i].number), some[i].symbol);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(atoms_and_bonds_are_what_chemists_write),
        cmocka_unit_test(a_picture_says_in_words_which_atoms_were_kept),
        cmocka_unit_test(second_lines_run_inside_rings),
        cmocka_unit_test(hydrogens_stand_where_no_bond_is),
        cmocka_unit_test(ions_stand_apart),
        cmocka_unit_test(what_an_earlier_level_dropped_is_faint),
        cmocka_unit_test(large_molecules_get_room_up_to_a_limit),
        cmocka_unit_test(elements_have_their_symbols),
    };
    arena = mp_arena_new(1 << 16);
    int failed = cmocka_run_group_tests_name("molecule", tests, NULL, NULL);
    mp_arena_free(arena);
    return failed != 0;
}
