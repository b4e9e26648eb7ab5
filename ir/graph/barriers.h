// SPDX-License-Identifier: Apache-2.0
//
// Where threads that share out the steps of a plan must meet:
//   - between a serial step, which is one thread's, and a sliced one;
//   - between two sliced steps, or before any later one until they meet, if a thread could write
//     what another one still reads or writes (ir/graph/unmet_accesses.h).
// Nothing runs for a view, so that it stands between no steps.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "ir/graph/graph.h"
#include "ir/graph/plan.h"
#include "ir/graph/unmet_accesses.h"

namespace infer {

// The value whose memory `value` is, as far as the graph alone says: what a view shows, the state
// that versions of a cache are versions of.
Value MemoryOf(Value value);

// Calls visit(value, access) for each value that a unit of the placed `node` touches. Weights and
// the batch are only read and left out; a cache is read, or written, as a whole.
template <class F>
void ForEachAccess(Node& node, F visit) {
  const Partition& partition = node.placement()->kernel_record.partition;
  for (int i = 0; i < static_cast<int>(node.inputs().size()); ++i) {
    const Value input = node.input(i);
    if (input.type().kind == TypeKind::kKv) {
      visit(input, Access{&partition, false, node.op().traits.aliases_input == i});
    } else if (input.type().is_tensor() && !MemoryOf(input).node->op().traits.weight) {
      visit(input, Access{&partition, partition.OwnsInput(i), false, CountBytes(input.type())});
    }
  }
  for (int i = 0; i < node.num_results(); ++i) {
    const ValueType& type = node.result(i).type;
    if (!type.is_tensor()) continue;
    visit(node.output(i), Access{&partition, partition.OwnsResult(i), true, CountBytes(type)});
  }
}

// Whether threads meet somewhere between the computing steps `before` and `after` of a segment,
// which follow each other.
bool MeetBetween(const Segment& segment, size_t before, size_t after);

// For each step, counted over all segments, the step after which every thread has done it. Until
// then a thread that is late may still read what the others no longer need. `nodes` are those of
// the graph, by position.
std::vector<int32_t> MeetingSteps(const Plan& plan, std::span<Node* const> nodes);

}  // namespace infer
