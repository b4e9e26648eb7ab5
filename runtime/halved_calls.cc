// SPDX-License-Identifier: Apache-2.0
#include "runtime/halved_calls.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "ir/base/hash.h"
#include "ir/base/status_macros.h"
#include "ir/graph/plan.h"
#include "runtime/shared_ranks.h"

namespace infer {
namespace {

// The number of messages of a half, with and without rows of logits.
void AddMessages(const ExecutableRegime& regime, Hasher* hasher) {
  for (const ExecutableRegime::BoundSegment& segment : regime.segments) {
    hasher->Add(uint64_t{segment.sends}).Add(uint64_t{segment.is_for_rows});
  }
}

// While a half waits for messages, all threads of the CPU back end compute.
class BusyThreads {
 public:
  explicit BusyThreads(const KernelRegistry& registry) : ranks_(*registry.collective()) {
    ranks_.SetBusyThreads(registry.backend(Device::kCpu)->threads());
  }
  ~BusyThreads() { ranks_.SetBusyThreads(0); }
  BusyThreads(const BusyThreads&) = delete;
  BusyThreads& operator=(const BusyThreads&) = delete;

 private:
  Collective& ranks_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<HalvedCalls>> HalvedCalls::Create(Executor* first,
                                                                 std::span<const KvView> states,
                                                                 std::span<const std::byte> cache,
                                                                 int64_t most_sequences) {
  const Executable& executable = first->executable();
  Collective* ranks = executable.registry().collective();
  if (ranks == nullptr || first->context().is_common()) return nullptr;
  std::vector<Calls> calls;
  Hasher hasher;
  for (const ExecutableRegime& regime : executable.regimes()) {
    const Calls found = CallsOf(*regime.regime, executable.registry());
    if (!found.tokens.is_set()) continue;
    calls.push_back(found);
    for (int64_t number :
         {found.tokens.min, found.tokens.max, found.least_of_half, found.least_of_part}) {
      hasher.Add(uint64_t(number));
    }
    AddMessages(regime, &hasher);
  }
  // Ranks with other machine descriptions may have planned otherwise.
  ASSIGN_OR_RETURN(const bool is_same, IsSameOnAll(hasher.Finish(), *ranks));
  if (!is_same || calls.empty()) return nullptr;
  ASSIGN_OR_RETURN(std::unique_ptr<CallContext> second,
                   CallContext::Create(executable, states, cache, &first->context()));
  ASSIGN_OR_RETURN(std::unique_ptr<SegmentQueue> queue, SegmentQueue::Create());
  return std::unique_ptr<HalvedCalls>(new HalvedCalls(std::move(calls), first, std::move(second),
                                                      std::move(queue), most_sequences));
}

// Numerics belong to this machine's kernels: a Program from another one may find others here.
HalvedCalls::Calls HalvedCalls::CallsOf(const Regime& regime, const KernelRegistry& registry) {
  const std::optional<Halves>& halves = regime.graph.plan()->halves;
  if (!halves) return {};
  Calls calls = {{halves->min_tokens, regime.max_tokens}, regime.min_tokens, 1};
  for (const Node* node : regime.graph.nodes()) {
    if (!node->placement() || node->op().traits.view) continue;
    const KernelInfo& info = *registry.kernel(node->placement()->kernel);
    const KernelRecord here = RecordOf(info, *node, regime.graph.symbols());
    if (here.numerics.empty() && here.numerics_from == 0) return {};
    calls.least_of_part = std::max(calls.least_of_part, here.numerics_from);
  }
  return calls;
}

HalvedCalls::HalvedCalls(std::vector<Calls> calls, Executor* first,
                         std::unique_ptr<CallContext> second, std::unique_ptr<SegmentQueue> queue,
                         int64_t most_sequences)
    : calls_(std::move(calls)),
      context_(std::move(second)),
      second_(&first->executable(), context_.get()),
      executors_{first, &second_},
      halves_(executable().program().symbols[Symbol::kT].max, most_sequences),
      queue_(std::move(queue)) {}

int64_t HalvedCalls::TokensOfFirst(const Batch& batch) const {
  for (const Calls& calls : calls_) {
    if (!calls.tokens.Contains(std::ssize(batch.token_seq))) continue;
    return MiddleOf(batch, calls.least_of_half, calls.least_of_part);
  }
  return 0;
}

absl::Status HalvedCalls::Run(std::span<const int32_t> tokens, const Batch& batch) {
  const BusyThreads busy(executable().registry());
  const int64_t tokens_of_first = TokensOfFirst(batch);
  if (tokens_of_first == 0) return absl::InternalError("a call cannot be halved here");
  halves_.Divide(tokens, batch, tokens_of_first);
  for (size_t i = 0; i < 2; ++i) {
    const std::array<std::span<const std::byte>, 2> inputs = {std::as_bytes(halves_[i].tokens), {}};
    RETURN_IF_ERROR(executors_[i]->Begin(halves_[i].symbols, inputs, halves_[i].batch));
  }
  absl::Status status = RunSegments();
  // What is under way still uses the memory of the call.
  for (size_t i = 0; i < 2; ++i) status.Update(Wait(i));
  RETURN_IF_ERROR(status);
  for (size_t i = 0; i < 2; ++i) RETURN_IF_ERROR(executors_[i]->End(halves_[i].symbols));
  return absl::OkStatus();
}

absl::Status HalvedCalls::RunSegments() {
  std::array<size_t, 2> next = {};
  const size_t segments = executors_[0]->segments().size();
  while (next[0] < segments || next[1] < segments) {
    for (size_t half = 0; half < 2; ++half) RETURN_IF_ERROR(RunPart(half, &next[half]));
  }
  return absl::OkStatus();
}

// Runs the segments up to the one that sends, and leaves sending to the other thread.
absl::Status HalvedCalls::RunPart(size_t half, size_t* segment) {
  RETURN_IF_ERROR(Wait(half));
  const std::span<const ExecutableRegime::BoundSegment> segments = executors_[half]->segments();
  while (*segment < segments.size()) {
    const ExecutableRegime::BoundSegment& bound = segments[*segment];
    if (bound.is_for_rows && !halves_[half].wants_rows) {
      *segment = segments.size();
      return absl::OkStatus();
    }
    ++*segment;
    if (bound.sends) {
      RETURN_IF_ERROR(executors_[half]->RunSegment(bound, RunContext::Exchange::kWrite));
      sending_[half] = {&bound, queue_->Submit(*executors_[half], bound)};
      return absl::OkStatus();
    }
    RETURN_IF_ERROR(executors_[half]->RunSegment(bound));
  }
  return absl::OkStatus();
}

absl::Status HalvedCalls::Wait(size_t half) {
  if (!sending_[half]) return absl::OkStatus();
  const Sending sent = *std::exchange(sending_[half], std::nullopt);
  RETURN_IF_ERROR(queue_->Wait(sent.ticket));
  return executors_[half]->RunSegment(*sent.segment, RunContext::Exchange::kRead);
}

std::span<const std::byte> HalvedCalls::result_row(int i, int64_t row) const {
  const int64_t of_first = halves_[0].wants_rows ? halves_[0].symbols.r : 0;
  if (row < of_first) return executors_[0]->result_row(i, row);
  return executors_[1]->result_row(i, row - of_first);
}

}  // namespace infer
