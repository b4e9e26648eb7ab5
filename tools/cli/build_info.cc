// SPDX-License-Identifier: Apache-2.0
#include "tools/cli/build_info.h"

#include <string_view>
#include <utility>

#include "backends/simd/isa/cpu_features.h"
#include "ir/base/strings.h"
#include "tools/cli/flag_text.h"

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

std::string ProjectVersion() { return INFER_BUILD_VERSION; }

std::string GitRevision() { return INFER_BUILD_GIT_HASH; }

std::string CpuArchitecture() { return kArchitecture; }

std::vector<std::string> CpuFeatures() {
  const simd::CpuFeatures& cpu = simd::HostCpuFeatures();
#if defined(__aarch64__) || defined(__arm64__)
  constexpr bool kHasAsimd = true;
#else
  constexpr bool kHasAsimd = false;
#endif
  const std::pair<bool, std::string_view> known[] = {
      {kHasAsimd, "asimd"},       {cpu.fp16, "asimdhp"},
      {cpu.dotprod, "asimddp"},   {cpu.fp16fml, "asimdfhm"},
      {cpu.i8mm, "i8mm"},         {cpu.bf16, "bf16"},
      {cpu.avx2, "avx2"},         {cpu.fma, "fma"},
      {cpu.f16c, "f16c"},         {cpu.avx512, "avx512f"},
      {cpu.avx512, "avx512bw"},   {cpu.avx512, "avx512vl"},
      {cpu.avx512, "avx512dq"},   {cpu.avx512_vnni, "avx512_vnni"},
      {cpu.avx_vnni, "avx_vnni"}, {cpu.avx512_bf16, "avx512_bf16"},
      {cpu.amx_bf16, "amx_tile"}, {cpu.amx_bf16, "amx_bf16"},
  };
  std::vector<std::string> features;
  for (const auto& [present, name] : known) {
    if (present) features.emplace_back(name);
  }
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
