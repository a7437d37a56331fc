/* presets.c - settings that belong together.
 *
 * "mid" is the paper's middle grid point. The networks and optimisers of generated sets are Knyazev's
 * (math.md 6.7); training goes to the last epoch there, so patience is 0.
 * SPDX-License-Identifier: MIT */
#include "cli/cli.h"

#include <string.h>

/* clang-format off */
static const char *const mid[] = { "score-dim", "5", "flip", "true", "drop", "0.1", NULL };
static const char *const colors[] = {
    "arch", "colors", "hidden", "64", "batch-size", "32", "lr", "0.001", "beta1", "0.5", "weight-decay", "0.0001",
    "epochs", "300", "schedule", "step", "lr-drop", "280", "patience", "0", NULL
};
static const char *const triangles[] = {
    "arch", "triangles", "hidden", "64", "batch-size", "32", "lr", "0.001", "beta1", "0.5", "weight-decay", "0.0001",
    "epochs", "100", "schedule", "step", "lr-drop", "85,95", "patience", "0", NULL
};
/* clang-format on */

/* GMT's own settings (math.md 5.8), for every set and for those its authors chose more. */
static const char *const gmt[] = { "ratio", "0.25", "clip", "1", "schedule", "cosine", "warmup", "50", NULL };
static const char *const gmt_dd[] = { "heads", "4", "hidden", "32", "batch-size", "10", NULL };
static const char *const gmt_two[] = { "heads", "2", NULL };
static const char *const gmt_mutag[] = { "heads", "4", "ln", "true", NULL };

const mp_preset mp_presets[] = {
    { "mid", mid, "MID with 5 score columns, flipscore and dropscore 0.1" },
    { "colors", colors, "network and optimiser for COLORS-3: arch colors, hidden 64, batch 32, 300 epochs" },
    { "triangles", triangles, "network and optimiser for TRIANGLES: arch triangles, hidden 64, batch 32, 100 epochs" },
    { "gmt", gmt, "GMT: ratio 0.25, gradients clipped at 1, cosine schedule with 50 epochs of warm-up" },
    { "gmt-dd", gmt_dd, "GMT on DD: 4 heads, hidden 32, batch 10" },
    { "gmt-2", gmt_two, "GMT on PROTEINS and COLLAB: 2 heads" },
    { "gmt-mutag", gmt_mutag, "GMT on MUTAG: 4 heads, LayerNorm" },
    { NULL, NULL, NULL },
};

const mp_preset *mp_preset_find(const char *name)
{
    for (const mp_preset *p = mp_presets; p->name; p++)
        if (strcmp(p->name, name) == 0) return p;
    return NULL;
}
