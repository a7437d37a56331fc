/* element.h - the symbols of the elements.
 * SPDX-License-Identifier: MIT */
#ifndef MP_CHEM_ELEMENT_H
#define MP_CHEM_ELEMENT_H

/* "H" for 1 to "Og" for 118; "*", any atom, for every other number. */
const char *mp_element(int number);

#endif
