/* audit_print.c - an audit as text and as JSON.
 * SPDX-License-Identifier: MIT */
#include "base/json.h"
#include "data/audit.h"

static int group_size(const mp_audit *r, int k)
{
    return r->group_ptr[k + 1] - r->group_ptr[k];
}

static void groups_text(const mp_audit *r, mp_buf *out)
{
    enum { SHOWN = 10, MEMBERS = 12 };
    for (int k = 0; k < r->groups && k < SHOWN; k++) {
        mp_buf_printf(out, "  %s:", r->is_mixed[k] ? "different labels" : "same label");
        for (int i = 0; i < group_size(r, k) && i < MEMBERS; i++)
            mp_buf_printf(out, " %d", r->group[r->group_ptr[k] + i]);
        mp_buf_printf(out, "%s\n", group_size(r, k) > MEMBERS ? " ..." : "");
    }
    if (r->groups > SHOWN) mp_buf_printf(out, "  and %d more groups (--json lists all)\n", r->groups - SHOWN);
}

void mp_audit_text(const mp_dataset *d, const mp_audit *r, mp_buf *out)
{
    mp_buf_printf(out, "%s, from %s: %d graphs\n", d->name, d->origin, r->graphs);
    mp_buf_printf(out, "repeated graphs   %d beyond the first of their kind, in %d groups\n", r->repeated, r->groups);
    if (r->repeated_labels != r->repeated)
        mp_buf_printf(out, "                  %d when attributes are not compared\n", r->repeated_labels);
    mp_buf_printf(out, "mixed groups      %d, with %d graphs: equal inputs, different labels\n", r->mixed,
                  r->mixed_graphs);
    groups_text(r, out);
    mp_buf_printf(out, "without edges     %d graphs, %d of them a single node\n", r->edgeless, r->single_node);
    mp_buf_printf(out, "isolated nodes    %d in %d graphs\n", r->isolated_nodes, r->with_isolated);
    if (!r->folds) return;
    mp_buf_printf(out, "folds             %s\n", r->folds_about);
    for (int i = 0; i < r->folds; i++)
        mp_buf_printf(out, "  fold %-3d        test graphs that train or validate too: %d; with another label: %d\n",
                      r->fold[i].fold, r->fold[i].repeated, r->fold[i].conflicting);
}

static void groups_json(const mp_audit *r, mp_buf *out)
{
    mp_json_key(out, "groups");
    mp_json_open(out, '[');
    for (int k = 0; k < r->groups; k++) {
        mp_json_open(out, '{');
        mp_json_add_bool(out, "mixed", r->is_mixed[k]);
        mp_json_key(out, "graphs");
        mp_json_open(out, '[');
        for (int i = 0; i < group_size(r, k); i++) mp_json_put_int(out, r->group[r->group_ptr[k] + i]);
        mp_json_close(out, ']');
        mp_json_close(out, '}');
    }
    mp_json_close(out, ']');
}

static void folds_json(const mp_audit *r, mp_buf *out)
{
    mp_json_add_text(out, "folds_from", r->folds_about);
    mp_json_key(out, "folds");
    mp_json_open(out, '[');
    for (int i = 0; i < r->folds; i++) {
        mp_json_open(out, '{');
        mp_json_add_int(out, "fold", r->fold[i].fold);
        mp_json_add_int(out, "repeated", r->fold[i].repeated);
        mp_json_add_int(out, "conflicting", r->fold[i].conflicting);
        mp_json_close(out, '}');
    }
    mp_json_close(out, ']');
}

void mp_audit_json(const mp_dataset *d, const mp_audit *r, mp_buf *out)
{
    const struct {
        const char *key;
        int value;
    } counts[] = {
        { "graphs", r->graphs },
        { "repeated", r->repeated },
        { "repeated_without_attributes", r->repeated_labels },
        { "mixed_groups", r->mixed },
        { "mixed_graphs", r->mixed_graphs },
        { "edgeless_graphs", r->edgeless },
        { "single_node_graphs", r->single_node },
        { "isolated_nodes", r->isolated_nodes },
        { "graphs_with_isolated_nodes", r->with_isolated },
    };
    mp_json_open(out, '{');
    mp_json_add_text(out, "name", d->name);
    mp_json_add_text(out, "origin", d->origin);
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) mp_json_add_int(out, counts[i].key, counts[i].value);
    folds_json(r, out);
    groups_json(r, out);
    mp_json_close(out, '}');
}
