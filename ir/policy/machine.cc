// SPDX-License-Identifier: Apache-2.0
#include "ir/policy/machine.h"

#include <algorithm>
#include <cmath>

namespace infer {

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
  auto above = std::ranges::find_if(
      rates, [&](const RowRate& rate) { return static_cast<double>(rate.rows) >= rows; });
  if (above == rates.begin()) return rates.front().gop_s;
  if (above == rates.end()) return rates.back().gop_s;
  const RowRate& below = *(above - 1);
  const double low = std::log(static_cast<double>(below.rows));
  const double high = std::log(static_cast<double>(above->rows));
  const double share = (std::log(rows) - low) / (high - low);
  return below.gop_s * std::pow(above->gop_s / below.gop_s, share);
}

}  // namespace infer
