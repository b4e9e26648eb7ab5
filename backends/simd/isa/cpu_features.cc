// SPDX-License-Identifier: Apache-2.0
#include "backends/simd/isa/cpu_features.h"

#include <cstdint>

#if defined(__aarch64__) && defined(__linux__)
#include <asm/hwcap.h>
#include <sys/auxv.h>
#elif defined(__aarch64__) && defined(__APPLE__)
#include <sys/sysctl.h>
#elif defined(__x86_64__)
#include <cpuid.h>
#if defined(__linux__)
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#endif
#endif

namespace infer::simd {
namespace {

#if defined(__aarch64__) && defined(__linux__)

CpuFeatures Ask() {
  const uint64_t caps = getauxval(AT_HWCAP);
  const uint64_t caps2 = getauxval(AT_HWCAP2);
  return {.dotprod = (caps & HWCAP_ASIMDDP) != 0,
          .i8mm = (caps2 & HWCAP2_I8MM) != 0,
          .bf16 = (caps2 & HWCAP2_BF16) != 0,
          .fp16 = (caps & HWCAP_FPHP) != 0 && (caps & HWCAP_ASIMDHP) != 0,
          .fp16fml = (caps & HWCAP_ASIMDFHM) != 0};
}

#elif defined(__aarch64__) && defined(__APPLE__)

bool Has(const char* name) {
  int value = 0;
  size_t bytes = sizeof(value);
  return sysctlbyname(name, &value, &bytes, nullptr, 0) == 0 && value != 0;
}

CpuFeatures Ask() {
  return {.dotprod = Has("hw.optional.arm.FEAT_DotProd"),
          .i8mm = Has("hw.optional.arm.FEAT_I8MM"),
          .bf16 = Has("hw.optional.arm.FEAT_BF16"),
          .fp16 = Has("hw.optional.arm.FEAT_FP16"),
          .fp16fml = Has("hw.optional.arm.FEAT_FHM")};
}

#elif defined(__x86_64__)

struct Registers {
  uint32_t eax = 0, ebx = 0, ecx = 0, edx = 0;
};

Registers Cpuid(uint32_t leaf, uint32_t subleaf) {
  Registers r;
  __get_cpuid_count(leaf, subleaf, &r.eax, &r.ebx, &r.ecx, &r.edx);
  return r;
}

constexpr bool Bit(uint32_t value, int bit) { return (value >> bit & 1) != 0; }

// Returns which register files the operating system saves on a task switch; requires OSXSAVE.
uint32_t SavedState() {
  uint32_t low, high;
  __asm__("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return low;
}

// Asks the system for the registers of AMX, once for the whole process, and returns why they cannot
// be used. A process that does not ask is ended at its first tile.
const char* AskForTiles(uint32_t saved) {
  if ((saved & 0x60000) != 0x60000) return "the operating system does not save AMX tiles";
#if defined(__linux__)
  constexpr long kRequestPermission = 0x1023;  // ARCH_REQ_XCOMP_PERM
  constexpr long kTileData = 18;               // the number of the register file
  if (syscall(SYS_arch_prctl, kRequestPermission, kTileData) == 0) return "";
  return errno == ENOSPC ? "the alternate signal stack of a thread is too small for AMX tiles"
                         : "the operating system refuses AMX tiles";
#else
  return "";
#endif
}

CpuFeatures Ask() {
  const Registers one = Cpuid(1, 0);
  if (!Bit(one.ecx, 27)) return {};  // OSXSAVE
  const uint32_t saved = SavedState();
  const bool ymm = (saved & 0x06) == 0x06;
  const bool zmm = (saved & 0xe6) == 0xe6;  // including the mask registers and both parts of zmm
  const Registers seven = Cpuid(7, 0);
  const Registers seven_one = seven.eax >= 1 ? Cpuid(7, 1) : Registers{};
  const bool avx512 =
      zmm && Bit(seven.ebx, 16) && Bit(seven.ebx, 17) && Bit(seven.ebx, 30) && Bit(seven.ebx, 31);
  const bool avx512_bf16 = avx512 && Bit(seven_one.eax, 5);
  const bool has_tiles = avx512_bf16 && Bit(seven.edx, 24) && Bit(seven.edx, 22);
  const char* refused = has_tiles ? AskForTiles(saved) : "";
  return {.avx2 = ymm && Bit(one.ecx, 28) && Bit(seven.ebx, 5),
          .fma = ymm && Bit(one.ecx, 12),
          .f16c = ymm && Bit(one.ecx, 29),
          .avx512 = avx512,
          .avx512_vnni = avx512 && Bit(seven.ecx, 11),
          .avx_vnni = ymm && Bit(seven_one.eax, 4),
          .avx512_bf16 = avx512_bf16,
          .amx_bf16 = has_tiles && *refused == 0,
          .amx_refused = refused};
}

#else

CpuFeatures Ask() { return {}; }

#endif

}  // namespace

const CpuFeatures& HostCpuFeatures() {
  static const CpuFeatures features = Ask();
  return features;
}

}  // namespace infer::simd
