// SPDX-License-Identifier: Apache-2.0
//
// What the language offers, one family in a kernel. Thread i writes out[i], or several numbers from
// out[16 * i] on.
#include <metal_stdlib>
#include <metal_simdgroup_matrix>
using namespace metal;

kernel void shuffles(device float* out [[buffer(0)]], ushort lane [[thread_index_in_simdgroup]]) {
  device float* mine = out + 16 * lane;
  const float value = float(lane);
  mine[0] = simd_shuffle(value, 31 - lane);
  mine[1] = simd_shuffle_xor(value, 5);
  mine[2] = simd_shuffle_down(value, 4);
  mine[3] = simd_shuffle_up(value, 4);
  mine[4] = simd_broadcast(value, 7);
  mine[5] = simd_broadcast_first(value + 0.5f);
  mine[6] = simd_shuffle_rotate_down(value, 3);
  mine[7] = simd_shuffle_rotate_up(value, 3);
  mine[8] = simd_shuffle(float2(value, -value), 9).y;
}

kernel void reductions(device float* out [[buffer(0)]], device const float* in [[buffer(1)]],
                       ushort lane [[thread_index_in_simdgroup]]) {
  device float* mine = out + 16 * lane;
  const float value = in[lane];
  const int number = int(lane) + 1;
  mine[0] = simd_sum(value);
  mine[1] = simd_max(value);
  mine[2] = simd_min(value);
  mine[3] = simd_prefix_exclusive_sum(value);
  mine[4] = simd_prefix_inclusive_sum(value);
  mine[5] = float(simd_sum(number));
  mine[6] = float(simd_xor(number));
  mine[7] = float(simd_or(number) & 63);
  mine[8] = float(simd_and(number | 64));
  mine[9] = simd_all(number > 0) ? 1.0f : 0.0f;
  mine[10] = simd_any(number > 32) ? 1.0f : 0.0f;
  mine[11] = float(simd_sum(half(1.0h)));
  mine[12] = simd_sum(float4(value, 1.0f, 2.0f, 3.0f)).w;
}

kernel void vectors(device float* out [[buffer(0)]], device const half4* halves [[buffer(1)]],
                    device const packed_float3* packed [[buffer(2)]]) {
  half4 h = halves[0];
  h.xy = h.yx * half2(2.0h, 0.5h);
  const float4 f = float4(h);
  for (uint i = 0; i < 4; ++i) out[i] = f[i];
  const float3 p = float3(packed[1]);
  out[4] = p.x + 10.0f * p.y + 100.0f * p.z;
  out[5] = dot(f, float4(1.0));
  out[6] = float4(float2(1, 2), 3, 4).w;
  out[7] = clamp(float4(-1, 0.5, 2, 9), 0.0f, 1.0f).z;
  out[8] = float(char4(-1, -2, -3, -4).w);
  out[9] = float(uchar4(uchar(255)).x);
  out[10] = select(float4(1), float4(2), float4(1, 2, 3, 4) > float4(2)).w;
  out[11] = any(int2(0, 1) > int2(0)) && !all(int2(0, 1) > int2(0)) ? 1.0f : 0.0f;
  device const packed_float4* four = (device const packed_float4*)(packed);
  out[12] = float4(four[0]).w;
  out[13] = float(sizeof(packed_float3)) + float(sizeof(float3)) / 100.0f;
  out[14] = length(float2(3, 4));
  out[15] = max(int2(3, -4), int2(1)).y;
}

