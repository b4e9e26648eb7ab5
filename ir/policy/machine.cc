// SPDX-License-Identifier: Apache-2.0
#include "ir/policy/machine.h"

#include <algorithm>
#include <cmath>

namespace infer {
namespace {

// Two neighbours among ascending rates, and how far `rows` is from the first to the second on a
// logarithmic axis. The same one twice at the ends.
struct Between {
  const RowRate& below;
  const RowRate& above;
  double share = 0;
};
Between Find(const std::vector<RowRate>& rates, double rows) {
  auto above = std::ranges::find_if(
      rates, [&](const RowRate& rate) { return static_cast<double>(rate.rows) >= rows; });
  if (above == rates.begin()) return {rates.front(), rates.front()};
  if (above == rates.end()) return {rates.back(), rates.back()};
  const RowRate& below = *(above - 1);
  const double low = std::log(static_cast<double>(below.rows));
  const double high = std::log(static_cast<double>(above->rows));
  return {below, *above, (std::log(rows) - low) / (high - low)};
}

}  // namespace

const TargetCost* MachineDescription::FindCost(Target target) const {
  auto it = std::ranges::find(targets, target, &TargetCost::target);
  return it == targets.end() ? nullptr : &*it;
}

const KernelRate* MachineDescription::FindRate(Target target, std::string_view op,
                                               std::string_view type) const {
  const KernelRate* best = nullptr;
  int best_fit = -1;
  for (const KernelRate& rate : kernels) {
    if (rate.target != target) continue;
    if ((!rate.op.empty() && rate.op != op) || (!rate.type.empty() && rate.type != type)) continue;
    const int fit = (rate.op.empty() ? 0 : 2) + (rate.type.empty() ? 0 : 1);
    if (fit > best_fit) best = &rate;
    best_fit = std::max(best_fit, fit);
  }
  return best;
}

double RateAt(const std::vector<RowRate>& rates, double rows) {
  if (rates.empty()) return 0;
  const auto [below, above, share] = Find(rates, rows);
  return below.gop_s * std::pow(above.gop_s / below.gop_s, share);
}

double FixedAt(const std::vector<RowRate>& rates, double rows) {
  if (rates.empty()) return 0;
  const auto [below, above, share] = Find(rates, rows);
  return below.fixed_ns + share * (above.fixed_ns - below.fixed_ns);
}

}  // namespace infer
