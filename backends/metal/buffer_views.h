// SPDX-License-Identifier: Apache-2.0
//
// Divides memory of the process into Metal buffers. Pure C++, tested by value.
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
  // Maximum size in bytes of a view of weights; twice the largest value if that is more; 0 means
  // max_buffer. A residency set holds whole buffers, so a mapped file in one buffer could only be
  // wired as a whole. Memory that is written is not divided unnecessarily: two buffers would name
  // the same bytes.
  uint64_t weight_view = 0;
};

// Returns views in ascending order that cover all spans. Spans that share a page share a view,
// which is a view of weights only if all of them are. Where adjacent memory exceeds the size of a
// view, neighbouring views overlap far enough that every value of a span is entirely in one of
// them. Returns kResourceExhausted if a single value is larger than a buffer.
absl::StatusOr<std::vector<ViewRange>> CutViews(std::span<const MemorySpan> spans,
                                                const ViewLimits& limits);

// Returns the index of the view that holds these bytes; -1 if none does.
int FindView(std::span<const ViewRange> views, uintptr_t begin, uint64_t bytes);

}  // namespace infer::metal
