// SPDX-License-Identifier: Apache-2.0
#include "frontends/grammar/check_text.h"

#include <algorithm>
#include <array>
#include <utility>

#include "absl/strings/str_format.h"
#include "frontends/grammar/grammar_matcher.h"
#include "ir/base/strings.h"

namespace infer {
namespace {

std::string ShownByte(int byte) {
  if (byte == ' ') return "space";
  if (byte == '\n') return "\\n";
  if (byte == '\r') return "\\r";
  if (byte == '\t') return "\\t";
  if (byte > 0x20 && byte < 0x7F) return std::string(1, static_cast<char>(byte));
  return absl::StrFormat("byte %02x", byte);
}

// Lists the bytes that can follow, runs of them as a range.
std::string Expected(GrammarMatcher& matcher, const GrammarState& state) {
  std::array<bool, 257> allowed = {};
  GrammarState next;
  for (int byte = 0; byte < 256; ++byte) {
    matcher.Step(state, static_cast<uint8_t>(byte), &next);
    allowed[static_cast<size_t>(byte)] = !next.IsDead();
  }
  std::string out;
  const auto append = [&](const std::string& text) {
    StrAppend(&out, out.empty() ? "" : ", ", text);
  };
  for (int first = 0; first < 256; ++first) {
    if (!allowed[static_cast<size_t>(first)]) continue;
    int last = first;
    while (allowed[static_cast<size_t>(last) + 1]) ++last;
    const int run = last - first + 1;
    if (run >= 3) {
      append(StrCat(ShownByte(first), " to ", ShownByte(last)));
    } else {
      for (int byte = first; byte <= last; ++byte) append(ShownByte(byte));
    }
    first = last;
  }
  if (state.accepts) append("the end of the text");
  return out.empty() ? "nothing" : out;
}

}  // namespace

std::optional<TextRefusal> CheckText(const std::shared_ptr<const Grammar>& grammar,
                                     std::string_view text) {
  GrammarMatcher matcher(grammar);
  GrammarState state = matcher.start(), next;
  size_t at = 0;
  for (; at < text.size(); ++at) {
    matcher.Step(state, static_cast<uint8_t>(text[at]), &next);
    if (next.IsDead()) break;
    std::swap(state, next);
    constexpr size_t kManyFrames = 100'000;
    if (matcher.frames() > kManyFrames) matcher.Compact(&state);
  }
  if (at == text.size() && state.accepts) return std::nullopt;
  TextRefusal refusal;
  const std::string_view before = text.substr(0, at);
  refusal.byte = at;
  refusal.line = 1 + static_cast<size_t>(std::ranges::count(before, '\n'));
  refusal.column = at - (before.rfind('\n') + 1) + 1;
  refusal.found =
      at == text.size() ? "the end of the text" : ShownByte(static_cast<uint8_t>(text[at]));
  const bool at_limit = matcher.reached_limit();
  refusal.expected = Expected(matcher, state);
  if (at_limit && refusal.expected == "nothing") {
    refusal.expected = "a text within the limits on depth and ambiguity";
  }
  return refusal;
}

}  // namespace infer
