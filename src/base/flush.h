/* flush.h - numbers too small for full precision become 0 while training and predicting.
 *
 * Rarely used weights decay towards 0 until they, their gradients and Adam's moments are denormal. Some processors take a
 * hundred cycles for each such number: SAGPool on NCI1 ran five times slower after some fifty epochs. The setting is per
 * thread, the same for every instruction set, and put back afterwards.
 * SPDX-License-Identifier: MIT */
#ifndef MP_FLUSH_H
#define MP_FLUSH_H

#if defined(__SSE2__)
static inline unsigned mp_flush_now(void)
{
    return __builtin_ia32_stmxcsr();
}

static inline unsigned mp_flush_on(void)
{
    unsigned before = mp_flush_now();
    __builtin_ia32_ldmxcsr(before | 0x8040u); /* flush results, take inputs as 0 */
    return before;
}

static inline void mp_flush_off(unsigned before)
{
    __builtin_ia32_ldmxcsr(before);
}
#elif defined(__aarch64__)
static inline unsigned mp_flush_now(void)
{
    unsigned long now;
    __asm__ volatile("mrs %0, fpcr" : "=r"(now));
    return (unsigned)now;
}

static inline void mp_flush_off(unsigned before)
{
    __asm__ volatile("msr fpcr, %0" : : "r"((unsigned long)before) : "memory");
}

static inline unsigned mp_flush_on(void)
{
    unsigned before = mp_flush_now();
    mp_flush_off(before | 1u << 24); /* FZ: results and inputs */
    return before;
}
#else
static inline unsigned mp_flush_now(void)
{
    return 0;
}

static inline unsigned mp_flush_on(void)
{
    return 0;
}

static inline void mp_flush_off(unsigned before)
{
    (void)before;
}
#endif

#endif
