/* presets.c - settings that belong together, whatever the method. Those of one method are in its row (config.h).
 *
 * "mid" is the paper's middle grid point. The networks and optimisers of generated sets are Knyazev's
 * (math.md 6.7); training goes to the last epoch there, so patience is 0.
 * SPDX-License-Identifier: MIT */
#include "train/preset.h"
#include "data/known.h"
#include "model/model.h"

#include <string.h>

#define KNYAZEV "hidden=64 batch-size=32 lr=0.001 beta1=0.5 weight-decay=0.0001 schedule=step patience=0 "

#define PYG                                                                                                            \
    "hidden=64 batch-size=60 lr=0.001 weight-decay=0 epochs=300 patience=0 attention-loss=100 "                        \
    "attention-target=softmax "

#define OGB "conv=ogb-gcn encoder=embed ratio=0.25 lr=0.001"

#define ZINC "arch=autoencoder hidden=32 batch-size=128 epochs=500 patience=50"

const mp_preset mp_presets[] = {
    { "mid", "score-dim=5 flip=true drop=0.1", "MID with 5 score columns, flipscore and dropscore 0.1", false },
    { "colors", KNYAZEV "arch=colors epochs=300 lr-drop=280", "network and optimiser for COLORS-3", false },
    { "triangles", KNYAZEV "arch=triangles epochs=100 lr-drop=85,95", "network and optimiser for TRIANGLES", false },
    { "knyazev-colors",
      KNYAZEV "arch=colors epochs=300 lr-drop=280 conv=chebygin cheb-order=2 min-score=0.03 score-from=previous "
              "score-init=normal",
      "the authors' network for COLORS-3: ChebyGIN, scores of the input, a threshold", false },
    { "knyazev-triangles",
      KNYAZEV "arch=triangles epochs=100 lr-drop=85,95 conv=chebygin cheb-order=7 cheb-agg=sum cheb-layers=2 "
              "min-score=0.0001 score-conv=chebygin score-layers=3 score-hidden=32",
      "the authors' network for TRIANGLES: ChebyGIN of seven polynomials, a network that scores, a threshold", false },
    { "pyg-colors", PYG "arch=colors min-score=0.05 score-from=input",
      "PyG's example for COLORS-3: GIN, scores of the input, a threshold, attention as it should be", false },
    { "pyg-triangles", PYG "arch=triangles min-score=0.001",
      "PyG's example for TRIANGLES: GIN, a threshold, attention as it should be", false },
    { "ogb", OGB, "encoders, network and optimiser for molecules", true },
    { "ogb-large", OGB " batch-size=512", "the same with batches of 512, for ogbg-molhiv", true },
    { "gmt", "lr=0.001 weight-decay=0.0001 clip=1 schedule=cosine warmup=50 epochs=500 patience=500 stop-on=metric",
      "GMT's training on molecules: all epochs, tested at the one of best validation metric", false },
    { "recon-zinc", ZINC, "reconstruction of the atoms of molecules, with the optimiser of classification", false },
    { "recon-zinc-gmt", ZINC " lr=0.005 weight-decay=0", "the same with GMT's optimiser", false },
    { "recon-synthetic",
      "arch=autoencoder hidden=32 ratio=0.25 lr=0.005 weight-decay=0 epochs=10000 patience=1000 stop-on=train-loss",
      "reconstruction of the coordinates of one graph", false },
    { 0 },
};

const mp_preset *mp_preset_find(const char *name)
{
    for (const mp_preset *p = mp_presets; p->name; p++)
        if (strcmp(p->name, name) == 0) return p;
    return NULL;
}

typedef struct preset_list {
    const char **settings;
    int count, room;
} preset_list;

static void add(preset_list *l, const char *settings, mp_arena *a)
{
    if (l->count + 1 >= l->room) { /* room for the NULL at the end */
        l->room = mp_room(l->room, (int64_t)l->count + 2, 8, "settings");
        MP_MORE(a, l->settings, l->count, l->room);
    }
    l->settings[l->count++] = settings;
    l->settings[l->count] = NULL;
}

/* What a method's row has under a name; `name` NULL: what holds without being asked for. */
static bool add_of_method(preset_list *l, const mp_dataset *d, const char *pool, const char *name, mp_arena *a)
{
    bool any = false;
    for (const mp_method_preset *p = mp_config_presets(pool); p && p->name; p++) {
        if (name ? strcmp(p->name, name) != 0 : !p->always) continue;
        if (p->data && strcmp(p->data, d->name) != 0) continue;
        add(l, p->settings, a);
        any = true;
    }
    return any;
}

static mp_err no_preset(const char *name, const char *pool, const mp_dataset *d)
{
    const char *names[16] = { MP_PRESET_PAPER, MP_PRESET_AUTHORS };
    int n = 2;
    for (const mp_preset *p = mp_presets; p->name; p++) names[n++] = p->name;
    for (int i = 0; i < 2; i++)
        if (strcmp(name, names[i]) == 0)
            return mp_fail(MP_ERR_USAGE, "--preset: %s has no '%s' for %s (midpool ops lists the presets of methods)",
                           pool, name, d->name);
    const char *near = mp_nearest(name, names);
    return mp_fail(MP_ERR_USAGE, "--preset: no preset '%s'%s%s%s", name, near ? "; did you mean '" : "",
                   near ? near : "", near ? "'?" : " (midpool ops lists them)");
}

static mp_err add_asked(preset_list *l, const mp_dataset *d, const char *pool, const char *asked, mp_arena *a)
{
    mp_span rest = mp_span_of(asked), word;
    while (mp_next_field(&rest, ',', &word)) {
        const char *name = mp_arena_text(a, word.p, word.n);
        const mp_preset *p = mp_preset_find(name);
        if (p) add(l, p->settings, a);
        if (word.n && !p && !add_of_method(l, d, pool, name, a)) return no_preset(name, pool, d);
    }
    return MP_OK;
}

mp_err mp_presets_for(const mp_dataset *d, const char *pool, const char *asked, mp_arena *a, const char *const **out)
{
    preset_list l = { 0 };
    const mp_known *known = mp_known_find(d->name);
    const char *usual = known && known->preset ? known->preset : d->preset;
    const mp_preset *of_data = usual ? mp_preset_find(usual) : NULL;
    if (of_data && of_data->inputs) add(&l, of_data->settings, a);
    if (!add_of_method(&l, d, pool, NULL, a) && of_data && !of_data->inputs) add(&l, of_data->settings, a);
    if (asked) MP_TRY(add_asked(&l, d, pool, asked, a));
    static const char *const none[] = { NULL };
    *out = l.count ? l.settings : none;
    return MP_OK;
}
