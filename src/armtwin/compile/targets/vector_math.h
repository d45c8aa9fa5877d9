/* Numbers in lanes: the same text serves one state (LANES = 1) and SIMD batches (LANES = 2, 4, 8).
   '$' stands for the number of lanes. Needs no C library: everything is inlined arithmetic. */
#if $ == 1
typedef double V$;
typedef long long M$;
typedef unsigned long long U$;
static inline M$ bits$(V$ x) { M$ m; __builtin_memcpy(&m, &x, 8); return m; }
static inline V$ number$(M$ m) { V$ x; __builtin_memcpy(&x, &m, 8); return x; }
static inline M$ less$(V$ a, V$ b) { return -(M$)(a < b); }
static inline M$ at_most$(V$ a, V$ b) { return -(M$)(a <= b); }
static inline M$ equal$(V$ a, V$ b) { return -(M$)(a == b); }
static inline V$ all$(double x) { return x; }
static inline V$ sqrt$(V$ x) { return __builtin_sqrt(x); }
#else
typedef double V$ __attribute__((vector_size(8 * $)));
typedef long long M$ __attribute__((vector_size(8 * $)));
typedef unsigned long long U$ __attribute__((vector_size(8 * $)));
static inline M$ bits$(V$ x) { return (M$)x; }
static inline V$ number$(M$ m) { return (V$)m; }
static inline M$ less$(V$ a, V$ b) { return (M$)(a < b); }
static inline M$ at_most$(V$ a, V$ b) { return (M$)(a <= b); }
static inline M$ equal$(V$ a, V$ b) { return (M$)(a == b); }
static inline V$ all$(double x) { return x - (V$){0}; } /* keeps the sign of zero */
static inline V$ sqrt$(V$ x) {
  V$ y;
  for (int i = 0; i < $; i++) y[i] = __builtin_sqrt(x[i]);
  return y;
}
#endif
/* Entries of two vectors by their numbers; gcc has clang's name for it from version 12 on. */
#if defined(__clang__) || (__GNUC__ >= 12 && !defined(OLD_SHUFFLE))
#define shuffle$(a, b, ...) __builtin_shufflevector(a, b, __VA_ARGS__)
#else
#define shuffle$(a, b, ...) __builtin_shuffle(a, b, (M$){__VA_ARGS__})
#endif
/* Hides how a vector was made from the optimiser, at no cost. gcc (12.2 seen, x86) may emit
   "vmovddup a" for the shuffle that interleaves a with a constant b, which drops b, when a lies
   on the stack. So every operand of a transpose passes through here and is never a known
   constant. The same holds for a vector of constants that is copied to memory: for AVX-512,
   gcc 12.2 stores {1, 1, 1, 0} as a broadcast of 1, since it ignores zeros at the end of a wide
   constant when it compares the entries (memcpy of a constant; plain stores are right). */
#if defined(__GNUC__) && !defined(__clang__) && \
    ($ == 8 && defined(__AVX512F__) || $ == 4 && defined(__AVX__) || $ == 2 && defined(__SSE2__))
static inline V$ opaque$(V$ x) { __asm__("" : "+v"(x)); return x; }
#else
static inline V$ opaque$(V$ x) { return x; }
#endif
/* Stores past the caches, at addresses that are whole numbers of vectors, and their end. */
#if defined(__x86_64__) && !defined(__CUDACC__)
static inline void fence$(void) { __builtin_ia32_sfence(); }
#else
static inline void fence$(void) {}
#endif
#if defined(__clang__)
static inline void stream$(double *p, V$ v) { __builtin_nontemporal_store(v, (V$ *)p); }
#elif $ == 8 && defined(__AVX512F__)
static inline void stream$(double *p, V$ v) { __builtin_ia32_movntpd512(p, v); }
#elif $ == 4 && defined(__AVX__)
static inline void stream$(double *p, V$ v) { __builtin_ia32_movntpd256(p, v); }
#elif $ == 2 && defined(__SSE2__)
static inline void stream$(double *p, V$ v) { __builtin_ia32_movntpd(p, v); }
#else
static inline void stream$(double *p, V$ v) { __builtin_memcpy(p, &v, sizeof v); }
#endif
#define SIGN$ ((M$){0} - 0x7fffffffffffffffLL - 1)
/* signed numbers may not overflow in C, unsigned ones may */
static inline M$ left$(M$ m, int places) { return (M$)((U$)m << places); }
static inline M$ sum$(M$ a, M$ b) { return (M$)((U$)a + (U$)b); }
#if !defined(__CUDACC__) /* device_math.h has its own */
static inline V$ pick$(M$ m, V$ a, V$ b) { return number$((m & bits$(a)) | (~m & bits$(b))); }
#endif
static inline V$ truth$(M$ m) { return number$(m & bits$(all$(1.0))); }
static inline V$ abs$(V$ x) { return number$(bits$(x) & ~SIGN$); }
static inline V$ copysign$(V$ x, V$ s) {
  return number$((bits$(x) & ~SIGN$) | (bits$(s) & SIGN$));
}
static inline M$ not_zero$(V$ x) { return ~equal$(x, all$(0.0)); }
static inline V$ sign$(V$ x) {
  V$ zero = all$(0.0);
  return pick$(less$(x, zero) | less$(zero, x), copysign$(all$(1.0), x), x);
}
/* like C's fmin and fmax, but a NaN on either side is passed on */
static inline V$ min$(V$ a, V$ b) { return pick$(less$(a, b) | ~equal$(a, a), a, b); }
static inline V$ max$(V$ a, V$ b) { return pick$(less$(b, a) | ~equal$(a, a), a, b); }
static inline V$ if_else_zero$(V$ c, V$ x) { return number$(not_zero$(c) & bits$(x)); }

