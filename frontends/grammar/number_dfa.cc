// SPDX-License-Identifier: Apache-2.0
#include "frontends/grammar/number_dfa.h"

#include <map>
#include <utility>

#include "absl/status/status.h"
#include "frontends/grammar/number_reader.h"
#include "ir/base/status_macros.h"

namespace infer {
namespace {

constexpr size_t kMaxStates = 40'000;
// Of a state: each of 14 symbols is looked up. A budget has 560,000 of them, 16 MB.
constexpr size_t kStateSteps = 480;
constexpr std::string_view kSymbolBytes = "0123456789-+.e";

}  // namespace

int NumberDfa::SymbolOf(uint8_t byte) {
  if (byte >= '0' && byte <= '9') return byte - '0';
  if (byte == '-') return 10;
  if (byte == '+') return 11;
  if (byte == '.') return 12;
  return byte == 'e' || byte == 'E' ? 13 : -1;
}

uint16_t NumberDfa::Next(uint16_t state, uint8_t byte) const {
  const int symbol = SymbolOf(byte);
  return symbol < 0 ? kDead : next_[state][static_cast<size_t>(symbol)];
}

absl::StatusOr<NumberDfa> NumberDfa::Create(const NumberBounds& bounds, CompileBudget* budget) {
  ASSIGN_OR_RETURN(const NumberReader reader, NumberReader::Create(bounds));
  NumberDfa dfa;
  std::map<NumberRead, uint16_t> ids = {{NumberRead{}, 0}};
  std::vector<NumberRead> reads = {NumberRead{}};
  for (size_t state = 0; state < reads.size(); ++state) {
    if (!budget->TakeSteps(kStateSteps)) {
      return absl::InvalidArgumentError(
          "the bounds and multipleOf of the numbers need too many states together; use fewer "
          "digits");
    }
    const NumberRead from = reads[state];
    dfa.accepting_.push_back(reader.Accepts(from));
    std::array<uint16_t, kSymbols>& next = dfa.next_.emplace_back();
    for (size_t symbol = 0; symbol < kSymbols; ++symbol) {
      const std::optional<NumberRead> read = reader.Next(from, kSymbolBytes[symbol]);
      next[symbol] = kDead;
      if (!read) continue;
      const auto [it, added] = ids.try_emplace(*read, static_cast<uint16_t>(reads.size()));
      if (added) reads.push_back(*read);
      next[symbol] = it->second;
    }
    if (reads.size() > kMaxStates) {
      return absl::InvalidArgumentError(
          "the bounds and multipleOf together need too many states; use fewer digits");
    }
  }
  dfa.RemoveDeadStates();
  return dfa;
}

void NumberDfa::RemoveDeadStates() {
  std::vector<std::vector<uint16_t>> from(next_.size());
  for (size_t state = 0; state < next_.size(); ++state) {
    for (const uint16_t next : next_[state]) {
      if (next != kDead) from[next].push_back(static_cast<uint16_t>(state));
    }
  }
  std::vector<bool> live = accepting_;
  std::vector<uint16_t> work;
  for (size_t state = 0; state < live.size(); ++state) {
    if (live[state]) work.push_back(static_cast<uint16_t>(state));
  }
  while (!work.empty()) {
    const uint16_t state = work.back();
    work.pop_back();
    for (const uint16_t previous : from[state]) {
      if (live[previous]) continue;
      live[previous] = true;
      work.push_back(previous);
    }
  }
  for (auto& row : next_) {
    for (uint16_t& next : row) {
      if (next != kDead && !live[next]) next = kDead;
    }
  }
  if (!live[0]) accepting_.clear();
}

}  // namespace infer
