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

Operand Fill(const ValueType& type, std::vector<float>* memory) {
  Operand operand;
  TensorView& view = operand.tensor;
  view.rank = type.rank();
  for (int axis = 0; axis < view.rank; ++axis) view.dims[axis] = type.dim(axis).value();
  memory->resize(view.elements());
  for (size_t i = 0; i < memory->size(); ++i) {
    (*memory)[i] = static_cast<float>(i % 61) - 30;
  }
  view.data = reinterpret_cast<std::byte*>(memory->data());
  return operand;
}

}  // namespace

MessageCase::MessageCase(const OpDef& op, const MessageForm& form, int ranks, int64_t rows,
                         int64_t columns) {
  Value x = graph_.AddInput("x", ValueType::F32({rows, columns}))->output();
  GraphBuilder builder(&graph_);
  if (&op == &ops::kAllGather) {
    node_ = ops::AllGather(builder, x, /*axis=*/1, ranks, "").node;
    if (!form.name.empty()) ops::SetMessage(node_, form, "");
  } else {
    node_ = ops::AllReduce(builder, x, ranks, "").node;
  }
  for (const CollectiveKernel& kernel : CollectiveKernels()) {
    if (kernel.info.op != &node_->op() || !kernel.info.accepts(*node_).accepted()) continue;
    kernel_ = &kernel;
    break;
  }
  if (kernel_ == nullptr) return;
  copies_.resize(kCopies);
  for (Copy& copy : copies_) {
    copy.input = Fill(node_->input(0).type(), &copy.in);
    copy.output = Fill(node_->result().type, &copy.out);
    copy.workspace.resize(kernel_->info.workspace_bytes(*node_, graph_.symbols()));
  }
}

absl::StatusOr<double> MessageCase::LeastNs(const RankLink& link, int turns, int together) {
  if (kernel_ == nullptr) return absl::InternalError(StrCat("no kernel for ", node_->op().name));
  double best_ns = std::numeric_limits<double>::max();
  for (int first = 0; first < turns * kCopies; first += together) {
    const Clock::time_point start = Clock::now();
    for (Copy& copy : std::span(copies_).subspan(first % kCopies, together)) {
      RETURN_IF_ERROR(kernel_->run({.inputs = {&copy.input, 1},
                                    .outputs = {&copy.output, 1},
                                    .attrs = node_->attrs(),
                                    .workspace = copy.workspace.data()},
                                   link));
    }
    const std::chrono::duration<double, std::nano> elapsed = Clock::now() - start;
    best_ns = std::min(best_ns, elapsed.count() / together);
  }
  return best_ns;
}

double MessageCase::result_elements() const {
  return copies_.empty() ? 0 : static_cast<double>(copies_[0].out.size());
}

}  // namespace infer
