// SPDX-License-Identifier: Apache-2.0
#include "frontends/grammar/string_tokens.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string_view>

#include "frontends/grammar/partial_char.h"

namespace infer {
namespace {

struct Reading {
  uint32_t characters = 0;           // begun, the last perhaps unfinished
  std::optional<size_t> quote = {};  // where the string is closed
};

// Returns nothing if the token cannot stand here.
std::optional<Reading> ReadInside(std::string_view bytes) {
  Reading reading;
  PartialChar partial;
  for (size_t i = 0; i < bytes.size(); ++i) {
    const auto byte = static_cast<uint8_t>(bytes[i]);
    if (partial.mode == PartialChar::kNone) {
      if (byte == '"') {
        reading.quote = i;
        return reading;
      }
      ++reading.characters;
    }
    const CharStep step = StepJsonChar(byte, &partial);
    if (step == CharStep::kRefused) return std::nullopt;
    if (step == CharStep::kComplete) partial = {};
  }
  return reading;
}

}  // namespace

StringTokens::StringTokens(const std::vector<std::pair<std::string, int32_t>>& tokens,
                           int32_t token_count)
    : inside_(kMasks, TokenMask(token_count)) {
  std::map<std::string, std::vector<Closer>> by_suffix;
  std::vector<std::pair<std::string, int32_t>> whole;
  for (const auto& [bytes, token] : tokens) {
    const std::optional<Reading> reading = ReadInside(bytes);
    if (!reading || bytes.empty()) continue;
    const uint32_t characters = reading->characters;
    if (!reading->quote) {
      for (uint32_t i = std::min(characters, kMasks - 1); i < kMasks; ++i) inside_[i].Add(token);
      if (characters >= kMasks - 1) long_inside_.push_back({characters, token});
      continue;
    }
    whole.push_back({bytes, token});
    const std::string suffix = bytes.substr(*reading->quote + 1);
    (suffix.empty() ? plain_closers_ : by_suffix[suffix]).push_back({characters, token});
  }
  std::vector<std::pair<std::string, int32_t>> suffixes;
  for (auto& [suffix, list] : by_suffix) {
    suffixes.push_back({suffix, static_cast<int32_t>(closers_.size())});
    closers_.push_back(std::move(list));
  }
  after_quote_ = TokenTrie(std::move(suffixes));
  whole_closers_ = TokenTrie(std::move(whole));
}

void StringTokens::AddInside(uint32_t characters, TokenMask* mask) const {
  if (characters < kMasks - 1) return mask->Add(inside_[characters]);
  if (characters == kNoLimit) return mask->Add(inside_.back());
  mask->Add(inside_[kMasks - 2]);
  for (const Closer& token : long_inside_) {
    if (token.characters <= characters) mask->Add(token.token);
  }
}

}  // namespace infer
