// SPDX-License-Identifier: Apache-2.0
#include "runtime/step_events.h"

#include <algorithm>

#include "runtime/kernel.h"

namespace infer {

void StepEvents::HasExperts(int step, int input, int64_t experts) {
  experts_[step] = {input, std::vector<int32_t>(static_cast<size_t>(experts))};
}

void StepEvents::CountRows(int step, const KernelArgs& args) {
  Experts& experts = experts_[step];
  if (experts.rows.empty()) return;
  std::ranges::fill(experts.rows, 0);
  const TensorView& ids = args.in(experts.input);
  for (int64_t i = 0; i < ids.elements(); ++i) {
    const auto id = static_cast<uint32_t>(ids.i32()[i]);
    if (id < experts.rows.size()) ++experts.rows[id];
  }
}

}  // namespace infer
