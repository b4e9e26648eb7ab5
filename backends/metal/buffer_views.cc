// SPDX-License-Identifier: Apache-2.0
#include "backends/metal/buffer_views.h"

#include <algorithm>

#include "ir/base/strings.h"

namespace infer::metal {
namespace {

// Contiguous pages, and the largest value in them.
struct Region {
  ViewRange pages;
  uint64_t largest = 0;
};

uint64_t RoundDown(uint64_t value, uint64_t page) { return value / page * page; }
uint64_t RoundUp(uint64_t value, uint64_t page) { return RoundDown(value + page - 1, page); }

std::vector<Region> RegionsOf(std::span<const MemorySpan> spans, uint64_t page) {
  std::vector<Region> all;
  for (const MemorySpan& span : spans) {
    if (span.bytes.empty()) continue;
    const uintptr_t data = reinterpret_cast<uintptr_t>(span.bytes.data());
    const uintptr_t begin = RoundDown(data, page);
    const uint64_t bytes = RoundUp(data + span.bytes.size(), page) - begin;
    const uint64_t largest = span.largest_value == 0 ? span.bytes.size() : span.largest_value;
    all.push_back({{begin, bytes, span.use}, largest});
  }
  std::ranges::sort(all, {}, [](const Region& region) { return region.pages.begin; });
  std::vector<Region> joined;
  for (const Region& region : all) {
    if (joined.empty() || joined.back().pages.end() <= region.pages.begin) {
      joined.push_back(region);
      continue;
    }
    Region& last = joined.back();
    last.pages.bytes = std::max(last.pages.end(), region.pages.end()) - last.pages.begin;
    if (last.pages.use == MemorySpan::Use::kWeights) last.pages.use = region.pages.use;
    last.largest = std::max(last.largest, region.largest);
  }
  return joined;
}

uint64_t LargestView(MemorySpan::Use use, uint64_t overlap, const ViewLimits& limits) {
  uint64_t bytes = limits.max_buffer;
  if (use == MemorySpan::Use::kWeights && limits.weight_view != 0) {
    bytes = std::min(bytes, std::max(limits.weight_view, 2 * overlap));
  }
  return RoundDown(bytes, limits.page);
}

}  // namespace

absl::StatusOr<std::vector<ViewRange>> CutViews(std::span<const MemorySpan> spans,
                                                const ViewLimits& limits) {
  std::vector<ViewRange> views;
  for (const Region& region : RegionsOf(spans, limits.page)) {
    ViewRange rest = region.pages;
    // A value that begins before the next view ends within this one.
    const uint64_t overlap = RoundUp(region.largest, limits.page);
    const uint64_t most = LargestView(rest.use, overlap, limits);
    while (rest.bytes > most) {
      if (overlap >= most) {
        return absl::ResourceExhaustedError(StrCat(
            "a value of ", region.largest, " bytes does not fit into a Metal buffer, which ",
            "holds at most ", limits.max_buffer, " on this device; place its nodes on the cpu"));
      }
      views.push_back({rest.begin, most, rest.use});
      rest.begin += most - overlap;
      rest.bytes -= most - overlap;
    }
    views.push_back(rest);
  }
  return views;
}

int FindView(std::span<const ViewRange> views, uintptr_t begin, uint64_t bytes) {
  // Of the views that begin at or before it, the last one reaches furthest.
  auto after = std::ranges::upper_bound(views, begin, {}, &ViewRange::begin);
  if (after == views.begin()) return -1;
  const auto view = std::prev(after);
  if (bytes > view->bytes || begin - view->begin > view->bytes - bytes) return -1;
  return static_cast<int>(view - views.begin());
}

}  // namespace infer::metal
