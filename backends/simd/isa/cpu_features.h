// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace infer::simd {

// The CPU features that any level needs and that both the CPU and the operating system support.
// Those of the other architecture are false.
struct CpuFeatures {
  // aarch64; every such CPU has Advanced SIMD itself.
  bool dotprod = false;
  bool i8mm = false;
  bool bf16 = false;
  bool fp16 = false;     // arithmetic in half precision
  bool fp16fml = false;  // products of halves added to single-precision sums
  // x86-64; a feature whose registers the operating system does not save counts as missing.
  bool avx2 = false;
  bool fma = false;
  bool f16c = false;
  bool avx512 = false;  // f, bw, vl and dq together
  bool avx512_vnni = false;
  bool avx_vnni = false;
  bool avx512_bf16 = false;
  bool amx_bf16 = false;         // with amx_tile and avx512_bf16, and allowed to this process
  const char* amx_refused = "";  // why not, where the CPU has it
};

// Detected once.
const CpuFeatures& HostCpuFeatures();

}  // namespace infer::simd
