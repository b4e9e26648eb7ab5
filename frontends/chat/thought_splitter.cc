// SPDX-License-Identifier: Apache-2.0
#include "frontends/chat/thought_splitter.h"

#include "frontends/chat/partial_match.h"

namespace infer {
namespace {

constexpr std::string_view kOpen = "<think>";
constexpr std::string_view kClose = "</think>";
constexpr std::string_view kWhiteSpace = " \t\r\n";

}  // namespace

void ThoughtSplitter::Feed(std::string_view piece) {
  held_ += piece;
  if (state_ == State::kStart) {
    const size_t begin = held_.find_first_not_of(kWhiteSpace);
    if (begin == std::string::npos) return;  // the tag may still come
    std::string_view rest = std::string_view(held_).substr(begin);
    if (rest.size() < kOpen.size() && kOpen.starts_with(rest)) return;
    if (rest.starts_with(kOpen)) {
      if (begin > 0) emit_(Kind::kContent, std::string_view(held_).substr(0, begin));
      held_.erase(0, begin + kOpen.size());
      state_ = State::kInside;
    } else {
      state_ = State::kAfter;
    }
  }
  if (state_ == State::kInside) {
    const size_t close = held_.find(kClose);
    const size_t end =
        close != std::string::npos ? close : held_.size() - PartialMatchBytes(held_, kClose);
    if (end > 0) emit_(Kind::kThought, std::string_view(held_).substr(0, end));
    held_.erase(0, close != std::string::npos ? close + kClose.size() : end);
    if (close == std::string::npos) return;
    state_ = State::kAfter;
  }
  if (state_ == State::kAfter && !held_.empty()) {
    emit_(Kind::kContent, held_);
    held_.clear();
  }
}

void ThoughtSplitter::Finish() {
  if (held_.empty()) return;
  emit_(state_ == State::kInside ? Kind::kThought : Kind::kContent, held_);
  held_.clear();
}

}  // namespace infer
