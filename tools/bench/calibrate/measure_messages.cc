// SPDX-License-Identifier: Apache-2.0
#include "tools/bench/calibrate/measure_messages.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "ir/base/status_macros.h"
#include "ir/ops/message.h"
#include "ir/ops/ops.h"
#include "runtime/shared_ranks.h"
#include "tools/bench/calibrate/message_case.h"

namespace infer {
namespace {

constexpr MessageCase::Size kSizes[] = {{1, 1024}, {16, 1024}, {128, 1024}};  // blocks of all forms
constexpr int kTurns = 20;

// Exchanges take no time, and what the other ranks would send is what was there before.
class Instant final : public SharedRanks {
 public:
  explicit Instant(int ranks) : ranks_(ranks), terms_(static_cast<size_t>(ranks)) {}

  int rank() const override { return 0; }
  int ranks() const override { return ranks_; }
  absl::Status AllGather(std::span<const std::byte>, std::byte*) override {
    return absl::OkStatus();
  }
  absl::Status AllToAll(const std::byte*, std::byte*, size_t) override { return absl::OkStatus(); }
  absl::Status Broadcast(std::span<std::byte>) override { return absl::OkStatus(); }
  void Abort(const absl::Status&) override {}

  absl::StatusOr<std::unique_ptr<SpaceMemory>> Allocate(uint64_t common, uint64_t own) override {
    return CpuSpace().Allocate(common + own);
  }
  bool IsCommon(const std::byte*) const override { return true; }
  absl::Status Meet() override { return absl::OkStatus(); }
  std::span<std::byte> TermsRoom() override { return room_; }
  absl::StatusOr<std::span<const std::byte* const>> ShareTerms(const std::byte* terms) override {
    terms_.assign(terms_.size(), terms);
    return terms_;
  }

 private:
  int ranks_;
  std::vector<std::byte> room_ = std::vector<std::byte>(1 << 20);
  std::vector<const std::byte*> terms_;
};

// One collective to be timed: its op, and how its values are sent.
struct Exchanged {
  const OpDef& op;
  const MessageForm& form;
  bool stays = false;

  std::string_view type() const {
    return stays ? ops::kStayingType : form.name.empty() ? "f32" : form.name;
  }
};

absl::Status AddRates(const Exchanged& exchanged, const MessageWork& work,
                      MachineDescription* machine) {
  const auto& [op, form, stays] = exchanged;
  KernelRate rate{
      .target = Target::kRanks, .op = std::string(op.name), .type = std::string(exchanged.type())};
  Instant ranks(std::max(2, work.common_ranks));
  const RankLink link = {.transport = &ranks,
                         .shared = work.common_ranks > 0 ? &ranks : nullptr,
                         .parallel_for = work.parallel_for};
  for (MessageCase::Size size : kSizes) {
    size.stays = stays;
    ASSIGN_OR_RETURN(const auto timed, MessageCase::Create(op, form, link, size));
    ASSIGN_OR_RETURN(const double ns, timed->LeastNs(kTurns, MessageCase::kCopies));
    rate.rates.push_back({size.rows, timed->result_elements() / ns});
  }
  machine->kernels.push_back(std::move(rate));
  return absl::OkStatus();
}

}  // namespace

absl::Status MeasureMessages(const MessageWork& work, MachineDescription* machine) {
  for (const MessageForm& form : kMessageForms) {
    RETURN_IF_ERROR(AddRates({ops::kAllGather, form}, work, machine));
  }
  RETURN_IF_ERROR(AddRates({ops::kAllGather, ops::kStayingForm, /*stays=*/true}, work, machine));
  return AddRates({ops::kAllReduce, kMessageForms[0]}, work, machine);
}

}  // namespace infer
