// SPDX-License-Identifier: Apache-2.0
#include "frontends/tokenizer/marked_text.h"

#include <algorithm>
#include <utility>

namespace infer {

MarkedText MarkedText::FromRequest(std::string text) {
  MarkedText marked(std::move(text));
  if (!marked.text_.empty()) marked.request_.push_back({0, marked.text_.size()});
  return marked;
}

void MarkedText::Append(const MarkedText& other, size_t begin, size_t end) {
  end = std::min(end, other.size());
  if (begin >= end) return;
  const size_t base = text_.size();
  text_.append(other.text_, begin, end - begin);
  const auto first = std::partition_point(other.request_.begin(), other.request_.end(),
                                          [&](const Range& range) { return range.end <= begin; });
  // By index: `other` may be this object.
  for (auto i = static_cast<size_t>(first - other.request_.begin());
       i < other.request_.size() && other.request_[i].begin < end; ++i) {
    const Range range = other.request_[i];
    const Range moved = {base + std::max(range.begin, begin) - begin,
                         base + std::min(range.end, end) - begin};
    if (!request_.empty() && request_.back().end == moved.begin) {
      request_.back().end = moved.end;
    } else {
      request_.push_back(moved);
    }
  }
}

void MarkedText::Append(std::string_view text, bool from_request) {
  if (text.empty()) return;
  const size_t base = text_.size();
  text_ += text;
  if (!from_request) return;
  if (!request_.empty() && request_.back().end == base) {
    request_.back().end = text_.size();
  } else {
    request_.push_back({base, text_.size()});
  }
}

MarkedText MarkedText::Slice(size_t begin, size_t end) const {
  MarkedText part;
  part.Append(*this, begin, end);
  return part;
}

bool MarkedText::IsFromRequest(size_t position) const {
  auto it = std::partition_point(request_.begin(), request_.end(),
                                 [&](const Range& range) { return range.end <= position; });
  return it != request_.end() && it->begin <= position;
}

}  // namespace infer
