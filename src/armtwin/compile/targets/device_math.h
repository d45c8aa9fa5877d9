/* Parts of vector_math.h as a GPU computes them fastest: no branches, no slow paths. */
#ifndef approximate_reciprocal /* a host compiler has another one */
__device__ __forceinline__ double approximate_reciprocal(double x) {
  double r;
  asm("rcp.approx.ftz.f64 %0, %1;" : "=d"(r) : "d"(x));
  return r;
}
#endif
#define __builtin_nan(text) __longlong_as_double(0x7ff8000000000000LL)
#define __builtin_inf() __longlong_as_double(0x7ff0000000000000LL)
#define __builtin_sqrt(x) sqrt(x)
__device__ __forceinline__ double pick1(long long m, double a, double b) { return m ? a : b; }
/* a / b by two Newton steps and one correction; the last line serves b = 0 and infinities. */
__device__ __forceinline__ double quotient1(double a, double b) {
  double first = approximate_reciprocal(b);
  double r = fma(first, fma(-b, first, 1.0), first);
  r = fma(r, fma(-b, r, 1.0), r);
  double q = a * r;
  return (__double2hiint(q) & 0x7ff00000) != 0x7ff00000 ? fma(fma(-b, q, a), r, q) : a * first;
}
/* Rounding by adding 1.5 * 2^52, reduction by two parts of pi/2 with fused products, fdlibm's
   kernels. NaN beyond 4e7, as in vector_math.h; the sine of -0 is +0 here. */
__device__ __forceinline__ void sincos1(double x, double *s, double *c) {
  double shifted = fma(x, 0.63661977236758134308, 6755399441055744.0);
  int quadrant = __double2loint(shifted);
  double n = shifted - 6755399441055744.0;
  double r = fma(-n, 6.123233995736766e-17, fma(-n, 1.5707963267948966, x));
  r = (__double2hiint(x) & 0x7fffffff) < 0x418312d0 ? r : __builtin_nan(""); /* |x| < 4e7 */
  double z = r * r;
  double p = fma(z, 1.58969099521155010221e-10, -2.50507602534068634195e-08);
  p = fma(z, fma(z, p, 2.75573137070700676789e-06), -1.98412698298579493134e-04);
  p = fma(z, fma(z, p, 8.33333333332248946124e-03), -1.66666666666666324348e-01);
  double sine = fma(r * z, p, r);
  p = fma(z, -1.13596475577881948265e-11, 2.08757232129817482790e-09);
  p = fma(z, fma(z, p, -2.75573143513906633035e-07), 2.48015872894767294178e-05);
  p = fma(z, fma(z, p, -1.38888888888741095749e-03), 4.16666666666666019037e-02);
  double cosine = fma(z, fma(z, p, -0.5), 1.0);
  double a = quadrant & 1 ? cosine : sine, b = quadrant & 1 ? sine : cosine;
  *s = __hiloint2double(__double2hiint(a) ^ ((quadrant & 2) << 30), __double2loint(a));
  *c = __hiloint2double(__double2hiint(b) ^ (((quadrant + 1) & 2) << 30), __double2loint(b));
}
