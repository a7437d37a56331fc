/* rules.h - which graphs train, which validate and which test, by a rule: as one split, eight tenths, one and one, or as folds.
 *
 *     random[:SEED]       by chance
 *     stratified[:SEED]   by chance, with its share of every class, or of every range of numbers
 *     scaffold            molecules with the same Bemis-Murcko scaffold stay together
 *     group:COLUMN        graphs with the same note (mp_raw) stay together
 *     time:COLUMN         in the order of a note: later graphs test
 *
 * SPDX-License-Identifier: MIT */
#ifndef MP_RULES_H
#define MP_RULES_H

#include "data/raw.h"
#include "data/split.h"

#define MP_RULES "scaffold, random[:SEED], stratified[:SEED], group:COLUMN or time:COLUMN"

/* Fails when it is none of the rules. `option` opens the message. */
MP_MUST mp_err mp_rule_check(const char *option, const char *rule);

/* The column that a rule asks for; NULL: it needs none. And whether it needs scaffolds. */
const char *mp_rule_column(const char *rule);
bool mp_rule_needs_scaffolds(const char *rule);

/* Makes the set's split. `scaffold`: of each graph, where the rule needs them. */
MP_MUST mp_err mp_rule_split(const char *rule, const char *const *scaffold, mp_arena *a, mp_raw *raw);

/* Folds; `count` 0: as many as is usual for the rule, one for scaffold and time, else ten. One is the split above. Of several, groups are dealt
 * out so that folds are about equal; by time the graphs are cut into count + 2 runs: fold f trains on the first f, validates on the next
 * and tests on the one behind it. `d` is the set made of `raw`. Scaffolds are those of raw->smiles. */
MP_MUST mp_err mp_rule_folds(const char *rule, int count, const mp_raw *raw, const mp_dataset *d, mp_arena *a,
                             mp_folds *out);

#endif
