// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"

namespace infer {

// The stacks of a GrammarMatcher, as a tree that grows and whose equal parts are one: two stacks
// are equal if their ids are. A state therefore copies as a few numbers.
class FrameArena {
 public:
  static constexpr uint32_t kBottom = 0;
  static constexpr uint32_t kMaxDepth = 1000;
  static constexpr size_t kMaxFrames = size_t{1} << 20;

  // Where a node continues once what it waits for has been matched.
  struct Frame {
    uint32_t parent = kBottom;
    uint32_t node = 0;
    uint32_t a = 0;  // next child of a sequence, or a count; next key of an object
    uint32_t b = 0;  // properties of an object so far

    friend bool operator==(const Frame&, const Frame&) = default;
    template <class H>
    friend H AbslHashValue(H hash, const Frame& frame) {
      return H::combine(std::move(hash), frame.parent, frame.node, frame.a, frame.b);
    }
  };

  FrameArena() : frames_(1), depths_(1) {}

  // Returns the id of the frame, or nothing if the stack gets too deep or the arena too large.
  std::optional<uint32_t> Push(const Frame& frame) {
    const auto found = ids_.find(frame);
    if (found != ids_.end()) return found->second;
    const uint32_t depth = depths_[frame.parent] + 1;
    if (depth > kMaxDepth || frames_.size() >= kMaxFrames) return std::nullopt;
    const auto id = static_cast<uint32_t>(frames_.size());
    ids_.emplace(frame, id);
    frames_.push_back(frame);
    depths_.push_back(depth);
    return id;
  }
  const Frame& operator[](uint32_t id) const { return frames_[id]; }
  size_t size() const { return frames_.size(); }

 private:
  std::vector<Frame> frames_;
  std::vector<uint32_t> depths_;
  absl::flat_hash_map<Frame, uint32_t> ids_;
};

}  // namespace infer
