/* presets.c - settings that belong together, whatever the method. Those of one method are in its row (config.h).
 *
 * "mid" is the paper's middle grid point. The networks and optimisers of generated sets are Knyazev's
 * (math.md 6.7); training goes to the last epoch there, so patience is 0.
 * SPDX-License-Identifier: MIT */
#include "cli/cli.h"

#include <string.h>

#define KNYAZEV "hidden=64 batch-size=32 lr=0.001 beta1=0.5 weight-decay=0.0001 schedule=step patience=0 "

const mp_preset mp_presets[] = {
    { "mid", "score-dim=5 flip=true drop=0.1", "MID with 5 score columns, flipscore and dropscore 0.1" },
    { "colors", KNYAZEV "arch=colors epochs=300 lr-drop=280", "network and optimiser for COLORS-3" },
    { "triangles", KNYAZEV "arch=triangles epochs=100 lr-drop=85,95", "network and optimiser for TRIANGLES" },
    { NULL, NULL, NULL },
};

const mp_preset *mp_preset_find(const char *name)
{
    for (const mp_preset *p = mp_presets; p->name; p++)
        if (strcmp(p->name, name) == 0) return p;
    return NULL;
}