kernel void bits(device uint* out [[buffer(0)]], device atomic_uint* counter [[buffer(1)]],
                 device atomic_int* largest [[buffer(2)]], uint i [[thread_position_in_grid]]) {
  atomic_fetch_add_explicit(counter, 2u, memory_order_relaxed);
  atomic_fetch_max_explicit(largest, int(i), memory_order_relaxed);
  if (i > 0) return;
  out[0] = as_type<uint>(1.0f);
  out[1] = uint(as_type<ushort>(half(1.0h)));
  out[2] = as_type<uint>(ushort2(1, 2));
  out[3] = popcount(0xF0F0u);
  out[4] = clz(1u);
  out[5] = ctz(8u);
  out[6] = extract_bits(0xABCDu, 4, 8);
  const char small = -1;  // signed on every machine
  out[7] = small < 0 ? 1 : 0;
  out[8] = uint(as_type<ushort>(bfloat(1.0f)));
  out[9] = uint(sizeof(long));
  out[10] = uint(numeric_limits<half>::max());
  out[11] = as_type<uint>(1.0 / 3.0);  // floats, not doubles
}

kernel void mathematics(device float* out [[buffer(0)]]) {
  const float x = 0.75f;
  out[0] = exp(x);
  out[1] = precise::log(x);
  out[2] = fast::tanh(x);
  out[3] = rsqrt(x);
  out[4] = pow(x, 3.0f);
  out[5] = float(exp(half(1.0h)));
  out[6] = fma(x, x, 1.0f);
  out[7] = rint(2.5f) + round(2.5f);
  out[8] = fmod(7.0f, 4.0f);
  out[9] = mix(1.0f, 3.0f, 0.25f);
  out[10] = sign(-2.0f) + abs(-3);
  out[11] = exp2(float4(1, 2, 3, 4)).z;
  float cosine;
  out[12] = sincos(x, cosine);
  out[13] = cosine;
  out[14] = isnan(NAN) && isinf(-INFINITY) ? 1.0f : 0.0f;
  out[15] = M_PI_F;
}

// Where each element of an 8x8 matrix lies: the lane, and which of its two.
kernel void matrix_layout(device float* out [[buffer(0)]],
                          ushort lane [[thread_index_in_simdgroup]]) {
  simdgroup_float8x8 matrix;
  matrix.thread_elements()[0] = float(lane);
  matrix.thread_elements()[1] = float(lane) + 0.5f;
  simdgroup_store(matrix, out, 8);
}

template <typename T>
kernel void matrix_product(device T* out [[buffer(0)]], device const T* in [[buffer(1)]]) {
  simdgroup_matrix<T, 8, 8> left, right, product;
  simdgroup_load(left, in, 8);
  simdgroup_load(right, in, 8, ulong2(0, 8), true);
  simdgroup_multiply(product, left, right);
  simdgroup_multiply_accumulate(product, left, make_diagonal_simdgroup_matrix<T, 8>(T(2)), product);
  simdgroup_store(product, out, 8, ulong2(0, 0), true);
}
template [[host_name("matrix_product_f32")]] kernel decltype(matrix_product<float>)
    matrix_product<float>;
template [[host_name("matrix_product_f16")]] kernel decltype(matrix_product<half>)
    matrix_product<half>;

kernel void positions(device uint* out [[buffer(0)]], uint3 at [[thread_position_in_grid]],
                      uint3 group [[threadgroup_position_in_grid]],
                      ushort3 in [[thread_position_in_threadgroup]],
                      uint index [[thread_index_in_threadgroup]],
                      ushort lane [[thread_index_in_simdgroup]],
                      ushort simd [[simdgroup_index_in_threadgroup]],
                      ushort simds [[simdgroups_per_threadgroup]],
                      uint width [[threads_per_simdgroup]],
                      uint3 group_size [[threads_per_threadgroup]],
                      uint3 groups [[threadgroups_per_grid]], uint3 grid [[threads_per_grid]]) {
  device uint* mine = out + 16 * (at.x + grid.x * (at.y + grid.y * at.z));
  mine[0] = group.x + 10 * group.y + 100 * group.z;
  mine[1] = in.x + 100 * in.y + 1000 * in.z;
  mine[2] = index;
  mine[3] = lane + 100 * simd;
  mine[4] = simds + 100 * width;
  mine[5] = group_size.x + 100 * group_size.y + 1000 * group_size.z;
  mine[6] = groups.x + 10 * groups.y;
  mine[7] = grid.x + 1000 * grid.y;
}