/* Adding 1.5 * 2^52 rounds to an integer and leaves it in the low bits. */
#define ROUND 6755399441055744.0
#if defined(__SSE4_1__) || defined(__aarch64__) /* one instruction */
#if $ == 1
static inline V$ floor$(V$ x) { return __builtin_floor(x); }
#else
static inline V$ floor$(V$ x) {
  V$ y;
  for (int i = 0; i < $; i++) y[i] = __builtin_floor(x[i]);
  return y;
}
#endif
#else
static inline V$ floor$(V$ x) {
  V$ n = (x + ROUND) - ROUND;
  n = copysign$(n - truth$(less$(x, n)), x);
  return pick$(less$(abs$(x), all$(2251799813685248.0)), n, x);
}
#endif

#if !defined(__CUDACC__)
/* sin and cos: Cody-Waite with 3 x 33 bits of pi/2, then fdlibm's kernels. Exact to rounding for
   |x| <= 1e6, to the spacing of the numbers x themselves up to 4e7; NaN beyond. */
static inline void sincos$(V$ x, V$ *s, V$ *c) {
  V$ shifted = x * 0.63661977236758134308 + ROUND;
  V$ n = shifted - ROUND;
  M$ quadrant = bits$(shifted);
  V$ r = ((x - n * 1.57079632673412561417) - n * 6.07710050630396597660e-11)
         - n * 2.02226624879595063154e-21;
  V$ z = r * r;
  V$ ps = r + r * z * (-1.66666666666666324348e-01 + z * (8.33333333332248946124e-03
        + z * (-1.98412698298579493134e-04 + z * (2.75573137070700676789e-06
        + z * (-2.50507602534068634195e-08 + z * 1.58969099521155010221e-10)))));
  V$ pc = 1.0 - 0.5 * z + z * z * (4.16666666666666019037e-02 + z * (-1.38888888888741095749e-03
        + z * (2.48015872894767294178e-05 + z * (-2.75573143513906633035e-07
        + z * (2.08757232129817482790e-09 + z * -1.13596475577881948265e-11)))));
  M$ one = (M$){0} + 1;
  M$ swap = -(quadrant & one);
  V$ rs = pick$(swap, pc, ps), rc = pick$(swap, ps, pc);
  M$ two = one + 1;
  *s = number$(bits$(rs) ^ left$(quadrant & two, 62));
  *c = number$(bits$(rc) ^ left$(sum$(quadrant, one) & two, 62));
  M$ known = at_most$(abs$(x), all$(4e7));
  V$ nan = all$(__builtin_nan(""));
  *s = pick$(known, pick$(equal$(x, all$(0.0)), x, *s), nan);
  *c = pick$(known, *c, nan);
}
#endif
static inline V$ sin$(V$ x) { V$ s, c; sincos$(x, &s, &c); return s; }
static inline V$ cos$(V$ x) { V$ s, c; sincos$(x, &s, &c); return c; }
static inline V$ tan$(V$ x) { V$ s, c; sincos$(x, &s, &c); return s / c; }

