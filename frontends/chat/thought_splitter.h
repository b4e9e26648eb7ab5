// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace infer {

// Separates the thought of an answer from its text while the answer is generated. A thought is
// what stands between <think> and </think> at the beginning of an answer; tags later on are text.
// With the tags around thoughts, the pieces join to what was fed.
class ThoughtSplitter {
 public:
  enum class Kind : uint8_t { kThought, kContent };
  using Emit = std::function<void(Kind kind, std::string_view piece)>;

  // `open` says that the prompt already ended with <think>.
  ThoughtSplitter(bool open, Emit emit)
      : state_(open ? State::kInside : State::kStart), emit_(std::move(emit)) {}

  void Feed(std::string_view piece);
  // Emits what was held back because it could have become a tag.
  void Finish();

  bool inside_thought() const { return state_ == State::kInside; }

 private:
  enum class State : uint8_t { kStart, kInside, kAfter };

  State state_;
  std::string held_;
  Emit emit_;
};

}  // namespace infer
