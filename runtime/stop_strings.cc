// SPDX-License-Identifier: Apache-2.0
#include "runtime/stop_strings.h"

#include <algorithm>
#include <utility>

#include "ir/base/strings.h"

namespace infer {
namespace {

std::vector<uint16_t> Borders(std::string_view text) {
  std::vector<uint16_t> borders(text.size() + 1, 0);
  size_t border = 0;
  for (size_t i = 1; i < text.size(); ++i) {
    while (border > 0 && text[i] != text[border]) border = borders[border];
    if (text[i] == text[border]) ++border;
    borders[i + 1] = static_cast<uint16_t>(border);
  }
  return borders;
}

}  // namespace

absl::StatusOr<StopStrings> StopStrings::Create(std::vector<std::string> stops) {
  if (stops.size() > kMaxStopStrings) {
    return absl::InvalidArgumentError(
        StrCat(stops.size(), " stop strings given, at most ", kMaxStopStrings, " allowed"));
  }
  StopStrings matcher;
  for (size_t i = 0; i < stops.size(); ++i) {
    if (stops[i].empty()) {
      return absl::InvalidArgumentError(
          StrCat("stop string ", i + 1, " is empty; give it at least one byte"));
    }
    if (stops[i].size() > kMaxStopStringBytes) {
      return absl::InvalidArgumentError(StrCat("stop string ", i + 1, " has ", stops[i].size(),
                                               " bytes, at most ", kMaxStopStringBytes,
                                               " allowed"));
    }
    std::vector<uint16_t> borders = Borders(stops[i]);
    matcher.patterns_.push_back({std::move(stops[i]), std::move(borders), 0});
  }
  return matcher;
}

std::optional<size_t> StopStrings::Advance(char byte) {
  std::optional<size_t> complete;
  for (size_t i = 0; i < patterns_.size(); ++i) {
    Pattern& pattern = patterns_[i];
    size_t& matched = pattern.matched_bytes;
    while (matched > 0 && pattern.text[matched] != byte) matched = pattern.borders[matched];
    if (pattern.text[matched] == byte) ++matched;
    if (matched < pattern.text.size()) continue;
    if (!complete || pattern.text.size() > patterns_[*complete].text.size()) complete = i;
  }
  return complete;
}

size_t StopStrings::HeldBytes() const {
  size_t held_bytes = 0;
  for (const Pattern& pattern : patterns_) held_bytes = std::max(held_bytes, pattern.matched_bytes);
  return held_bytes;
}

std::string_view StopStrings::Push(std::string_view piece) {
  ready_.clear();
  if (found_) return ready_;
  for (const char byte : piece) {
    held_.push_back(byte);
    found_ = Advance(byte);
    if (!found_) continue;
    ready_.assign(held_, 0, held_.size() - patterns_[*found_].text.size());
    held_.clear();
    return ready_;
  }
  const size_t free_bytes = held_.size() - HeldBytes();
  ready_.assign(held_, 0, free_bytes);
  held_.erase(0, free_bytes);
  return ready_;
}

std::string_view StopStrings::Finish() {
  ready_.swap(held_);
  held_.clear();
  for (Pattern& pattern : patterns_) pattern.matched_bytes = 0;
  return ready_;
}

}  // namespace infer
