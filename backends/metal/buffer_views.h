// SPDX-License-Identifier: Apache-2.0
//
// How memory of the process is cut into Metal buffers. Pure C++: tested by value.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "absl/status/statusor.h"
#include "runtime/backend.h"

namespace infer::metal {

// Whole pages that become one buffer.
struct ViewRange {
  uintptr_t begin = 0;
  uint64_t bytes = 0;
  MemorySpan::Use use = MemorySpan::Use::kActivations;
  uintptr_t end() const { return begin + bytes; }
  bool operator==(const ViewRange&) const = default;
};

struct ViewLimits {
  uint64_t page = 0;
  uint64_t max_buffer = 0;
  // Weights are cut into views of at most so many bytes, or of twice the largest value where that
  // is more; 0: of max_buffer. A residency set holds whole buffers, so a mapped file in one buffer
  // could be wired only as a whole. Memory that is written is not cut without need: two buffers
  // would name the same bytes.
  uint64_t weight_view = 0;
};

// Views in ascending order that cover all spans. Spans that meet in a page share a view, which
// is one of weights only if all of them are. Where more bytes than fit into a view lie together,
// neighbouring views overlap so far that every value of a span lies whole in one of them.
// kResourceExhausted if a single value is larger than a buffer.
absl::StatusOr<std::vector<ViewRange>> PlanViews(std::span<const MemorySpan> spans,
                                                 const ViewLimits& limits);

// The view that holds these bytes; -1 if none does.
int FindView(std::span<const ViewRange> views, uintptr_t begin, uint64_t bytes);

}  // namespace infer::metal
