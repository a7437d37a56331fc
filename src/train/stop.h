/* stop.h - early stopping, the rule alone.
 *
 * After each epoch: a validation loss (with --stop-on metric: the leading metric, its sign turned where larger is
 * better; with --stop-on train-loss: the loss of training) strictly smaller than the best so far makes this epoch the best and sets the counter to 0; any other adds 1.
 * Training ends when the counter exceeds the patience, that is after patience + 1 epochs in a row without a better one
 * (math.md 9.5). Patience 0: it decides nothing, training goes on to the cap and the last epoch counts. For the best
 * epoch without stopping early, take a patience larger than the cap.
 * SPDX-License-Identifier: MIT */
#ifndef MP_STOP_H
#define MP_STOP_H

#include <stdbool.h>

typedef struct mp_stop {
    int patience;
    double best;    /* the smallest validation loss so far */
    int best_epoch; /* from 1; 0 before the first epoch    */
    int since;      /* the counter                         */
} mp_stop;

void mp_stop_init(mp_stop *s, int patience);

/* True: keep the weights of this epoch. A NaN is never better. */
bool mp_stop_better(mp_stop *s, int epoch, double val_loss);
bool mp_stop_now(const mp_stop *s);

#endif
