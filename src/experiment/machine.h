/* machine.h - which machine measured times are of: those of two are never mixed.
 * SPDX-License-Identifier: MIT */
#ifndef MP_MACHINE_H
#define MP_MACHINE_H

#include "experiment/lab.h"

/* This machine with the given number of threads (0: all processors), for the argument of a measurement. Where nothing is to be
 * measured: the one on which the times of the store were first taken. */
MP_MUST mp_err mp_lab_machine(mp_lab *lab, int threads, const char **name);

#endif
