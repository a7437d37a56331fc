/* network.h - stores that would lie on a network file system.
 *
 * Programs that write to an SQLite file in WAL mode share memory through a second file, which works within one machine only: from
 * several machines a store would be damaged without a word.
 * SPDX-License-Identifier: MIT */
#ifndef MP_NETWORK_H
#define MP_NETWORK_H

#include "base/text.h"

/* Fails, with the ways out, when the folder of this path is on one. */
MP_MUST mp_err mp_network_refuse(const char *path);

#endif
