/* gemm.c - dense products C = A B, C = A^T B, C = A B^T.
 *
 * Every element of C is one chain of fused multiply-adds over k upwards. A register tile of MR rows by 2 vectors walks
 * k once; the chain does not know how wide the tile is, so every instruction set and every cut gives the same bits.
 *
 * B is copied into panels two vectors wide and KC long, [k][2 VW], unless each is read only once or twice. A is read in
 * place, one broadcast an element, whichever way it lies. A chain goes on from what C holds where a panel ends.
 * SPDX-License-Identifier: MIT */
#include "math/kernels.h"
#include "math/simd.h"

#if VW == 16 || VW == 4 /* 32 registers */
#define MR 14
#elif VW == 8
#define MR 6
#else
#define MR 4
#endif
#define PW (2 * VW) /* columns of a panel */
#define KC 192      /* rows of k at a time: a panel of them fits in half of the first-level cache */

/* Where the chains of a tile begin: row i has them at p + i ld. */
typedef struct start {
    const mp_real *p;
    int ld;
    bool relu;
} start;

static const mp_real zeros[PW];

/* An m x PW tile of C; m and nv are constants where this is inlined. K is at least 1. */
static inline __attribute__((always_inline)) void tile(int m, int nv, mp_real *C, int ldc, const mp_real *a,
                                                       size_t as_i, size_t as_k, const mp_real *b, int ldb, int K,
                                                       start s)
{
    vec acc[MR][2];
    for (int i = 0; i < m; i++)
        for (int v = 0; v < nv; v++) acc[i][v] = vload(s.p + (size_t)i * (size_t)s.ld + v * VW);
    do {
        vec b0 = vload(b), b1 = nv > 1 ? vload(b + VW) : b0;
        for (int i = 0; i < m; i++) {
            vec x = vset(a[(size_t)i * as_i]);
            acc[i][0] = vfma(x, b0, acc[i][0]);
            if (nv > 1) acc[i][1] = vfma(x, b1, acc[i][1]);
        }
        a += as_k;
        b += ldb;
    } while (--K);
    if (s.relu) { /* a loop of its own: where the two meet the compiler would go through memory */
        for (int i = 0; i < m; i++)
            for (int v = 0; v < nv; v++) vstore(C + (size_t)i * (size_t)ldc + v * VW, vrelu(acc[i][v]));
    } else {
        for (int i = 0; i < m; i++)
            for (int v = 0; v < nv; v++) vstore(C + (size_t)i * (size_t)ldc + v * VW, acc[i][v]);
    }
}

#define TILE_CASE(n)                                                                                                   \
    case n:                                                                                                            \
        if (nv == 2)                                                                                                   \
            tile(n, 2, C, ldc, a, as_i, as_k, b, ldb, K, s);                                                           \
        else                                                                                                           \
            tile(n, 1, C, ldc, a, as_i, as_k, b, ldb, K, s);                                                           \
        break;

static void tile_of(int m, int nv, mp_real *C, int ldc, const mp_real *a, size_t as_i, size_t as_k, const mp_real *b,
                    int ldb, int K, start s)
{
    switch (m) {
        TILE_CASE(1)
        TILE_CASE(2)
        TILE_CASE(3)
        TILE_CASE(4)
#if MR > 4
        TILE_CASE(5)
        TILE_CASE(6)
#endif
#if MR > 6
        TILE_CASE(7)
        TILE_CASE(8)
        TILE_CASE(9)
        TILE_CASE(10)
        TILE_CASE(11)
        TILE_CASE(12)
        TILE_CASE(13)
        TILE_CASE(14)
#endif
    }
}

