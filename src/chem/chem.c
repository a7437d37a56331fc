/* chem.c - see chem.h.
 * SPDX-License-Identifier: MIT */
#include "chem/chem.h"
#include "base/module.h"

#include <pthread.h>
#include <string.h>

const int mp_atom_range[MP_ATOM_COLUMNS] = { 119, 5, 12, 12, 10, 6, 6, 2, 2 };
const int mp_bond_range[MP_BOND_COLUMNS] = { 5, 6, 2 };

/* ---- the module ---- */

/* Loaded once, for good. */
static struct {
    pthread_once_t once;
    const mp_chem_table *table;
    mp_failure failure;
} module = { .once = PTHREAD_ONCE_INIT };

static void load(void)
{
    static const mp_module rdkit = {
        .file = "midpool_rdkit.so",
        .symbol = MP_CHEM_SYMBOL,
        .abi = MP_CHEM_ABI,
        .needs = "molecules need RDKit, whose libraries Debian has as librdkit1",
        .absent = "molecules need RDKit, and midpool was built without it (no midpool_rdkit.so): install librdkit-dev "
                  "with 'make molecules', which builds again",
    };
    const void *table;
    mp_failure_keep(&module.failure, mp_module_load(&rdkit, &table));
    module.table = table;
}

mp_err mp_chem_load(void)
{
    pthread_once(&module.once, load);
    return module.table ? MP_OK : mp_failure_again(&module.failure);
}

const char *mp_chem_made(void)
{
    return mp_chem_load() == MP_OK ? module.table->made : NULL;
}

/* ---- a molecule ---- */

int64_t mp_smiles_atoms(mp_span smiles)
{
    int64_t atoms = 0;
    bool inside = false; /* of brackets, which are one atom */
    for (size_t i = 0; i < smiles.n; i++) {
        char ch = smiles.p[i];
        bool starts = (ch >= 'A' && ch <= 'Z') || ch == '*' || (ch && strchr("bcnops", ch));
        if (ch == '[' || (starts && !inside)) atoms++;
        if (ch == '[' || ch == ']') inside = ch == '[';
    }
    return atoms;
}

static mp_err too_large(mp_span smiles)
{
    int64_t atoms = smiles.n <= MP_MOLECULE_BYTES ? mp_smiles_atoms(smiles) : 0;
    if (smiles.n > MP_MOLECULE_BYTES)
        return mp_fail(MP_ERR_INPUT, "a SMILES of %zu bytes; at most %d are read", smiles.n, MP_MOLECULE_BYTES);
    if (atoms > MP_MOLECULE_ATOMS)
        return mp_fail(MP_ERR_INPUT, "a molecule of %lld atoms; at most %d are read", (long long)atoms,
                       MP_MOLECULE_ATOMS);
    return MP_OK;
}

static const void *copy(mp_arena *a, const void *from, int count, size_t size)
{
    void *to = from ? mp_arena_raw(a, (size_t)count, size) : NULL;
    if (from && count) memcpy(to, from, (size_t)count * size);
    return to;
}

static const char *copy_text(mp_arena *a, const char *text)
{
    return text ? mp_arena_text(a, text, strlen(text)) : NULL;
}

static void take_over(const mp_molecule *m, mp_arena *a, mp_molecule *out)
{
    *out = *m;
    out->atom = copy(a, m->atom, m->atoms * MP_ATOM_COLUMNS, sizeof *m->atom);
    out->from = copy(a, m->from, m->bonds, sizeof *m->from);
    out->to = copy(a, m->to, m->bonds, sizeof *m->to);
    out->bond = copy(a, m->bond, m->bonds * MP_BOND_COLUMNS, sizeof *m->bond);
    out->place = copy(a, m->place, m->atoms * 2, sizeof *m->place);
    out->canonical = copy_text(a, m->canonical);
    out->scaffold = copy_text(a, m->scaffold);
    if (!m->symbol) return;
    const char **symbol = MP_NEW_RAW(a, const char *, m->atoms);
    for (int v = 0; v < m->atoms; v++) symbol[v] = copy_text(a, m->symbol[v]);
    out->symbol = symbol;
}

mp_err mp_molecule_read(mp_span smiles, unsigned wanted, mp_arena *a, mp_molecule *out)
{
    mp_molecule m;
    const char *why = "";
    smiles = mp_trim(smiles);
    if (smiles.n == 0) return mp_fail(MP_ERR_INPUT, "there is no SMILES");
    if (memchr(smiles.p, '\0', smiles.n)) return mp_fail(MP_ERR_INPUT, "a SMILES with a NUL byte");
    MP_TRY(too_large(smiles));
    MP_TRY(mp_chem_load());
    switch (module.table->read(smiles.p, smiles.n, wanted, &m, &why)) {
    case MP_CHEM_READ:
        if (m.atoms == 0) return mp_fail(MP_ERR_INPUT, "a molecule without atoms");
        take_over(&m, a, out);
        return MP_OK;
    case MP_CHEM_REFUSED:
        return mp_fail(MP_ERR_INPUT, "%s", why);
    default:
        return mp_fail(MP_ERR_LIMIT, "RDKit ran out of memory");
    }
}
