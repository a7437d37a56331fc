/* class_names.c - see class_names.h.
 * SPDX-License-Identifier: MIT */
#include "data/class_names.h"

#include <stdlib.h>
#include <string.h>

static int by_text(const void *x, const void *y)
{
    return strcmp(*(const char *const *)x, *(const char *const *)y);
}

static const char *const *distinct(const char *const *word, int n, mp_arena *a, int *classes)
{
    const char **name = MP_NEW_RAW(a, const char *, n);
    int kept = 0;
    memcpy(name, word, (size_t)n * sizeof *name);
    qsort(name, (size_t)n, sizeof *name, by_text);
    for (int b = 0; b < n; b++)
        if (b == 0 || strcmp(name[b], name[kept - 1]) != 0) name[kept++] = name[b];
    *classes = kept;
    return name;
}

/* The model's are in the order of its classes, which need not be that of the letters. */
static int class_named(const char *const *name, int classes, const char *word)
{
    int c = 0;
    while (c < classes && strcmp(name[c], word) != 0) c++;
    return c;
}

int mp_class_names(const char *const *word, int graphs, const mp_dataset_as *as, mp_arena *a, mp_raw *raw)
{
    bool model = as && (as->classes || as->class_name);
    int classes = mp_dataset_as_names(as);
    const char *const *name = model ? as->class_name : distinct(word, graphs, a, &classes);
    int64_t *label = MP_NEW_RAW(a, int64_t, graphs);
    for (int b = 0; b < graphs; b++) {
        const char *const *at = model ? NULL : bsearch(&word[b], name, (size_t)classes, sizeof *name, by_text);
        label[b] = model ? class_named(name, classes, word[b]) : at - name;
        if (label[b] == classes) return b;
    }
    raw->class_name = name;
    raw->class_names = classes;
    raw->graph_label = label;
    return -1;
}
