// SPDX-License-Identifier: Apache-2.0
#include "tools/bench/calibrate/measure_ranks.h"

#include <algorithm>

#include "ir/base/status_macros.h"
#include "ir/ops/ops.h"
#include "tools/bench/calibrate/message_case.h"

namespace infer {
namespace {

// A rank's part: so little that only the delay counts, and as much as in a chunk of a prompt.
constexpr MessageCase::Size kSmall = {1, 64}, kLarge = {256, 1024};
constexpr int kSmallTurns = 12, kLargeTurns = 4;

// What writing and reading the messages takes of it, which the description has already.
double LocalNs(const MachineDescription& machine, double elements, double rows) {
  const KernelRate* rate = machine.FindRate(Target::kRanks, ops::kAllGather.name, "f32");
  if (rate == nullptr || rate->rates.empty()) return 0;
  return elements / RateAt(rate->rates, rows);
}

}  // namespace

absl::Status MeasureRanks(const RankLink& link, MachineDescription* machine) {
  int32_t turn = 0;
  Collective& transport = *link.transport;
  RETURN_IF_ERROR(transport.Broadcast(std::as_writable_bytes(std::span(&turn, 1))));
  const MessageForm& form = kMessageForms[0];
  ASSIGN_OR_RETURN(const auto small, MessageCase::Create(ops::kAllGather, form, link, kSmall));
  ASSIGN_OR_RETURN(const double small_ns, small->LeastNs(kSmallTurns, /*together=*/1));
  ASSIGN_OR_RETURN(const auto large, MessageCase::Create(ops::kAllGather, form, link, kLarge));
  ASSIGN_OR_RETURN(const double large_ns, large->LeastNs(kLargeTurns, /*together=*/1));
  if (transport.rank() != 0) return absl::OkStatus();
  const double received_share = 1 - 1.0 / transport.ranks();
  const auto bytes = [&](const MessageCase& timed) {
    return timed.result_elements() * sizeof(float) * received_share;
  };
  const double exchange_ns =
      large_ns - small_ns - LocalNs(*machine, large->result_elements(), kLarge.rows);
  const double gb_s = (bytes(*large) - bytes(*small)) / std::max(exchange_ns, 0.1 * large_ns);
  const double step_ns = std::max(0.0, small_ns - bytes(*small) / gb_s);
  AddRanks({.step_ns = step_ns}, gb_s, machine);
  return absl::OkStatus();
}

void AddRanks(TargetCost cost, double gb_s, MachineDescription* machine) {
  cost.target = Target::kRanks;
  machine->targets.push_back(cost);
  const KernelRate any = {.target = Target::kRanks, .gb_s = gb_s, .cached_gb_s = gb_s};
  KernelRate reduce = any;
  reduce.op = "all_reduce";
  reduce.fixed_ns = cost.step_ns;  // it takes two exchanges
  machine->kernels.push_back(any);
  machine->kernels.push_back(reduce);
}

}  // namespace infer
