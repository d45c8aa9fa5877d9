/* The operations of programs in float32, by the functions of the CUDA math library. */
typedef float V1;
typedef int M1;
__device__ __forceinline__ V1 all1(float x) { return x; }
__device__ __forceinline__ M1 less1(V1 a, V1 b) { return -(M1)(a < b); }
__device__ __forceinline__ M1 at_most1(V1 a, V1 b) { return -(M1)(a <= b); }
__device__ __forceinline__ M1 equal1(V1 a, V1 b) { return -(M1)(a == b); }
__device__ __forceinline__ M1 not_zero1(V1 x) { return -(M1)(x != 0.0f); }
__device__ __forceinline__ V1 truth1(M1 m) { return m ? 1.0f : 0.0f; }
__device__ __forceinline__ V1 abs1(V1 x) { return fabsf(x); }
__device__ __forceinline__ V1 copysign1(V1 x, V1 s) { return copysignf(x, s); }
__device__ __forceinline__ V1 sign1(V1 x) { return x < 0.0f || x > 0.0f ? copysignf(1.0f, x) : x; }
__device__ __forceinline__ V1 min1(V1 a, V1 b) { return a < b || a != a ? a : b; }
__device__ __forceinline__ V1 max1(V1 a, V1 b) { return b < a || a != a ? a : b; }
__device__ __forceinline__ V1 if_else_zero1(V1 c, V1 x) { return c != 0.0f ? x : 0.0f; }
__device__ __forceinline__ V1 floor1(V1 x) { return floorf(x); }
__device__ __forceinline__ V1 sqrt1(V1 x) { return sqrtf(x); }
__device__ __forceinline__ void sincos1(V1 x, V1 *s, V1 *c) { *s = sinf(x); *c = cosf(x); }
__device__ __forceinline__ V1 sin1(V1 x) { return sinf(x); }
__device__ __forceinline__ V1 cos1(V1 x) { return cosf(x); }
__device__ __forceinline__ V1 tan1(V1 x) { return tanf(x); }
__device__ __forceinline__ V1 asin1(V1 x) { return asinf(x); }
__device__ __forceinline__ V1 acos1(V1 x) { return acosf(x); }
__device__ __forceinline__ V1 atan1(V1 x) { return atanf(x); }
__device__ __forceinline__ V1 atan21(V1 y, V1 x) { return atan2f(y, x); }
__device__ __forceinline__ V1 exp1(V1 x) { return expf(x); }
__device__ __forceinline__ V1 tanh1(V1 x) { return tanhf(x); }
