/* make.h - the functions behind the rows of experiments.c, each in the file of its name.
 * SPDX-License-Identifier: MIT */
#ifndef MP_MAKE_H
#define MP_MAKE_H

#include "experiment/lab.h"

#define MP_TU_SETS                                                                                                     \
    "DD,PROTEINS,NCI1,MUTAG,PTC_MR,NCI109,ENZYMES,Mutagenicity,FRANKENSTEIN,REDDIT-BINARY,IMDB-BINARY,IMDB-MULTI,"     \
    "COLLAB"
#define MP_OGB_SETS "ogbg_molhiv,ogbg_molbbbp,ogbg_moltox21,ogbg_moltoxcast"

mp_err mp_make_classification(mp_lab *lab, mp_section *out);
mp_err mp_make_improvement(mp_lab *lab, mp_section *out);
mp_err mp_make_generalisation(mp_lab *lab, mp_section *out);
mp_err mp_make_distinct(mp_lab *lab, mp_section *out);
mp_err mp_make_train_time(mp_lab *lab, mp_section *out);
mp_err mp_make_efficiency(mp_lab *lab, mp_section *out);
mp_err mp_make_ablation(mp_lab *lab, mp_section *out);
mp_err mp_make_robustness(mp_lab *lab, mp_section *out);
mp_err mp_make_sensitivity(mp_lab *lab, mp_section *out);
mp_err mp_make_dimension(mp_lab *lab, mp_section *out);
mp_err mp_make_score_correctness(mp_lab *lab, mp_section *out);
mp_err mp_make_information_gain(mp_lab *lab, mp_section *out);
mp_err mp_make_score_columns(mp_lab *lab, mp_section *out);
mp_err mp_make_kept_neighbours(mp_lab *lab, mp_section *out);
mp_err mp_make_case_studies(mp_lab *lab, mp_section *out);
mp_err mp_make_reconstruction(mp_lab *lab, mp_section *out);

#endif
