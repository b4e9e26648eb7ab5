// SPDX-License-Identifier: Apache-2.0
#include "tools/bench/calibrate/message_case.h"

#include <algorithm>
#include <chrono>
#include <limits>
#include <span>

#include "ir/base/status_macros.h"
#include "ir/base/strings.h"
#include "ir/graph/builder.h"
#include "ir/ops/ops.h"

namespace infer {
namespace {

using Clock = std::chrono::steady_clock;

Operand OperandOf(const ValueType& type) {
  Operand operand;
  TensorView& view = operand.tensor;
  view.dtype = type.tensor.dtype;
  view.rank = type.rank();
  for (int axis = 0; axis < view.rank; ++axis) view.dims[axis] = type.dim(axis).value();
  return operand;
}

}  // namespace

absl::StatusOr<std::unique_ptr<MessageCase>> MessageCase::Create(const OpDef& op,
                                                                 const MessageForm& form,
                                                                 const RankLink& link, Size size) {
  auto made = std::unique_ptr<MessageCase>(new MessageCase(link));
  Graph& graph = made->graph_;
  Value x = graph.AddInput("x", ValueType::F32({size.rows, size.columns}))->output();
  GraphBuilder builder(&graph);
  const int ranks = link.transport->ranks();
  if (&op == &ops::kAllGather) {
    made->node_ = ops::AllGather(builder, x, /*axis=*/1, ranks, "").node;
    if (size.stays) {
      ops::StayRounded(made->node_, 0, "");
    } else if (!form.name.empty()) {
      ops::SetMessage(made->node_, form, "");
    }
  } else {
    made->node_ = ops::AllReduce(builder, x, ranks, "").node;
  }
  const Node& node = *made->node_;
  for (const CollectiveKernel& kernel : CollectiveKernels()) {
    if (kernel.info.op != &node.op() || !kernel.info.accepts(node).accepted()) continue;
    made->kernel_ = &kernel;
    break;
  }
  if (made->kernel_ == nullptr) return absl::InternalError(StrCat("no kernel for ", op.name));
  const Operand result = OperandOf(node.result().type);
  const uint64_t bytes = static_cast<uint64_t>(result.tensor.elements()) * sizeof(float);
  constexpr uint64_t kWhole = SharedRanks::kCommonAlignment;
  const uint64_t common = (kCopies * bytes + kWhole - 1) / kWhole * kWhole;
  if (link.shared != nullptr) {
    ASSIGN_OR_RETURN(made->results_, link.shared->Allocate(common, /*own=*/0));
  }
  if (made->results_ == nullptr) {
    made->link_.shared = nullptr;
    ASSIGN_OR_RETURN(made->results_, CpuSpace().Allocate(common));
  }
  made->copies_.resize(kCopies);
  std::byte* next = made->results_->data();
  for (Copy& copy : made->copies_) {
    copy.input = OperandOf(node.input(0).type());
    copy.in.resize(static_cast<size_t>(copy.input.tensor.elements()));
    for (size_t i = 0; i < copy.in.size(); ++i) copy.in[i] = static_cast<float>(i % 61) - 30;
    copy.input.tensor.data = reinterpret_cast<std::byte*>(copy.in.data());
    copy.output = result;
    copy.output.tensor.data = next;
    next += bytes;
    copy.workspace.resize(made->kernel_->info.workspace_bytes(node, graph.symbols()));
  }
  return made;
}

absl::StatusOr<double> MessageCase::LeastNs(int turns, int together) {
  double best_ns = std::numeric_limits<double>::max();
  for (int first = 0; first < turns * kCopies; first += together) {
    const Clock::time_point start = Clock::now();
    for (Copy& copy : std::span(copies_).subspan(first % kCopies, together)) {
      RETURN_IF_ERROR(kernel_->run({.inputs = {&copy.input, 1},
                                    .outputs = {&copy.output, 1},
                                    .attrs = node_->attrs(),
                                    .workspace = copy.workspace.data()},
                                   link_));
    }
    const std::chrono::duration<double, std::nano> elapsed = Clock::now() - start;
    best_ns = std::min(best_ns, elapsed.count() / together);
  }
  return best_ns;
}

double MessageCase::result_elements() const {
  return static_cast<double>(copies_[0].output.tensor.elements());
}

}  // namespace infer