/* atan on [0, 1] by Cephes' rational approximation after folding at tan(pi/8). */
static inline V$ atan_unit$(V$ x) {
  M$ far = less$(all$(0.41421356237309503), x);
  V$ y = pick$(far, (x - 1.0) / (x + 1.0), x);
  V$ z = y * y;
  V$ p = ((((-8.750608600031904122785e-1 * z - 1.615753718733365076637e1) * z
        - 7.500855792314704667340e1) * z - 1.228866684490136173410e2) * z
        - 6.485021904942025371773e1);
  V$ d = (((((z + 2.485846490142306297962e1) * z + 1.650270098316988542046e2) * z
        + 4.328810604912902668951e2) * z + 4.853903996359136964868e2) * z
        + 1.945506571482613964425e2);
  V$ base = number$(far & bits$(all$(0.78539816339744830962)));
  V$ rest = number$(far & bits$(all$(3.061616997868382943e-17)));
  return base + ((y * z * (p / d) + y) + rest);
}
static inline V$ atan2$(V$ y, V$ x) {
  V$ ay = abs$(y), ax = abs$(x);
  M$ steep = less$(ax, ay);
  V$ big = pick$(steep, ay, ax), small = pick$(steep, ax, ay);
  M$ nothing = equal$(big, all$(0.0));
  M$ both_infinite = equal$(small, all$(__builtin_inf()));
  V$ ratio = small / pick$(nothing, all$(1.0), big);
  V$ a = atan_unit$(pick$(both_infinite, all$(1.0), ratio));
  a = pick$(steep, (1.57079632679489661923 - a) + 6.123233995736765886e-17, a);
  V$ flipped = (3.14159265358979323846 - a) + 1.2246467991473531772e-16;
  a = pick$(bits$(x) >> 63, flipped, a);
  V$ angle = copysign$(a, y);
  return pick$(~(equal$(x, x) & equal$(y, y)), x + y, angle);
}
static inline V$ atan$(V$ x) { return atan2$(x, all$(1.0)); }
static inline V$ asin$(V$ x) { return atan2$(x, sqrt$((1.0 - x) * (1.0 + x))); }
static inline V$ acos$(V$ x) { return atan2$(sqrt$((1.0 - x) * (1.0 + x)), x); }

/* exp: x = n ln 2 + r, Cephes' rational approximation of exp(r), scaled in two steps. */
static inline V$ exp$(V$ x) {
  V$ clipped = min$(max$(x, all$(-745.2)), all$(709.8));
  V$ shifted = clipped * 1.44269504088896340736 + ROUND;
  V$ n = shifted - ROUND;
  V$ r = (clipped - n * 6.93145751953125e-1) - n * 1.42860682030941723212e-6;
  V$ z = r * r;
  V$ p = r * ((1.26177193074810590878e-4 * z + 3.02994407707441961300e-2) * z
        + 9.99999999999999999910e-1);
  V$ d = ((3.00198505138664455042e-6 * z + 2.52448340349684104192e-3) * z
        + 2.27265548208155028766e-1) * z + 2.00000000000000000005e0;
  V$ e = 1.0 + 2.0 * (p / (d - p));
  M$ exponent = left$(bits$(shifted), 13) >> 13;
  M$ half = exponent >> 1;
  M$ bias = (M$){0} + 1023;
  e = e * number$(left$(half + bias, 52)) * number$(left$(exponent - half + bias, 52));
  return pick$(less$(all$(709.782712893384), x), all$(__builtin_inf()), e);
}
/* tanh: a rational approximation below 0.625 (Cephes), 1 - 2 / (exp(2x) + 1) above. A single number
   takes the branch that it needs; the bits are the same. */
#if $ == 1 && !defined(__CUDACC__)
#define LEAVE$(condition, y) if (condition) return y
#else
#define LEAVE$(condition, y) (void)0
#endif
static inline V$ tanh$(V$ x) {
  V$ a = abs$(x), z = x * x;
  LEAVE$(a > 20.0, copysign$(all$(1.0), x));
  V$ p = ((-9.64399179425052238628e-1 * z - 9.92877231001918586564e1) * z
        - 1.61468768441708447952e3);
  V$ d = (((z + 1.12811678491632931402e2) * z + 2.23548839060100448583e3) * z
        + 4.84406305325125486048e3);
  V$ near = copysign$(x + x * z * (p / d), x);
  LEAVE$(a < 0.625, near);
  V$ far = copysign$(1.0 - 2.0 / (exp$(2.0 * min$(a, all$(30.0))) + 1.0), x);
  return pick$(less$(a, all$(0.625)), near, pick$(equal$(x, x), far, x));
}
#undef LEAVE$
#undef SIGN$
#undef ROUND
