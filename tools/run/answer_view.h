// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "tools/run/product_stream.h"

namespace infer {

enum class AnswerPart { kThought, kContent, kToolCall };

// Shows an answer as it streams: thoughts and tool calls dimmed, so that the answer itself stands
// out. The text is not changed.
class AnswerView {
 public:
  // `dim` allows escape sequences. `product` must outlive it.
  AnswerView(ProductStream* product, bool dim) : product_(product), dim_(dim) {}
  ~AnswerView() { SetDim(false); }
  AnswerView(const AnswerView&) = delete;
  AnswerView& operator=(const AnswerView&) = delete;

  // Returns false once a write has failed.
  bool Show(AnswerPart part, std::string_view text);

 private:
  void SetDim(bool dim);

  ProductStream* product_;
  const bool dim_;
  bool is_dim_ = false;
};

// Splits a streamed answer into its thought, <think> ... </think>, and the rest; tags count as part
// of the thought.
class AnswerSplitter {
 public:
  // `view` must outlive it. `in_thought`: the prompt has opened the thought already.
  AnswerSplitter(AnswerView* view, bool in_thought)
      : view_(view), state_(in_thought ? State::kThought : State::kStart) {}

  // Returns false once a write has failed.
  bool Push(std::string_view text);
  // Shows what was held back because it could have become a tag.
  bool Finish();

 private:
  enum class State { kStart, kThought, kContent };

  AnswerView* view_;
  State state_;
  std::string held_;
};

}  // namespace infer
