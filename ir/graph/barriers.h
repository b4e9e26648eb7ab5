// SPDX-License-Identifier: Apache-2.0
//
// Decides where the threads that share the steps of a plan need a barrier:
//   - between a serial step, which one thread runs, and a sliced one;
//   - between a sliced step and any later one that is not yet separated from it by a barrier, if a
//     thread could write what another still reads or writes (ir/graph/unmet_accesses.h).
// A view runs no code, so it is never one of the two steps.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "ir/graph/common_memory.h"
#include "ir/graph/graph.h"
#include "ir/graph/plan.h"
#include "ir/graph/unmet_accesses.h"

namespace infer {

// Returns the value whose memory `value` occupies, as far as the graph alone tells: the value that
// a view shows, or the state behind the versions of a cache.
Value MemoryOf(Value value);

// Calls visit(value, access) for each value that a unit of the placed `node` touches. Weights and
// the batch are left out because they are only read; a cache is read, or written, as a whole. Units
// of a node whose rows the ranks share are other rows than those with the same number elsewhere.
template <class F>
void ForEachAccess(Node& node, F visit) {
  const Partition& partition = node.placement()->kernel_record.partition;
  const bool shares = RowSharerOf(node) != nullptr;
  for (int i = 0; i < static_cast<int>(node.inputs().size()); ++i) {
    const Value input = node.input(i);
    if (input.type().kind == TypeKind::kKv) {
      visit(input, Access{&partition, false, node.op().traits.aliases_input == i});
    } else if (input.type().is_tensor() && !MemoryOf(input).node->op().traits.weight) {
      visit(input,
            Access{&partition, !shares && partition.OwnsInput(i), false, CountBytes(input.type())});
    }
  }
  for (int i = 0; i < node.num_results(); ++i) {
    const ValueType& type = node.result(i).type;
    if (!type.is_tensor()) continue;
    visit(node.output(i),
          Access{&partition, !shares && partition.OwnsResult(i), true, CountBytes(type)});
  }
}

// Returns whether there is a barrier between the steps `before` and `after` of a segment, which are
// consecutive apart from views.
bool MeetBetween(const Segment& segment, size_t before, size_t after);

// For each step, counted over all segments, returns the step after which every thread has finished
// it. Until then a late thread may still read memory that the others no longer need. `nodes` are
// those of the graph, by position.
std::vector<int32_t> MeetingSteps(const Plan& plan, std::span<Node* const> nodes);

}  // namespace infer
