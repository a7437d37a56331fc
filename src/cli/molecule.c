/* molecule.c - see molecule.h.
 * SPDX-License-Identifier: MIT */
#include "cli/molecule.h"
#include "chem/chem.h"
#include "chem/element.h"
#include "cli/cli.h"

/* The first label column begins behind the attributes. */
static int first_label(const mp_recipe *r, const mp_sparse *x, int v)
{
    for (int k = x->ptr[v]; k < x->ptr[v + 1]; k++) {
        int at = x->col[k] - r->attributes;
        if (at >= 0 && at < r->label_count[0]) return at + r->label_min[0];
    }
    return -1;
}

const char *const *mp_molecule_symbols(const mp_dataset *d, const mp_sparse *x, mp_arena *a)
{
    if (!d->smiles || d->recipe.label_columns == 0 || d->recipe.label_count[0] != mp_atom_range[0] || !x->ptr)
        return NULL;
    const char **symbol = MP_NEW(a, const char *, x->rows);
    for (int v = 0; v < x->rows; v++) symbol[v] = mp_element(first_label(&d->recipe, x, v) + 1);
    return symbol;
}

static bool joined(const mp_graph *g, int v, int u)
{
    for (int e = g->row_ptr[v]; e < g->row_ptr[v + 1]; e++)
        if (g->col[e] == u) return true;
    return false;
}

/* Atoms and bonds are the nodes and edges, in the same order. */
static bool same_graph(const mp_molecule *m, const mp_graph *g)
{
    bool same = m->atoms == g->nodes && 2 * m->bonds == g->edges;
    for (int e = 0; same && e < m->bonds; e++) same = joined(g, m->from[e], m->to[e]);
    return same;
}

bool mp_molecule_drawing(const mp_dataset *d, int graph, const mp_graph *g, mp_arena *a, mp_depict *out)
{
    mp_molecule m;
    if (!d->smiles) return false;
    const char *smiles = d->smiles[graph];
    if (mp_molecule_read(mp_span_of(smiles), MP_MOLECULE_SYMBOLS | MP_MOLECULE_PLACES, a, &m) != MP_OK)
        mp_cli_say("note: graph %d is not drawn as a molecule: %s", graph, mp_message());
    else if (!same_graph(&m, g))
        mp_cli_say(
            "note: graph %d is not drawn as a molecule: it has %d nodes and %d edges, its SMILES %s %d atoms and %d "
            "bonds, or others",
            graph, g->nodes, g->edges / 2, smiles, m.atoms, m.bonds);
    else {
        mp_depict_of(&m, a, out);
        return true;
    }
    return false;
}
