/* own.h - options of mp_train that belong to no model: which graphs, how many threads.
 * SPDX-License-Identifier: MIT */
#ifndef MP_API_OWN_H
#define MP_API_OWN_H

#include "conf/config.h"

typedef struct mp_api_asked {
    mp_config config;
    int fold, folds, threads;
    char preset[64];
} mp_api_asked;

extern const mp_opt mp_api_own[];

#endif
