/* test_chem.c - molecules from SMILES: a graph or a message, whatever the text is; features as the benchmark has them.
 * SPDX-License-Identifier: MIT */
#include "../data/fixture.h"
#include "../rig/rdkit.h"

#include <pthread.h>
#include <sys/wait.h>
#include <time.h>

static mp_molecule molecule(const char *smiles, mp_arena *a)
{
    mp_molecule m = { 0 };
    WORKS(mp_molecule_read(mp_span_of(smiles), ~0u, a, &m));
    return m;
}

/* First in its process: the module is looked for once. */
static void without_the_module_one_line_says_what_to_install(void **state)
{
    pid_t child = fork();
    (void)state;
    if (child == 0) {
        unsetenv("MIDPOOL_PLUGINS");
        bool said = mp_chem_load() == MP_ERR_IO && strstr(mp_message(), "built without it") &&
                    strstr(mp_message(), "install librdkit-dev") && !strchr(mp_message(), '\n') && !mp_chem_made();
        _exit(said ? 0 : 1);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
}

static void a_module_of_another_version_is_refused(void **state)
{
    const char *folder = new_folder(*state), *path = mp_arena_printf(*state, "%s/midpool_rdkit.so", folder);
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fputs("not a module", f);
    fclose(f);
    pid_t child = fork();
    if (child == 0) {
        setenv("MIDPOOL_PLUGINS", folder, 1);
        _exit(mp_chem_load() == MP_ERR_IO && strstr(mp_message(), path) ? 0 : 1);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    remove_folder(folder);
}

typedef struct sample {
    const char *smiles;
    int atoms, bonds;
    int at;                    /* the atom whose features follow */
    int atom[MP_ATOM_COLUMNS]; /* number, chirality, degree, charge, hydrogens, radicals, hybrid, aromatic, ring */
    int of;                    /* the bond whose features follow; -1: none */
    int bond[MP_BOND_COLUMNS]; /* type, stereo, conjugated */
} sample;

static void features_are_those_of_the_benchmark(void **state)
{
    static const sample samples[] = {
        { "CCO", 3, 2, 0, { 5, 0, 4, 5, 3, 0, 2, 0, 0 }, 0, { 0, 0, 0 } },
        { "CCO", 3, 2, 2, { 7, 0, 2, 5, 1, 0, 2, 0, 0 }, 1, { 0, 0, 0 } },
        { "c1ccccc1", 6, 6, 3, { 5, 0, 3, 5, 1, 0, 1, 1, 1 }, 5, { 3, 0, 1 } },
        { "C#N", 2, 1, 1, { 6, 0, 1, 5, 0, 0, 0, 0, 0 }, 0, { 2, 0, 0 } },
        { "N[C@@H](C)C(=O)O", 6, 5, 1, { 5, 1, 4, 5, 1, 0, 2, 0, 0 }, 3, { 1, 0, 1 } },
        { "N[C@H](C)C(=O)O", 6, 5, 1, { 5, 2, 4, 5, 1, 0, 2, 0, 0 }, 3, { 1, 0, 1 } },
        { "F/C=C/F", 4, 3, 1, { 5, 0, 3, 5, 1, 0, 1, 0, 0 }, 1, { 1, 2, 0 } },
        { "F/C=C\\F", 4, 3, 1, { 5, 0, 3, 5, 1, 0, 1, 0, 0 }, 1, { 1, 1, 0 } },
        { "[NH4+]", 1, 0, 0, { 6, 0, 4, 6, 4, 0, 2, 0, 0 }, -1, { 0 } },
        { "[13CH4]", 1, 0, 0, { 5, 0, 4, 5, 4, 0, 2, 0, 0 }, -1, { 0 } },      /* isotopes are no feature */
        { "[CH3]", 1, 0, 0, { 5, 0, 3, 5, 3, 1, 2, 0, 0 }, -1, { 0 } },        /* a radical */
        { "[Na+].[Cl-]", 2, 0, 0, { 10, 0, 0, 6, 0, 0, 5, 0, 0 }, -1, { 0 } }, /* a salt: no bond, hybrid 'misc' */
        { "[Fe+2]", 1, 0, 0, { 25, 0, 0, 7, 0, 0, 1, 0, 0 }, -1, { 0 } },
        { "*C",
          2,
          1,
          0,
          { 118, 0, 1, 5, 0, 0, 5, 0, 0 },
          0,
          { 0, 0, 0 } }, /* any atom: not in the list, its last row */
        { "FS(F)(F)(F)(F)F", 7, 6, 1, { 15, 0, 6, 5, 0, 0, 4, 0, 0 }, 0, { 0, 0, 0 } },
        { "[H][H]", 2, 1, 0, { 0, 0, 1, 5, 0, 0, 5, 0, 0 }, 0, { 0, 0, 0 } },
        { "[U+6]", 1, 0, 0, { 91, 0, 0, 11, 0, 0, 5, 0, 0 }, -1, { 0 } },             /* a charge past 5 is the last */
        { "[NH3]->[Cu+2]", 2, 1, 1, { 28, 0, 1, 7, 0, 1, 3, 0, 0 }, 0, { 4, 0, 0 } }, /* a dative bond: 'misc' */
    };
    NEED_RDKIT();
    for (size_t i = 0; i < sizeof samples / sizeof *samples; i++) {
        const sample *s = &samples[i];
        mp_molecule m = molecule(s->smiles, *state);
        if (m.atoms != s->atoms || m.bonds != s->bonds) fail_msg("%s: %d atoms, %d bonds", s->smiles, m.atoms, m.bonds);
        for (int k = 0; k < MP_ATOM_COLUMNS; k++)
            if (m.atom[s->at * MP_ATOM_COLUMNS + k] != s->atom[k])
                fail_msg("%s: atom %d, column %d is %d", s->smiles, s->at, k, m.atom[s->at * MP_ATOM_COLUMNS + k]);
        for (int k = 0; s->of >= 0 && k < MP_BOND_COLUMNS; k++)
            if (m.bond[s->of * MP_BOND_COLUMNS + k] != s->bond[k])
                fail_msg("%s: bond %d, column %d is %d", s->smiles, s->of, k, m.bond[s->of * MP_BOND_COLUMNS + k]);
        for (int v = 0; v < m.atoms; v++)
            for (int k = 0; k < MP_ATOM_COLUMNS; k++)
                assert_in_range(m.atom[v * MP_ATOM_COLUMNS + k], 0, mp_atom_range[k] - 1);
    }
}

static void symbols_places_canonical_and_scaffold_come_when_wanted(void **state)
{
    NEED_RDKIT();
    mp_molecule m = molecule(" OCc1ccc(Cl)cc1\t", *state), same = molecule("Clc1ccc(CO)cc1", *state), plain;
    assert_string_equal(m.symbol[0], "O");
    assert_string_equal(m.symbol[6], "Cl");
    assert_string_equal(m.canonical, same.canonical);
    assert_string_equal(m.scaffold, "c1ccccc1");
    assert_string_equal(molecule("CCO", *state).scaffold, "");
    assert_string_not_equal(molecule("C[C@@H]1CCC[C@H](C2CC2)O1", *state).scaffold,
                            molecule("CC1CCCC(C2CC2)O1", *state).scaffold);
    for (int b = 0; b < m.bonds; b++) {
        float dx = m.place[2 * m.from[b]] - m.place[2 * m.to[b]],
              dy = m.place[2 * m.from[b] + 1] - m.place[2 * m.to[b] + 1];
        assert_true(dx * dx + dy * dy > 1.9f && dx * dx + dy * dy < 2.6f);
    }
    WORKS(mp_molecule_read(mp_span_of("CCO"), 0, *state, &plain));
    assert_true(!plain.symbol && !plain.place && !plain.canonical && !plain.scaffold);
}

static void what_is_no_molecule_says_why(void **state)
{
    static const char *const cases[][2] = {
        { "", "no SMILES" },
        { "  \t", "no SMILES" },
        { "C(C)(C)(C)(C)C", "valence" },
        { "c1ccccc", "unclosed ring" },
        { "C1CC", "unclosed ring" },
        { "C(C", "parenthes" },
        { "C)C", "parenthes" },
        { "c1cccc1", "kekulize" },
        { "cc", "aromatic" },
        { "CX", "syntax error" },
        { "caf\xC3\xA9", "syntax error" },
        { "\xFF\xFE", "syntax error" },
        { "CCO ethanol", "syntax error" },
        { "[Xx]", "syntax error" },
    };
    mp_molecule m;
    NEED_RDKIT();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        mp_err e = mp_molecule_read(mp_span_of(cases[i][0]), 0, *state, &m);
        if (e != MP_ERR_INPUT) fail_msg("'%s' was read", cases[i][0]);
        if (!strstr(mp_message(), cases[i][1])) fail_msg("'%s': '%s'", cases[i][0], mp_message());
        assert_null(strchr(mp_message(), '\n'));
        assert_null(strstr(mp_message(), "] SMILES")); /* no time before any of RDKit's lines */
        assert_true(mp_message()[0] != '[');
    }
    FAILS(mp_molecule_read((mp_span){ "C\0C", 3 }, 0, *state, &m), "NUL");
}

/* n times a text between two others. */
static mp_span repeat(const char *first, const char *again, int n, const char *last, mp_arena *a)
{
    mp_buf b = { 0 };
    mp_buf_puts(&b, first);
    for (int i = 0; i < n; i++) mp_buf_puts(&b, again);
    mp_buf_puts(&b, last);
    mp_span text = { mp_arena_text(a, b.p, b.n), b.n };
    mp_buf_free(&b);
    return text;
}

static void a_large_molecule_is_read_or_refused_in_time(void **state)
{
    mp_molecule m;
    clock_t begin = clock();
    NEED_RDKIT();
    WORKS(mp_molecule_read(repeat("", "C", MP_MOLECULE_ATOMS, "", *state), 0, *state, &m));
    assert_int_equal(m.atoms, MP_MOLECULE_ATOMS);
    WORKS(mp_molecule_read(repeat("", "c1ccccc1", 160, "", *state), MP_MOLECULE_SCAFFOLD, *state, &m));
    FAILS(mp_molecule_read(repeat("", "C", MP_MOLECULE_ATOMS + 1, "", *state), 0, *state, &m),
          "a molecule of 1001 atoms");
    FAILS(mp_molecule_read(repeat("C", "(C)", 40000, "", *state), 0, *state, &m), "a SMILES of 120001 bytes");
    FAILS(mp_molecule_read(repeat("", "(", 50000, "", *state), 0, *state, &m), "");
    FAILS(mp_molecule_read(repeat("", "C(", 900, "", *state), 0, *state, &m), "");
    FAILS(mp_molecule_read(repeat("", "[", 900, "", *state), 0, *state, &m), "");
    assert_true((double)(clock() - begin) / CLOCKS_PER_SEC < 30);
}

static void atoms_are_counted_without_the_module(void **state)
{
    (void)state;
    assert_int_equal(mp_smiles_atoms(mp_span_of("ClCCBr")), 4);
    assert_int_equal(mp_smiles_atoms(mp_span_of("c1cc[nH]c1")), 5);
    assert_int_equal(mp_smiles_atoms(mp_span_of("[Na+].[Cl-]")), 2);
    assert_int_equal(mp_smiles_atoms(mp_span_of("*C#N")), 3);
    assert_int_equal(mp_smiles_atoms(mp_span_of("AZbcnops")), 8); /* whether there is such an atom is RDKit's to say */
    assert_int_equal(mp_smiles_atoms(mp_span_of("[13C@@H](F)(Cl)Br")), 4);
}

/* ---- several threads ---- */

static void *read_many(void *arg)
{
    static const char *const good[] = { "CCO", "c1ccccc1", "N[C@@H](C)C(=O)O", "[Na+].[Cl-]" };
    static const char *const bad[][2] = { { "C1CC", "unclosed ring" }, { "c1cccc1", "kekulize" }, { "CX", "'CX'" } };
    mp_arena *a = mp_arena_new(1 << 14);
    bool *right = arg;
    for (int i = 0; i < 600 && *right; i++) {
        mp_molecule m;
        mp_arena_reset(a);
        *right = mp_molecule_read(mp_span_of(good[i % 4]), MP_MOLECULE_CANONICAL, a, &m) == MP_OK &&
                 mp_molecule_read(mp_span_of(bad[i % 3][0]), 0, a, &m) == MP_ERR_INPUT &&
                 strstr(mp_message(), bad[i % 3][1]);
    }
    mp_arena_free(a);
    return NULL;
}

static void threads_get_their_own_molecules_and_reasons(void **state)
{
    pthread_t thread[4];
    bool right[4] = { true, true, true, true };
    (void)state;
    NEED_RDKIT();
    for (int i = 0; i < 4; i++) assert_int_equal(pthread_create(&thread[i], NULL, read_many, &right[i]), 0);
    for (int i = 0; i < 4; i++) pthread_join(thread[i], NULL);
    for (int i = 0; i < 4; i++) assert_true(right[i]);
}

/* What RDKit says of a molecule must not get to the terminal by itself. */
static void nothing_is_printed(void **state)
{
    char said[64];
    int pipes[2], old = dup(2);
    mp_molecule m;
    NEED_RDKIT();
    assert_int_equal(pipe(pipes), 0);
    dup2(pipes[1], 2);
    mp_err bad = mp_molecule_read(mp_span_of("C1CC"), 0, *state, &m);
    mp_err odd = mp_molecule_read(mp_span_of("[H].C"), ~0u, *state, &m); /* is worth a warning to RDKit */
    dup2(old, 2);
    close(old);
    close(pipes[1]);
    assert_int_equal(bad, MP_ERR_INPUT);
    assert_int_equal(odd, MP_OK);
    assert_int_equal(read(pipes[0], said, sizeof said), 0);
    close(pipes[0]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_the_module_one_line_says_what_to_install),
        CASE(a_module_of_another_version_is_refused),
        CASE(features_are_those_of_the_benchmark),
        CASE(symbols_places_canonical_and_scaffold_come_when_wanted),
        CASE(what_is_no_molecule_says_why),
        CASE(a_large_molecule_is_read_or_refused_in_time),
        cmocka_unit_test(atoms_are_counted_without_the_module),
        cmocka_unit_test(threads_get_their_own_molecules_and_reasons),
        CASE(nothing_is_printed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
