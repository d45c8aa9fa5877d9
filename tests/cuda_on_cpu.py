"""CUDA text compiled as C++ and run on the processor, one thread after the other."""

import ctypes

import numpy as np

from armtwin.compile.native import toolchain
from armtwin.compile.targets import cuda as cuda_target

SHIM = """
#include <cmath>
#include <cstring>
using namespace std;
#define __CUDACC__
#define __global__
#define __device__ static
#define __forceinline__ inline
#define __shared__ static
#define __launch_bounds__(threads, blocks)
#define __syncthreads()
#define approximate_reciprocal(x) (1.0 / (x))
#define EACH_THREAD for (threadIdx.x = 0; threadIdx.x < THREADS; threadIdx.x++)
struct Index { long long x; };
static Index blockIdx, threadIdx;
template <class T> struct alignas(2 * sizeof(T)) Two { T x, y; };
template <class T> struct alignas(4 * sizeof(T)) Four { T x, y, z, w; };
typedef Two<double> double2;
typedef Two<float> float2;
typedef Four<float> float4;
static double2 make_double2(double x, double y) { return {x, y}; }
static float2 make_float2(float x, float y) { return {x, y}; }
static float4 make_float4(float x, float y, float z, float w) { return {x, y, z, w}; }
static double __longlong_as_double(long long m) { double x; memcpy(&x, &m, 8); return x; }
static int __double2loint(double x) { int m[2]; memcpy(m, &x, 8); return m[0]; }
static int __double2hiint(double x) { int m[2]; memcpy(m, &x, 8); return m[1]; }
static double __hiloint2double(int high, int low) {
  int m[2] = {low, high};
  double x;
  memcpy(&x, m, 8);
  return x;
}
template <class T> static void __stcs(T *p, T v) { *p = v; }
static void atomicMin(unsigned long long *p, unsigned long long v) { if (v < *p) *p = v; }
"""


def driver(program, real):
    """Return ``run``, which launches every block of the kernel in turn."""
    ports = [(f"x{p}", f"s{p}") for p in range(len(program.inputs))]
    outputs = [f"y{p}" for p in range(len(program.outputs))]
    arguments = [f"const {real} *{x}, long long {s}" for x, s in ports]
    arguments += [f"{real} *{y}" for y in outputs]
    names = [name for pair in ports for name in pair] + outputs
    return f"""
extern "C" void run(long long rows, {", ".join(arguments)}, unsigned long long *fault) {{
  for (blockIdx.x = 0; blockIdx.x * THREADS < rows; blockIdx.x++)
    kernel(rows, {", ".join(names)}, fault);
}}
"""


def source(program, real="double", bounds=None):
    """Return C++ text that runs a program's CUDA kernel on the processor."""
    threads = cuda_target.layout(program, real).threads
    kernel = cuda_target.kernel_source(program, real, bounds)
    return f"#define THREADS {threads}\n{SHIM}{kernel}{driver(program, real)}"


def run(program, inputs, real="double", bounds=None):
    """Return a kernel's outputs (rows, size) and its fault word; inputs (size,) are shared."""
    text = source(program, real, bounds)
    flags = ("-x", "c++", "-std=gnu++17", "-O0")
    library = ctypes.CDLL(str(toolchain.shared_library(text, name="cuda_on_cpu", extra=flags)))
    kind = np.float64 if real == "double" else np.float32
    arrays = [np.ascontiguousarray(x, dtype=kind) for x in inputs]
    rows = max(len(x) if x.ndim == 2 else 1 for x in arrays)
    outputs = [np.full((rows, port.size), np.nan, kind) for port in program.outputs]
    fault = ctypes.c_ulonglong(2**64 - 1)
    words = []
    for x in arrays:
        words += [
            ctypes.c_void_p(x.ctypes.data),
            ctypes.c_longlong(x.shape[-1] if x.ndim == 2 else 0),
        ]
    words += [ctypes.c_void_p(y.ctypes.data) for y in outputs]
    library.run(ctypes.c_longlong(rows), *words, ctypes.byref(fault))
    return outputs, fault.value
