// SPDX-License-Identifier: Apache-2.0
#include "tools/bench/dispatch/dispatch_ways.h"

#include <memory>
#include <thread>
#include <utility>

#include "backends/parallel/tbb_segment.h"
#include "ir/base/status_macros.h"
#include "ir/ops/ops.h"
#include "runtime/thread_team.h"
#if defined(INFER_HAVE_OPENMP)
#include "tools/bench/dispatch/openmp_region.h"
#endif

namespace infer {
namespace {

DispatchWay ByTeam(std::shared_ptr<ThreadTeam> team) {
  return {"team", [team = std::move(team)] {
            (void)team->Run([](void*, int) noexcept {}, nullptr);  // refused only inside a region
          }};
}

// One unit for each thread.
int64_t units_of_empty_kernel = 0;
constexpr CpuKernel kEmptyKernel = {
    .info = {.name = "empty", .op = &ops::kCopy, .target = Target::kParallel, .accepts = nullptr},
    .run = [](const KernelArgs&, int64_t, int64_t) {},
    .units = [](const KernelArgs&) { return units_of_empty_kernel; }};

DispatchWay ByTbb(std::shared_ptr<TbbThreads> threads) {
  static const KernelArgs* const args = new KernelArgs();
  units_of_empty_kernel = threads->threads();
  std::shared_ptr<CompiledSegment> segment = threads->MakeSegment(
      {{&kEmptyKernel, nullptr, nullptr, StepMode::kSliced, true}}, /*scratch_stride=*/0);
  return {"oneTBB", [threads = std::move(threads), segment = std::move(segment)] {
            (void)segment->Run({}, {.args = {args, 1}});  // no stop flag: cannot fail
          }};
}

DispatchWay ByNewThreads(int threads) {
  return {"std::thread",
          [threads] {
            std::vector<std::thread> workers;
            for (int i = 1; i < threads; ++i) workers.emplace_back([] {});
            for (std::thread& worker : workers) worker.join();
          },
          /*starts_threads=*/true};
}

#if defined(INFER_HAVE_OPENMP)
DispatchWay ByOpenMp(std::string name, OpenMpWait wait, int threads) {
  return {std::move(name), [wait, threads, first = true]() mutable {
            if (std::exchange(first, false)) SetOpenMpWait(wait);
            RunEmptyOpenMpRegion(threads);
          }};
}
#endif

}  // namespace

absl::StatusOr<std::vector<DispatchWay>> MakeDispatchWays(int threads) {
  ThreadTeamOptions options;
  options.threads = threads;
  options.adapts = false;
  ASSIGN_OR_RETURN(std::unique_ptr<ThreadTeam> team, ThreadTeam::Create(options));
  ASSIGN_OR_RETURN(std::unique_ptr<TbbThreads> tbb, TbbThreads::Create(threads));
  std::vector<DispatchWay> ways;
  ways.push_back(ByTeam(std::move(team)));
  ways.push_back(ByTbb(std::move(tbb)));
  ways.push_back(ByNewThreads(threads));
#if defined(INFER_HAVE_OPENMP)
  ways.push_back(ByOpenMp("OpenMP", OpenMpWait::kDefault, threads));
  ways.push_back(ByOpenMp("OpenMP active", OpenMpWait::kActive, threads));
  ways.push_back(ByOpenMp("OpenMP passive", OpenMpWait::kPassive, threads));
#endif
  return ways;
}

}  // namespace infer