#if VW == 16
/* A 16 x 16 block turned round: pairs, then quadruples, then quarters of the registers change places. */
static void turn(mp_real *out, size_t ldo, const mp_real *in, size_t ldi)
{
    __m512 r[16], t[16];
    for (int i = 0; i < 16; i++) r[i] = _mm512_loadu_ps(in + (size_t)i * ldi);
    for (int i = 0; i < 16; i += 2) {
        t[i] = _mm512_unpacklo_ps(r[i], r[i + 1]);
        t[i + 1] = _mm512_unpackhi_ps(r[i], r[i + 1]);
    }
    for (int i = 0; i < 16; i += 4) {
        for (int h = 0; h < 2; h++) {
            __m512d x = _mm512_castps_pd(t[i + h]), y = _mm512_castps_pd(t[i + h + 2]);
            r[i + 2 * h] = _mm512_castpd_ps(_mm512_unpacklo_pd(x, y));
            r[i + 2 * h + 1] = _mm512_castpd_ps(_mm512_unpackhi_pd(x, y));
        }
    }
    for (int i = 0; i < 4; i++) {
        __m512 a = _mm512_shuffle_f32x4(r[i], r[i + 4], 0x88), b = _mm512_shuffle_f32x4(r[i], r[i + 4], 0xdd);
        __m512 c = _mm512_shuffle_f32x4(r[i + 8], r[i + 12], 0x88), d = _mm512_shuffle_f32x4(r[i + 8], r[i + 12], 0xdd);
        _mm512_storeu_ps(out + (size_t)i * ldo, _mm512_shuffle_f32x4(a, c, 0x88));
        _mm512_storeu_ps(out + (size_t)(i + 4) * ldo, _mm512_shuffle_f32x4(b, d, 0x88));
        _mm512_storeu_ps(out + (size_t)(i + 8) * ldo, _mm512_shuffle_f32x4(a, c, 0xdd));
        _mm512_storeu_ps(out + (size_t)(i + 12) * ldo, _mm512_shuffle_f32x4(b, d, 0xdd));
    }
}
#define TURN 16
#elif VW == 8
/* The same for 8 x 8. */
static void turn(mp_real *out, size_t ldo, const mp_real *in, size_t ldi)
{
    __m256 r[8], t[8];
    for (int i = 0; i < 8; i++) r[i] = _mm256_loadu_ps(in + (size_t)i * ldi);
    for (int i = 0; i < 8; i += 2) {
        t[i] = _mm256_unpacklo_ps(r[i], r[i + 1]);
        t[i + 1] = _mm256_unpackhi_ps(r[i], r[i + 1]);
    }
    for (int i = 0; i < 8; i += 4) {
        for (int h = 0; h < 2; h++) {
            __m256d x = _mm256_castps_pd(t[i + h]), y = _mm256_castps_pd(t[i + h + 2]);
            r[i + 2 * h] = _mm256_castpd_ps(_mm256_unpacklo_pd(x, y));
            r[i + 2 * h + 1] = _mm256_castpd_ps(_mm256_unpackhi_pd(x, y));
        }
    }
    for (int i = 0; i < 4; i++) {
        _mm256_storeu_ps(out + (size_t)i * ldo, _mm256_permute2f128_ps(r[i], r[i + 4], 0x20));
        _mm256_storeu_ps(out + (size_t)(i + 4) * ldo, _mm256_permute2f128_ps(r[i], r[i + 4], 0x31));
    }
}
#define TURN 8
#elif VW == 4
static void turn(mp_real *out, size_t ldo, const mp_real *in, size_t ldi)
{
    float32x4x4_t r;
    for (int i = 0; i < 4; i++) r.val[i] = vld1q_f32(in + (size_t)i * ldi);
    float column[16];
    vst4q_f32(column, r); /* interleaves: row i of the block turned round is at column + 4 i */
    for (int i = 0; i < 4; i++) vst1q_f32(out + (size_t)i * ldo, vld1q_f32(column + 4 * (size_t)i));
}
#define TURN 4
#else
static void turn(mp_real *out, size_t ldo, const mp_real *in, size_t ldi)
{
    (void)ldo;
    (void)ldi;
    *out = *in;
}
#define TURN 1
#endif

