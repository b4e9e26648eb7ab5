// SPDX-License-Identifier: Apache-2.0
#include "runtime/verify/value_log.h"

#include <algorithm>

namespace infer {

void ValueLog::Clear() {
  entries_.clear();
  rounding_ = Rounding::kFloat;
}

void ValueLog::AfterStep(const Node& node, const KernelArgs& args) {
  rounding_ = std::max(rounding_, RoundingOf(node, registry_));
  for (int i = 0; i < node.num_results(); ++i) {
    if (!IsComparable(node.result(i))) continue;
    const TensorView& view = args.out(i);
    Entry& entry = entries_[node.result(i).origin];
    entry = {&node, rounding_, TokenRows::Of(view), {}};
    for (int64_t row = 0; row < NumComparedRows(entry.shape.rows); ++row) {
      const float* begin = view.f32() + ComparedRow(row, entry.shape.rows) * entry.shape.columns;
      entry.values.insert(entry.values.end(), begin, begin + entry.shape.columns);
    }
  }
}

const ValueLog::Entry* ValueLog::Find(const std::string& origin) const {
  auto found = entries_.find(origin);
  return found == entries_.end() ? nullptr : &found->second;
}

}  // namespace infer
