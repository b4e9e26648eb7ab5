// SPDX-License-Identifier: Apache-2.0
#include "tools/cli/build_info.h"

#include "ir/strings.h"
#include "tools/cli/flag_text.h"

#if defined(__linux__) && defined(__aarch64__)
#include <asm/hwcap.h>
#include <sys/auxv.h>
#elif defined(__APPLE__)
#include <sys/sysctl.h>
#endif

namespace infer {
namespace {

#if defined(__aarch64__) || defined(__arm64__)
constexpr char kArchitecture[] = "aarch64";
#elif defined(__x86_64__)
constexpr char kArchitecture[] = "x86_64";
#else
constexpr char kArchitecture[] = "other";
#endif

#if defined(__clang__)
constexpr char kCompiler[] = "clang " __clang_version__;
#else
constexpr char kCompiler[] = "gcc " __VERSION__;
#endif

}  // namespace

std::string GitRevision() { return INFER_BUILD_GIT_HASH; }

std::vector<std::string> CpuFeatures() {
  std::vector<std::string> features;
#if defined(__linux__) && defined(__aarch64__)
  unsigned long hwcap = getauxval(AT_HWCAP);
  unsigned long hwcap2 = getauxval(AT_HWCAP2);
  if (hwcap & HWCAP_ASIMD) features.push_back("asimd");
  if (hwcap & HWCAP_ASIMDHP) features.push_back("asimdhp");
  if (hwcap & HWCAP_ASIMDDP) features.push_back("asimddp");
  if (hwcap & HWCAP_SVE) features.push_back("sve");
  if (hwcap2 & HWCAP2_SVE2) features.push_back("sve2");
  if (hwcap2 & HWCAP2_I8MM) features.push_back("i8mm");
  if (hwcap2 & HWCAP2_BF16) features.push_back("bf16");
#elif defined(__APPLE__)
  for (const char* name : {"FEAT_FP16", "FEAT_DotProd", "FEAT_I8MM", "FEAT_BF16", "FEAT_SME"}) {
    int present = 0;
    size_t bytes = sizeof(present);
    std::string key = StrCat("hw.optional.arm.", name);
    if (sysctlbyname(key.c_str(), &present, &bytes, nullptr, 0) == 0 && present != 0) {
      features.push_back(name);
    }
  }
#elif defined(__x86_64__)
  __builtin_cpu_init();
  if (__builtin_cpu_supports("sse4.2")) features.push_back("sse4.2");
  if (__builtin_cpu_supports("avx")) features.push_back("avx");
  if (__builtin_cpu_supports("avx2")) features.push_back("avx2");
  if (__builtin_cpu_supports("fma")) features.push_back("fma");
  if (__builtin_cpu_supports("avx512f")) features.push_back("avx512f");
  if (__builtin_cpu_supports("avx512bw")) features.push_back("avx512bw");
  if (__builtin_cpu_supports("avx512vnni")) features.push_back("avx512vnni");
#endif
  return features;
}

std::string VersionText() {
  std::vector<std::string> features = CpuFeatures();
  std::string sanitizers = INFER_BUILD_SANITIZERS;
  return StrCat("infer ", INFER_BUILD_VERSION, " (git ", INFER_BUILD_GIT_HASH, ")\n",
                "compiler: ", kCompiler, "\n", "build type: ", INFER_BUILD_TYPE,
                sanitizers.empty() ? "" : ", sanitizers: ", sanitizers, "\n",
                "back ends: ", INFER_BUILD_BACKENDS, "\n", "cpu: ", kArchitecture, ": ",
                features.empty() ? "none known" : JoinWords(features, " "), "\n");
}

}  // namespace infer
