// SPDX-License-Identifier: Apache-2.0
#include "tools/run/answer_view.h"

#include <algorithm>

#include "ir/base/strings.h"

namespace infer {
namespace {

constexpr std::string_view kDim = "\x1b[2m";
constexpr std::string_view kNormal = "\x1b[0m";

}  // namespace

void AnswerView::SetDim(bool dim) {
  if (!dim_ || dim == is_dim_) return;
  product_->Escape(dim ? kDim : kNormal);
  is_dim_ = dim;
}

bool AnswerView::Show(AnswerPart part, std::string_view text) {
  // Empty lines at the beginning follow a thought that is empty and not shown.
  if (is_empty_ && part == AnswerPart::kContent) {
    text.remove_prefix(std::min(text.find_first_not_of('\n'), text.size()));
  }
  if (text.empty()) return product_->Text(text);
  is_empty_ = false;
  const bool is_thought = part == AnswerPart::kThought;
  if (in_thought_ && !is_thought) product_->Text("</think>");
  if (is_thought || part != AnswerPart::kContent) SetDim(true);
  if (is_thought && !in_thought_) product_->Text("<think>");
  in_thought_ = is_thought;
  if (part == AnswerPart::kContent) SetDim(false);
  const bool line_start = at_line_start_;
  at_line_start_ = text.ends_with('\n') || part == AnswerPart::kToolArguments;
  if (part == AnswerPart::kToolName) {
    return product_->Text(StrCat(line_start ? "" : "\n", "[tool call] ", text, "\n"));
  }
  if (part == AnswerPart::kToolArguments) return product_->Text(StrCat(text, "\n"));
  return product_->Text(text);
}

}  // namespace infer
