// SPDX-License-Identifier: Apache-2.0
#include "backends/backends.h"

#include <algorithm>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "backends/cpu/cpu_backend.h"
#include "backends/cuda/choose_cuda.h"
#include "backends/metal/choose_metal.h"
#include "backends/parallel/kernels.h"
#include "backends/parallel/tbb_segment.h"
#include "backends/parallel/team_segment.h"
#include "backends/ranks/ranks_backend.h"
#include "backends/scalar/kernels.h"
#include "backends/simd/kernels.h"
#include "backends/simd/levels/choose_level.h"
#include "backends/simd/weight_layouts.h"
#include "ir/base/status_macros.h"

namespace infer {
namespace {

bool Has(const std::vector<std::unique_ptr<Backend>>& backends, Device device) {
  return std::ranges::any_of(backends,
                             [&](const auto& backend) { return backend->device() == device; });
}

std::unique_ptr<KernelRegistry> MakeRegistry(std::unique_ptr<CpuThreads> threads,
                                             std::vector<std::unique_ptr<Backend>> more = {}) {
  const std::span<const CpuKernel> tables[] = {ScalarKernels(), SimdKernels(), ParallelKernels()};
  const simd::LevelChoice& choice = simd::ChosenLevel();
  CpuBackendOptions options;
  options.layouts = simd::WeightLayouts();
  if (choice.level == nullptr) options.no_simd = choice.reason;
  options.threads = std::move(threads);
  std::vector<std::unique_ptr<Backend>> backends;
  backends.push_back(std::make_unique<CpuBackend>(tables, std::move(options)));
  const Backend* cpu = backends.back().get();
  std::map<Device, std::string> why_missing;
  metal::MetalChoice metal = metal::ChooseMetal();
  if (metal.backend != nullptr) {
    backends.push_back(std::move(metal.backend));
  } else {
    why_missing[Device::kMetal] = std::move(metal.why_not);
  }
  if (!Has(more, Device::kRanks)) backends.push_back(std::make_unique<RanksBackend>());
  cuda::CudaChoice cuda = cuda::ChooseCuda();
  if (cuda.backend != nullptr) {
    backends.push_back(std::move(cuda.backend));
  } else {
    why_missing[Device::kCuda] = std::move(cuda.why_not);
  }
  for (std::unique_ptr<Backend>& backend : more) {
    if (backend->device() == Device::kRanks) {
      static_cast<RanksBackend&>(*backend).UseThreads(
          [cpu](int64_t count, const auto& body) { cpu->For(count, body); });
    }
    backends.push_back(std::move(backend));
  }
  return std::make_unique<KernelRegistry>(std::move(backends), std::move(why_missing));
}

}  // namespace

std::unique_ptr<KernelRegistry> MakeKernelRegistry(std::vector<std::unique_ptr<Backend>> more) {
  return MakeRegistry(nullptr, std::move(more));
}

absl::StatusOr<std::unique_ptr<KernelRegistry>> MakeKernelRegistry(
    const ThreadTeamOptions& threads, ThreadsBy by, std::vector<std::unique_ptr<Backend>> more) {
  if (threads.threads == 1) return MakeRegistry(nullptr, std::move(more));
  if (by == ThreadsBy::kTbb) {
    ASSIGN_OR_RETURN(std::unique_ptr<TbbThreads> tbb, TbbThreads::Create(threads.threads));
    return MakeRegistry(std::move(tbb), std::move(more));
  }
  ASSIGN_OR_RETURN(std::unique_ptr<ThreadTeam> team, ThreadTeam::Create(threads));
  return MakeRegistry(MakeTeamThreads(std::move(team)), std::move(more));
}

}  // namespace infer