/* Rows k0 .. k0+K-1 and columns j .. j+PW-1 of B as [k][PW], zeros past column N. */
static void pack(mp_real *out, mp_operand B, int k0, int K, int j, int N)
{
    int n = N - j < PW ? N - j : PW;
    if (n < PW) memset(out, 0, (size_t)K * PW * sizeof *out);
    if (!B.flip) {
        for (int k = 0; k < K; k++) {
            const mp_real *row = B.p + (size_t)(k0 + k) * (size_t)B.ld + j;
            for (int i = 0; i < n; i++) out[(size_t)k * PW + i] = row[i];
        }
        return;
    }
    const mp_real *in = B.p + (size_t)j * (size_t)B.ld + k0;
    size_t ld = (size_t)B.ld;
    int whole_i = n / TURN * TURN, whole_k = K / TURN * TURN;
    for (int k = 0; k < whole_k; k += TURN)
        for (int i = 0; i < whole_i; i += TURN) turn(out + (size_t)k * PW + i, PW, in + (size_t)i * ld + k, ld);
    for (int k = 0; k < K; k++)
        for (int i = k < whole_k ? whole_i : 0; i < n; i++) out[(size_t)k * PW + i] = in[(size_t)i * ld + k];
}

/* m rows of C by n columns that do not fill a panel: computed whole beside C and copied. */
static void edge(mp_real *c, int ldc, const mp_real *a, size_t as_i, size_t as_k, const mp_real *b, int ldb, int m,
                 int n, int K, start s)
{
    mp_real side[MR * PW] = { 0 };
    for (int r = 0; r < m; r++)
        for (int q = 0; q < n; q++) side[r * PW + q] = s.p[(size_t)r * (size_t)s.ld + (size_t)q];
    tile_of(m, n > VW ? 2 : 1, side, PW, a, as_i, as_k, b, ldb, K, (start){ side, PW, s.relu });
    for (int r = 0; r < m; r++)
        for (int q = 0; q < n; q++) c[(size_t)r * (size_t)ldc + (size_t)q] = side[r * PW + q];
}

/* MR rows of C by one panel of columns. */
static void piece(mp_real *C, mp_operand A, const mp_real *b, int ldb, int M, int N, int i, int j, int k0, int K,
                  start s)
{
    int n = N - j < PW ? N - j : PW, m = M - i < MR ? M - i : MR;
    size_t as_i = A.flip ? 1 : (size_t)A.ld, as_k = A.flip ? (size_t)A.ld : 1;
    const mp_real *a = A.p + (size_t)k0 * as_k + (size_t)i * as_i;
    mp_real *c = C + (size_t)i * (size_t)N + j;
    s.p = s.p ? s.p + (size_t)i * (size_t)s.ld + j : zeros;
    if (n % VW)
        edge(c, N, a, as_i, as_k, b, ldb, m, n, K, s);
    else
        tile_of(m, n / VW, c, N, a, as_i, as_k, b, ldb, K, s);
}

/* A panel of KC rows stays in the first-level cache while the tiles of all rows of C go by, and what they read of A in the
 * second-level cache while the panels do. */
static void blocked(mp_real *C, mp_operand A, mp_operand B, int M, int N, int K, const mp_real *bias, bool add,
                    bool relu, mp_real *work)
{
    start s = { add ? C : bias, add ? N : 0, false };
    for (int k0 = 0, kn; k0 < K; k0 += kn) {
        kn = K - k0 < KC ? K - k0 : KC;
        s.relu = relu && k0 + kn == K;
        for (int j = 0; j < N; j += PW) {
            bool direct = M <= 2 * MR && !B.flip && j + PW <= N; /* read once or twice: packing would not pay */
            if (!direct) pack(work, B, k0, kn, j, N);
            for (int i = 0; i < M; i += MR)
                piece(C, A, direct ? B.p + (size_t)k0 * (size_t)B.ld + j : work, direct ? B.ld : PW, M, N, i, j, k0, kn,
                      s);
        }
        s.p = C;
        s.ld = N;
    }
}

