// SPDX-License-Identifier: Apache-2.0
#include "tools/bench/calibrate/kernel_timer.h"

#include <algorithm>
#include <chrono>
#include <memory>

#include "ir/base/status_macros.h"
#include "ir/base/strings.h"
#include "tools/bench/op_case.h"

namespace infer {
namespace {

using Clock = std::chrono::steady_clock;

// A batch is short enough to fit between two interruptions and long enough for the clock.
constexpr double kBatchNs = 3e5;
constexpr double kKernelNs = 1.2e7;  // all batches of a kernel in a round
constexpr int kLeastBatches = 3;

double BatchNs(OpCase& op_case, int64_t runs) {
  const Clock::time_point start = Clock::now();
  for (int64_t i = 0; i < runs; ++i) op_case.Run();
  return std::chrono::duration<double, std::nano>(Clock::now() - start).count();
}

// Returns the least time of one run.
double LeastNs(OpCase& op_case) {
  double best = BatchNs(op_case, 1);
  best = std::min(best, BatchNs(op_case, 1));  // the first run met cold code and pages
  const int64_t runs = std::clamp<int64_t>(static_cast<int64_t>(kBatchNs / best), 1, 100'000);
  double spent = 0;
  for (int batch = 0; batch < kLeastBatches || spent < kKernelNs; ++batch) {
    const double ns = BatchNs(op_case, runs);
    spent += ns;
    best = std::min(best, ns / static_cast<double>(runs));
    if (batch + 1 >= kLeastBatches && spent > 10 * kKernelNs) break;
  }
  return best;
}

// A batch goes once over all copies: single runs could meet a copy that is still cached.
double LeastNsOfTurns(OpCase& op_case, int steps) {
  const int64_t runs = std::max<int64_t>(1, op_case.copies() / steps);
  double best = BatchNs(op_case, runs);
  for (int batch = 0; batch < 2 * kLeastBatches; ++batch) {
    best = std::min(best, BatchNs(op_case, runs));
  }
  return best / static_cast<double>(runs);
}

std::string KeyOf(const TimedKernel& kernel) {
  const OpShape& s = kernel.shape;
  return StrCat(kernel.op, " ", Name(s.type), " ", s.rows, "x", s.columns, "x", s.inner, " d",
                s.depth, " h", s.heads, "/", s.kv_heads, "x", s.head_dim, " ", Name(kernel.target),
                kernel.cold ? " cold" : "", kernel.fed ? " fed on " : "",
                kernel.fed ? Name(kernel.writers_on) : "", " ", kernel.copies, " ", kernel.steps);
}

}  // namespace

absl::StatusOr<std::unique_ptr<OpCase>> KernelTimer::MakeCase(const TimedKernel& kernel,
                                                              bool writers_alone) {
  return OpCase::Create({.op = kernel.op,
                         .shape = kernel.shape,
                         .target = kernel.target,
                         .cold = kernel.cold,
                         .least_copies = kernel.copies,
                         .steps = kernel.steps,
                         .fed = kernel.fed,
                         .writers_on = kernel.writers_on,
                         .writers_alone = writers_alone},
                        registry_);
}

absl::Status KernelTimer::Measure(const TimedKernel& kernel, Entry* entry) {
  RETURN_IF_ERROR(callbacks_.check());
  callbacks_.on_kernel(
      StrCat(kernel.op, " ", Name(kernel.shape.type), " on ", Name(kernel.target)));
  absl::StatusOr<std::unique_ptr<OpCase>> made = MakeCase(kernel, /*writers_alone=*/false);
  if (absl::IsUnimplemented(made.status())) return absl::OkStatus();
  RETURN_IF_ERROR(made.status());
  OpCase& op_case = **made;
  double ns =
      (kernel.cold || op_case.copies() > kernel.steps ? LeastNsOfTurns(op_case, kernel.steps)
                                                      : LeastNs(op_case)) /
      static_cast<double>(kernel.steps);
  if (kernel.fed) {
    ASSIGN_OR_RETURN(std::unique_ptr<OpCase> writers, MakeCase(kernel, /*writers_alone=*/true));
    // The remainder may be small beside what is subtracted, but every kernel takes some time.
    ns = std::max(ns - LeastNs(*writers) / static_cast<double>(kernel.steps), 0.05 * ns);
  }
  if (!entry->time) {
    entry->time = {.ns = ns,
                   .flops = op_case.flops(),
                   .bytes = op_case.bytes(),
                   .cost = op_case.cost(),
                   .symbols = op_case.symbols()};
  }
  entry->most_ns = std::max(entry->most_ns, ns);
  entry->time->ns = std::min(entry->time->ns, ns);
  entry->time->spread_ns = entry->most_ns - entry->time->ns;
  return absl::OkStatus();
}

absl::StatusOr<std::optional<KernelTime>> KernelTimer::Time(const TimedKernel& kernel) {
  Entry& entry = entries_[KeyOf(kernel)];
  if (entry.round < round_) {
    RETURN_IF_ERROR(Measure(kernel, &entry));
    entry.round = round_;
  }
  return entry.time;
}

}  // namespace infer
