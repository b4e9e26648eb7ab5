// SPDX-License-Identifier: Apache-2.0
#include "tools/run/answer_view.h"

#include <algorithm>
#include <utility>

namespace infer {
namespace {

constexpr std::string_view kDim = "\x1b[2m";
constexpr std::string_view kNormal = "\x1b[0m";
constexpr std::string_view kOpen = "<think>";
constexpr std::string_view kClose = "</think>";

// Returns how many bytes at the end of `text` could be the beginning of `tag`.
size_t TagBytesAtEnd(std::string_view text, std::string_view tag) {
  for (size_t bytes = std::min(text.size(), tag.size() - 1); bytes > 0; --bytes) {
    if (text.ends_with(tag.substr(0, bytes))) return bytes;
  }
  return 0;
}

}  // namespace

void AnswerView::SetDim(bool dim) {
  if (!dim_ || dim == is_dim_) return;
  product_->Escape(dim ? kDim : kNormal);
  is_dim_ = dim;
}

bool AnswerView::Show(AnswerPart part, std::string_view text) {
  if (text.empty()) return product_->Text(text);
  SetDim(part != AnswerPart::kContent);
  return product_->Text(text);
}

bool AnswerSplitter::Push(std::string_view text) {
  held_ += text;
  if (state_ == State::kStart) {
    const size_t begin = held_.find_first_not_of(" \t\r\n");
    if (begin == std::string::npos) return true;
    const std::string_view rest = std::string_view(held_).substr(begin);
    if (rest.size() < kOpen.size() && kOpen.starts_with(rest)) return true;
    state_ = rest.starts_with(kOpen) ? State::kThought : State::kContent;
  }
  if (state_ == State::kThought) {
    const size_t close = held_.find(kClose);
    size_t shown = held_.size() - TagBytesAtEnd(held_, kClose);
    if (close != std::string::npos) shown = close + kClose.size();
    if (!view_->Show(AnswerPart::kThought, std::string_view(held_).substr(0, shown))) return false;
    held_.erase(0, shown);
    if (close == std::string::npos) return true;
    state_ = State::kContent;
  }
  return view_->Show(AnswerPart::kContent, std::exchange(held_, {}));
}

bool AnswerSplitter::Finish() {
  const AnswerPart part = state_ == State::kThought ? AnswerPart::kThought : AnswerPart::kContent;
  return view_->Show(part, std::exchange(held_, {}));
}

}  // namespace infer
