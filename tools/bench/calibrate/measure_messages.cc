// SPDX-License-Identifier: Apache-2.0
#include "tools/bench/calibrate/measure_messages.h"

#include <algorithm>
#include <chrono>
#include <limits>
#include <string>
#include <vector>

#include "backends/ranks/collective_kernels.h"
#include "ir/base/status_macros.h"
#include "ir/base/strings.h"
#include "ir/graph/builder.h"
#include "ir/ops/message.h"
#include "ir/ops/ops.h"

namespace infer {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kRanks = 2;
constexpr int64_t kColumns = 1024;  // of a part: blocks of every form
constexpr int64_t kRows[] = {1, 16, 128};
constexpr int kBatches = 50;
constexpr int64_t kBatchElements = int64_t{1} << 18;

// Exchanges take no time, and what the other rank would send is what was there before.
class Instant final : public Collective {
 public:
  int rank() const override { return 0; }
  int ranks() const override { return kRanks; }
  absl::Status AllGather(std::span<const std::byte>, std::byte*) override {
    return absl::OkStatus();
  }
  absl::Status AllToAll(const std::byte*, std::byte*, size_t) override { return absl::OkStatus(); }
  absl::Status Broadcast(std::span<std::byte>) override { return absl::OkStatus(); }
  void Abort(const absl::Status&) override {}
};

// One collective of a graph, with the memory that its kernel needs.
class MessageCase {
 public:
  MessageCase(const OpDef& op, const MessageForm& form, int64_t rows) {
    Value x = graph_.AddInput("x", ValueType::F32({rows, kColumns}))->output();
    GraphBuilder builder(&graph_);
    if (&op == &ops::kAllGather) {
      node_ = ops::AllGather(builder, x, /*axis=*/1, kRanks, "").node;
      if (!form.name.empty()) ops::SetMessage(node_, form, "");
    } else {
      node_ = ops::AllReduce(builder, x, kRanks, "").node;
    }
  }

  // Returns elements of the result per nanosecond.
  absl::StatusOr<double> Measure() {
    for (const CollectiveKernel& kernel : CollectiveKernels()) {
      if (kernel.info.op != &node_->op() || !kernel.info.accepts(*node_).accepted()) continue;
      workspace_.resize(kernel.info.workspace_bytes(*node_, graph_.symbols()));
      return Measure(kernel);
    }
    return absl::InternalError(StrCat("no kernel for ", node_->op().name));
  }

 private:
  absl::StatusOr<double> Measure(const CollectiveKernel& kernel) {
    const Operand in = Fill(node_->input(0).type(), &in_);
    const Operand out = Fill(node_->result().type, &out_);
    const KernelArgs args{.inputs = {&in, 1},
                          .outputs = {&out, 1},
                          .attrs = node_->attrs(),
                          .workspace = workspace_.data()};
    Instant transport;
    const int64_t runs = std::max<int64_t>(1, kBatchElements / out.tensor.elements());
    double best_ns = std::numeric_limits<double>::max();
    for (int batch = 0; batch < kBatches; ++batch) {
      const Clock::time_point start = Clock::now();
      for (int64_t i = 0; i < runs; ++i) RETURN_IF_ERROR(kernel.run(args, transport));
      const std::chrono::duration<double, std::nano> elapsed = Clock::now() - start;
      best_ns = std::min(best_ns, elapsed.count() / static_cast<double>(runs));
    }
    return static_cast<double>(out.tensor.elements()) / best_ns;
  }

  static Operand Fill(const ValueType& type, std::vector<float>* memory) {
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

  Graph graph_;
  Node* node_ = nullptr;
  std::vector<float> in_, out_;
  std::vector<std::byte> workspace_;
};

absl::Status AddRates(const OpDef& op, const MessageForm& form, MachineDescription* machine) {
  KernelRate rate{.target = Target::kRanks,
                  .op = std::string(op.name),
                  .type = std::string(form.name.empty() ? "f32" : form.name)};
  for (int64_t rows : kRows) {
    ASSIGN_OR_RETURN(const double elements_per_ns, MessageCase(op, form, rows).Measure());
    rate.rates.push_back({rows, elements_per_ns});
  }
  machine->kernels.push_back(std::move(rate));
  return absl::OkStatus();
}

}  // namespace

absl::Status MeasureMessages(MachineDescription* machine) {
  for (const MessageForm& form : kMessageForms) {
    RETURN_IF_ERROR(AddRates(ops::kAllGather, form, machine));
  }
  return AddRates(ops::kAllReduce, kMessageForms[0], machine);
}

}  // namespace infer
