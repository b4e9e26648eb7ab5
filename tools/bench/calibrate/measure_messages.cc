// SPDX-License-Identifier: Apache-2.0
#include "tools/bench/calibrate/measure_messages.h"

#include <string>
#include <utility>

#include "ir/base/status_macros.h"
#include "ir/ops/message.h"
#include "ir/ops/ops.h"
#include "tools/bench/calibrate/message_case.h"

namespace infer {
namespace {

constexpr int kRanks = 2;
constexpr int64_t kColumns = 1024;  // of a part: blocks of every form
constexpr int64_t kRows[] = {1, 16, 128};
constexpr int kTurns = 20;

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

absl::Status AddRates(const OpDef& op, const MessageForm& form, const ParallelFor& parallel_for,
                      MachineDescription* machine) {
  KernelRate rate{.target = Target::kRanks,
                  .op = std::string(op.name),
                  .type = std::string(form.name.empty() ? "f32" : form.name)};
  Instant transport;
  const RankLink link = {.transport = &transport, .parallel_for = parallel_for};
  for (int64_t rows : kRows) {
    MessageCase timed(op, form, kRanks, rows, kColumns);
    ASSIGN_OR_RETURN(const double ns, timed.LeastNs(link, kTurns, MessageCase::kCopies));
    rate.rates.push_back({rows, timed.result_elements() / ns});
  }
  machine->kernels.push_back(std::move(rate));
  return absl::OkStatus();
}

}  // namespace

absl::Status MeasureMessages(const ParallelFor& parallel_for, MachineDescription* machine) {
  for (const MessageForm& form : kMessageForms) {
    RETURN_IF_ERROR(AddRates(ops::kAllGather, form, parallel_for, machine));
  }
  return AddRates(ops::kAllReduce, kMessageForms[0], parallel_for, machine);
}

}  // namespace infer