/* A product over nothing: what the chains begin with. */
static void empty(mp_real *C, int M, int N, const mp_real *bias, bool add, bool relu)
{
    for (int i = 0; i < M; i++) {
        for (int j = 0; j < N; j++) {
            mp_real *c = C + (size_t)i * (size_t)N + j, y = add ? *c : bias ? bias[j] : 0;
            *c = relu ? relu1(y) : y;
        }
    }
}

/* Few columns, A as it lies: dot products with the columns of B, which are copied to lie side by side. */
static void narrow(mp_real *C, mp_operand A, mp_operand B, int M, int N, int K, const mp_real *bias, bool add,
                   bool relu, mp_real *work)
{
    for (int j = 0; j < N; j++)
        for (int k = 0; k < K; k++)
            work[(size_t)j * (size_t)K + k] =
                B.flip ? B.p[(size_t)j * (size_t)B.ld + k] : B.p[(size_t)k * (size_t)B.ld + j];
    for (int i = 0; i < M; i++) {
        for (int j = 0; j < N; j++) {
            mp_real y = dot(A.p + (size_t)i * (size_t)A.ld, work + (size_t)j * (size_t)K, K);
            if (bias) y += bias[j];
            if (add) y += C[(size_t)i * (size_t)N + j];
            C[(size_t)i * (size_t)N + j] = relu ? relu1(y) : y;
        }
    }
}

/* Few columns, A flipped: compute C^T = B^T A, whose tiles are wide, and turn it round. The chains are the same. */
static void turned(mp_real *C, mp_operand A, mp_operand B, int M, int N, int K, bool add, mp_real *work)
{
    mp_real *t = work, *rest = work + (size_t)M * (size_t)N;
    for (int i = 0; add && i < M; i++)
        for (int j = 0; j < N; j++) t[(size_t)j * (size_t)M + i] = C[(size_t)i * (size_t)N + j];
    mp_operand left = { B.p, B.ld, !B.flip }, right = { A.p, A.ld, !A.flip };
    blocked(t, left, right, N, M, K, NULL, add, false, rest);
    for (int i = 0; i < M; i++)
        for (int j = 0; j < N; j++) C[(size_t)i * (size_t)N + j] = t[(size_t)j * (size_t)M + i];
}

void MP_FN(gemm)(mp_real *C, mp_operand A, mp_operand B, int M, int N, int K, const mp_real *bias, bool add, bool relu,
                 mp_real *work);
void MP_FN(gemm)(mp_real *C, mp_operand A, mp_operand B, int M, int N, int K, const mp_real *bias, bool add, bool relu,
                 mp_real *work)
{
    if (K == 0)
        empty(C, M, N, bias, add, relu);
    else if (N <= MP_NARROW && !A.flip)
        narrow(C, A, B, M, N, K, bias, add, relu, work);
    else if (N <= MP_NARROW && !bias && !relu)
        turned(C, A, B, M, N, K, add, work);
    else
        blocked(C, A, B, M, N, K, bias, add, relu, work);
}

void MP_FN(gemm_blocks)(mp_real *C, mp_operand A, mp_operand B, mp_blocks of, int N, int K, bool add, int most,
                        mp_real *work);
void MP_FN(gemm_blocks)(mp_real *C, mp_operand A, mp_operand B, mp_blocks of, int N, int K, bool add, int most,
                        mp_real *work)
{
    (void)most;
    for (int i = 0; i < of.count; i++) {
        mp_operand a = { A.p + (size_t)of.in_a[i] * (size_t)A.ld, A.ld, A.flip };
        mp_operand b = { B.p + (size_t)of.in_b[i] * (size_t)B.ld, B.ld, B.flip };
        MP_FN(gemm)
        (C + (size_t)of.in_c[i] * (size_t)N, a, b, of.in_c[i + 1] - of.in_c[i], N,
         A.flip ? of.in_a[i + 1] - of.in_a[i] : K, NULL, add, false, work);
    }
}
