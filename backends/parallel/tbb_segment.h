// SPDX-License-Identifier: Apache-2.0
//
// The other way to share out the units of a segment: oneTBB instead of our own team, so that the
// choice between the two stays measured.
#pragma once

#include <memory>
#include <vector>

#include "absl/status/statusor.h"
#include "backends/cpu/cpu_segment.h"

namespace infer {

// An arena of oneTBB with so many threads, the caller's among them.
class TbbThreads : public CpuThreads {
 public:
  // kInvalidArgument for less than one thread or more than ThreadTeam::kMaxThreads.
  static absl::StatusOr<std::unique_ptr<TbbThreads>> Create(int threads);
  ~TbbThreads() override;

  int threads() const override { return threads_; }
  // One parallel loop over units for each phase of a sliced step; serial steps run on the calling
  // thread.
  std::unique_ptr<CompiledSegment> MakeSegment(std::vector<CpuStep> steps,
                                               uint64_t scratch_stride) override;

  void For(int64_t count, const std::function<void(int64_t)>& body) override;

  // Calls loop(context) on the calling thread as a member of the arena: loops inside are shared out
  // over its threads.
  using Function = void (*)(void* context);
  void Execute(Function function, void* context);

 private:
  struct Arena;
  TbbThreads(int threads, std::unique_ptr<Arena> arena);

  const int threads_;
  std::unique_ptr<Arena> arena_;  // keeps the library's headers out of here
};

}  // namespace infer
