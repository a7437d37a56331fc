/* class_names.h - classes that are called by words.
 * SPDX-License-Identifier: MIT */
#ifndef MP_CLASS_NAMES_H
#define MP_CLASS_NAMES_H

#include "data/raw.h"

/* Fills in raw->class_name and raw->graph_label from a word a graph. The words are the model's where `as` has classes or names, else the
 * distinct ones in the order of their letters. Returns the first graph whose word the model does not know; -1: none. */
int mp_class_names(const char *const *word, int graphs, const mp_dataset_as *as, mp_arena *a, mp_raw *raw);

#endif
