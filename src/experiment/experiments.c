/* experiments.c - the paper's tables and figures, a row each.
 * SPDX-License-Identifier: MIT */
#include "experiment/make.h"

const mp_experiment mp_experiments[] = {
    { "classification", "Classification",
      "the main table: base and MID of all operators, eight baselines, honest and as published",
      mp_make_classification },
    { "improvement", "What MID adds", "MID less base for each backbone and data set, relative and absolute, by domain",
      mp_make_improvement },
    { "train-time", "Training time",
      "seconds of a training epoch, base and MID with 1, 5 and 9 columns, over all data sets", mp_make_train_time },
    { "efficiency", "Efficiency", "time and memory of a training step on growing random graphs, all models",
      mp_make_efficiency },
    { "ablation", "Ablation",
      "MID without flipscore, dropscore or several columns, at the setting chosen for all of it", mp_make_ablation },
    { "score-correctness", "Score correctness",
      "whether scores find the nodes that matter to the prediction, with one and with several columns",
      mp_make_score_correctness },
    { "information-gain", "Information gain",
      "how much kept nodes differ from their neighbours, with and without flipscore", mp_make_information_gain },
    { "reconstruction", "Reconstruction",
      "what the way back from a pooling can rebuild: atoms of molecules, coordinates of four graphs",
      mp_make_reconstruction },
    { "score-columns", "Score columns", "whether several score columns say different things, by data set",
      mp_make_score_columns },
    { "kept-neighbours", "Kept neighbours",
      "how often kept nodes are neighbours of kept nodes, with and without dropscore", mp_make_kept_neighbours },
    { "case-studies", "Case studies",
      "pictures: scores column by column, kept nodes with and without dropscore, graphs that scores do not tell apart",
      mp_make_case_studies },
    { NULL, NULL, NULL, NULL },
};
