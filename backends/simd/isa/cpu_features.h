// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace infer::simd {

// What the CPU and the operating system let this process use, as far as any level asks. Those of
// the other architecture are false.
struct CpuFeatures {
  // aarch64; Advanced SIMD itself is in every such CPU.
  bool dotprod = false;
  bool i8mm = false;
  bool bf16 = false;
  bool fp16 = false;     // arithmetic in half precision
  bool fp16fml = false;  // half products added to single sums
  // x86-64; a feature whose registers the operating system does not save counts as missing.
  bool avx2 = false;
  bool fma = false;
  bool f16c = false;
  bool avx512 = false;  // f, bw, vl and dq together
  bool avx512_vnni = false;
  bool avx512_bf16 = false;
};

// Asked once.
const CpuFeatures& HostCpuFeatures();

}  // namespace infer::simd
