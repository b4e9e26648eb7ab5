// SPDX-License-Identifier: Apache-2.0
#include "ir/graph/barriers.h"

namespace infer {
namespace {

// Whether a slice of rows of the result reads only these rows of its inputs.
bool IsCutByRows(const Node& node) {
  const OpTraits& traits = node.op().traits;
  // An op with an index reads any row of input 0: only of a weight nobody waits for them.
  const bool reads_by_number = traits.index_input >= 0 && !node.input(0).node->op().traits.weight;
  if (!traits.rowwise || reads_by_number || node.inputs().empty()) return false;
  // With two axes there is one way to cut rows. With three, rms_norm counts heads and rope tokens;
  // row_sum_squares counts the rows of its input, what scales its sums has one row of them.
  const ValueType* rows = RowsType(node);
  return rows != nullptr && rows->rank() == 2 && node.input(0).type().rank() == 2;
}

}  // namespace

bool CutByTheSameRows(const Node& first, const Node& second) {
  if (!IsCutByRows(first) || !IsCutByRows(second)) return false;
  if (*RowsType(first) != *RowsType(second)) return false;
  for (Value input : second.inputs()) {
    if (input.node == &first && input.type() != *RowsType(first)) return false;
  }
  return true;
}

std::vector<int32_t> MeetingSteps(const Plan& plan) {
  std::vector<int32_t> met;
  for (const Segment& segment : plan.segments) {
    const size_t first = met.size();
    for (size_t i = 0; i < segment.steps.size(); ++i)
      met.push_back(static_cast<int32_t>(first + i));
    for (size_t i = segment.steps.size(); i-- > 1;) {
      const Step& step = segment.steps[i - 1];
      const bool runs_on = step.mode == StepMode::kSliced && !step.barrier_after &&
                           segment.steps[i].mode == StepMode::kSliced;
      if (runs_on) met[first + i - 1] = met[first + i];
    }
  }
  return met;
}

}  // namespace infer
