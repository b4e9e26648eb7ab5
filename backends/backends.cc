// SPDX-License-Identifier: Apache-2.0
#include "backends/backends.h"

#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "backends/cpu/cpu_backend.h"
#include "backends/metal/choose_metal.h"
#include "backends/parallel/kernels.h"
#include "backends/parallel/tbb_segment.h"
#include "backends/scalar/kernels.h"
#include "backends/simd/kernels.h"
#include "backends/simd/level.h"
#include "backends/simd/linear.h"
#include "ir/status_macros.h"

namespace infer {
namespace {

std::unique_ptr<KernelRegistry> MakeRegistry(std::unique_ptr<ThreadTeam> team,
                                             std::shared_ptr<TbbThreads> tbb) {
  const std::span<const CpuKernel> tables[] = {ScalarKernels(), SimdKernels(), ParallelKernels()};
  const simd::LevelChoice& choice = simd::ChosenLevel();
  CpuBackendOptions options;
  options.layouts = simd::WeightLayouts();
  if (choice.level == nullptr) options.no_simd = choice.reason;
  options.team = std::move(team);
  options.tbb = std::move(tbb);
  std::vector<std::unique_ptr<Backend>> backends;
  backends.push_back(std::make_unique<CpuBackend>(tables, std::move(options)));
  std::map<Device, std::string> why_missing;
  metal::MetalChoice metal = metal::ChooseMetal();
  if (metal.backend != nullptr) {
    backends.push_back(std::move(metal.backend));
  } else {
    why_missing[Device::kMetal] = std::move(metal.why_not);
  }
  return std::make_unique<KernelRegistry>(std::move(backends), std::move(why_missing));
}

}  // namespace

std::unique_ptr<KernelRegistry> MakeKernelRegistry() { return MakeRegistry(nullptr, nullptr); }

absl::StatusOr<std::unique_ptr<KernelRegistry>> MakeKernelRegistry(const ThreadTeamOptions& threads,
                                                                   ThreadsBy by) {
  if (threads.threads == 1) return MakeRegistry(nullptr, nullptr);
  if (by == ThreadsBy::kTbb) {
    ASSIGN_OR_RETURN(std::shared_ptr<TbbThreads> tbb, TbbThreads::Create(threads.threads));
    return MakeRegistry(nullptr, std::move(tbb));
  }
  ASSIGN_OR_RETURN(std::unique_ptr<ThreadTeam> team, ThreadTeam::Create(threads));
  return MakeRegistry(std::move(team), nullptr);
}

}  // namespace infer
