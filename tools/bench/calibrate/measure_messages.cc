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
constexpr int kCopies = 16, kTurns = 20;

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

// One collective of a graph. Between two of them products read their weights, so that messages are
// no longer in the nearest cache: each run has the next of several copies of everything.
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
      return Measure(kernel);
    }
    return absl::InternalError(StrCat("no kernel for ", node_->op().name));
  }

 private:
  struct Copy {
    std::vector<float> in, out;
    std::vector<std::byte> workspace;
    Operand input, output;
  };

  absl::StatusOr<double> Measure(const CollectiveKernel& kernel) const {
    std::vector<Copy> copies(kCopies);
    for (Copy& copy : copies) {
      copy.input = Fill(node_->input(0).type(), &copy.in);
      copy.output = Fill(node_->result().type, &copy.out);
      copy.workspace.resize(kernel.info.workspace_bytes(*node_, graph_.symbols()));
    }
    Instant transport;
    const RankLink link = {.transport = &transport};
    double best_ns = std::numeric_limits<double>::max();
    for (int turn = 0; turn < kTurns; ++turn) {
      const Clock::time_point start = Clock::now();
      for (Copy& copy : copies) {
        RETURN_IF_ERROR(kernel.run({.inputs = {&copy.input, 1},
                                    .outputs = {&copy.output, 1},
                                    .attrs = node_->attrs(),
                                    .workspace = copy.workspace.data()},
                                   link));
      }
      const std::chrono::duration<double, std::nano> elapsed = Clock::now() - start;
      best_ns = std::min(best_ns, elapsed.count() / kCopies);
    }
    return static_cast<double>(copies[0].out.size()) / best_ns;
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
