// SPDX-License-Identifier: Apache-2.0
//
// The alternative way to distribute the units of a segment: oneTBB instead of our own team, so that
// the two can be compared.
#pragma once

#include <memory>
#include <vector>

#include "absl/status/statusor.h"
#include "backends/cpu/cpu_segment.h"

namespace infer {

// A oneTBB arena with this many threads, including the caller's.
class TbbThreads : public CpuThreads {
 public:
  // Returns kInvalidArgument for less than one thread or more than ThreadTeam::kMaxThreads.
  static absl::StatusOr<std::unique_ptr<TbbThreads>> Create(int threads);
  ~TbbThreads() override;

  int threads() const override { return threads_; }
  // Creates a segment with one parallel loop over units for each phase of a sliced step; serial
  // steps run on the calling thread.
  std::unique_ptr<CompiledSegment> MakeSegment(std::vector<CpuStep> steps,
                                               uint64_t scratch_stride) override;

  void For(int64_t count, const std::function<void(int64_t)>& body) override;

  // Calls function(context) on the calling thread as a member of the arena: parallel loops inside
  // are distributed over its threads.
  using Function = void (*)(void* context);
  void Execute(Function function, void* context);

 private:
  struct Arena;
  TbbThreads(int threads, std::unique_ptr<Arena> arena);

  const int threads_;
  std::unique_ptr<Arena> arena_;  // keeps the library's headers out of here
};

}  // namespace infer
