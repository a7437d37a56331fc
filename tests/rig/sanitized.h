/* sanitized.h - whether a test runs under AddressSanitizer, where repeating the same code on other numbers shows nothing new.
 * SPDX-License-Identifier: MIT */
#ifndef MP_RIG_SANITIZED_H
#define MP_RIG_SANITIZED_H

#if defined __has_feature
#if __has_feature(address_sanitizer)
#define SANITIZED 1
#endif
#endif
#if !defined SANITIZED && defined __SANITIZE_ADDRESS__
#define SANITIZED 1
#endif
#ifndef SANITIZED
#define SANITIZED 0
#endif

#endif
