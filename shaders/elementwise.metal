// SPDX-License-Identifier: Apache-2.0
//
// Elementwise ops: add, mul, scale, add_scalar, silu, swiglu, rsqrt, copy. The result may be the
// memory of x.
#include <metal_stdlib>
using namespace metal;

#include "args.h"
using namespace infer::shader;

// Whether y is a vector along the last axis instead of having the size of x.
constant int kBroadcast [[function_constant(0)]];

// Elements per thread: one load of 16 bytes if the compiler combines them.
enum : uint { kPerThread = 4 };

struct Add {
  static float Apply(float x, float y) { return x + y; }
};
struct Mul {
  static float Apply(float x, float y) { return x * y; }
};
struct Swiglu {
  static float Apply(float x, float y) { return x / (1.0f + precise::exp(-x)) * y; }
};

template <typename Op>
kernel void Binary(constant ElementArgs& p [[buffer(0)]], device const float* x [[buffer(1)]],
                   device const float* y [[buffer(2)]], device float* out [[buffer(3)]],
                   uint thread_index [[thread_position_in_grid]]) {
  const uint begin = thread_index * kPerThread;
  const uint end = min(begin + kPerThread, p.count);
  for (uint i = begin; i < end; ++i) {
    const uint at = kBroadcast != 0 ? i % p.period : i;
    out[i] = Op::Apply(x[i], y[at]);
  }
}

template [[host_name("add_f32")]] kernel decltype(Binary<Add>) Binary<Add>;
template [[host_name("mul_f32")]] kernel decltype(Binary<Mul>) Binary<Mul>;
template [[host_name("swiglu_f32")]] kernel decltype(Binary<Swiglu>) Binary<Swiglu>;

struct Scale {
  static float Apply(float x, float value) { return x * value; }
};
struct AddScalar {
  static float Apply(float x, float value) { return x + value; }
};
struct Silu {
  static float Apply(float x, float) { return x / (1.0f + precise::exp(-x)); }
};
struct Rsqrt {
  static float Apply(float x, float) { return precise::rsqrt(x); }
};
struct Copy {
  static float Apply(float x, float) { return x; }
};

template <typename Op>
kernel void Unary(constant ElementArgs& p [[buffer(0)]], device const float* x [[buffer(1)]],
                  device float* out [[buffer(2)]], uint thread_index [[thread_position_in_grid]]) {
  const uint begin = thread_index * kPerThread;
  const uint end = min(begin + kPerThread, p.count);
  for (uint i = begin; i < end; ++i) out[i] = Op::Apply(x[i], p.value);
}

template [[host_name("scale_f32")]] kernel decltype(Unary<Scale>) Unary<Scale>;
template [[host_name("add_scalar_f32")]] kernel decltype(Unary<AddScalar>) Unary<AddScalar>;
template [[host_name("silu_f32")]] kernel decltype(Unary<Silu>) Unary<Silu>;
template [[host_name("rsqrt_f32")]] kernel decltype(Unary<Rsqrt>) Unary<Rsqrt>;
template [[host_name("copy_f32")]] kernel decltype(Unary<Copy>) Unary<Copy>;
