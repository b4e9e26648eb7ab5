// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "tools/api/answer_reader.h"
#include "tools/run/product_stream.h"

namespace infer {

// Shows an answer as it streams: thoughts between their tags, tool calls as blocks, both dimmed, so
// that the answer itself stands out.
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
  bool in_thought_ = false;
  bool at_line_start_ = true;
  bool is_empty_ = true;
};

}  // namespace infer
