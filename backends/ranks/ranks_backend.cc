// SPDX-License-Identifier: Apache-2.0
#include "backends/ranks/ranks_backend.h"

#include <utility>

#include "ir/base/status_macros.h"
#include "ir/base/strings.h"
#include "ir/graph/node_name.h"
#include "runtime/shared_ranks.h"

namespace infer {
namespace {

// Before the name of the node in which a rank failed. The error of another rank names its own.
constexpr std::string_view kIn = " (in ";

// Calls whose results of collectives lie in memory of all ranks.
class CommonCalls final : public DeviceContext {
 public:
  explicit CommonCalls(SharedRanks* ranks) : ranks_(ranks) {}
  SharedRanks* ranks() const { return ranks_; }

  // Only after this has every rank finished reading what the last call left there.
  absl::Status Begin(const Batch&) override { return ranks_->Meet(); }

 private:
  SharedRanks* ranks_;
};

class RanksSegment final : public CompiledSegment {
 public:
  RanksSegment(std::vector<PreparedStep> steps, const RankLink& link)
      : steps_(std::move(steps)), link_(link) {
    std::erase_if(steps_, [](const PreparedStep& step) { return !step.bound; });  // views
  }

  // Never stops between steps: the other ranks would wait for this one.
  absl::Status Run(const RunContext& context, const SegmentCall& call) const override {
    for (const PreparedStep& step : steps_) {
      const int64_t start_ns = context.events == nullptr ? 0 : StepClockNs();
      int64_t waited_ns = 0;
      RankLink link = link_;
      if (call.device != nullptr) link.shared = static_cast<CommonCalls*>(call.device)->ranks();
      if (context.events != nullptr) link.waited_ns = &waited_ns;
      const KernelArgs& args = call.args[step.number];
      const auto* kernel = static_cast<const CollectiveKernel*>(step.bound.kernel);
      if (absl::Status status = kernel->run(args, link); !status.ok()) {
        if (ToStd(status.message()).find(kIn) != std::string_view::npos) return status;
        return absl::Status(status.code(),
                            StrCat(ToStd(status.message()), kIn, NodeName(*step.node), ")"));
      }
      if (context.observer != nullptr) context.observer->AfterStep(*step.node, args);
      if (context.events == nullptr) continue;
      const int64_t end_ns = StepClockNs();
      context.events->thread(0)[step.number] = {start_ns, end_ns, end_ns, waited_ns};
    }
    return absl::OkStatus();
  }

 private:
  std::vector<PreparedStep> steps_;
  RankLink link_;
};

}  // namespace

RanksBackend::RanksBackend(std::shared_ptr<Collective> transport)
    : transport_(std::move(transport)), link_{.transport = transport_.get()} {
  for (const CollectiveKernel& kernel : CollectiveKernels()) kernels_.push_back(kernel.info);
}

std::string RanksBackend::Description() const {
  if (transport_ == nullptr) return "processes that mpirun starts; this one runs alone";
  return StrCat("rank ", transport_->rank(), " of ", transport_->ranks());
}

absl::StatusOr<BoundKernel> RanksBackend::Bind(const Node& node, std::string_view name) const {
  for (const CollectiveKernel& kernel : CollectiveKernels()) {
    if (kernel.info.name != name) continue;
    if (transport_ == nullptr) {
      return absl::FailedPreconditionError(
          StrCat("node ", NodeName(node),
                 " needs other ranks, but this process runs alone; start it with mpirun"));
    }
    return BoundKernel{.kernel = &kernel};
  }
  return absl::UnimplementedError(StrCat("kernel ", name, " is not in this build"));
}

// The memory of a call begins with what ranks have in common.
absl::StatusOr<std::unique_ptr<DeviceContext>> RanksBackend::MakeContext(
    std::span<const MemorySpan> memory) const {
  auto* ranks = dynamic_cast<SharedRanks*>(transport_.get());
  if (ranks == nullptr) return nullptr;
  for (const MemorySpan& span : memory) {
    if (span.use == MemorySpan::Use::kActivations && ranks->IsCommon(span.bytes.data())) {
      return std::make_unique<CommonCalls>(ranks);
    }
  }
  return nullptr;
}

absl::StatusOr<std::unique_ptr<CompiledSegment>> RanksBackend::Prepare(
    std::vector<PreparedStep> steps, uint64_t) const {
  return std::make_unique<RanksSegment>(std::move(steps), link_);
}

}  // namespace infer
