/* real.h - the number type of the library: float, or double in the build that checks gradients.
 * SPDX-License-Identifier: MIT */
#ifndef MP_REAL_H
#define MP_REAL_H

#ifdef MP_DOUBLE
typedef double mp_real;
#else
typedef float mp_real;
#endif

#endif
