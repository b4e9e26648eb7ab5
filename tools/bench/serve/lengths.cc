// SPDX-License-Identifier: Apache-2.0
#include "tools/bench/serve/lengths.h"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <numbers>
#include <optional>
#include <utility>

#include "ir/base/status_macros.h"
#include "ir/base/strings.h"
#include "tools/cli/exit_code.h"
#include "tools/cli/flag_text.h"

namespace infer::load {
namespace {

constexpr int64_t kHighest = 1 << 20;
constexpr size_t kMaxNumbers = 1'000'000;

std::optional<int64_t> LengthOf(std::string_view text) {
  const absl::StatusOr<int64_t> number = ParseInt<int64_t>(text);
  if (!number.ok() || *number < 1 || *number > kHighest) return std::nullopt;
  return *number;
}

}  // namespace

absl::StatusOr<Lengths> Lengths::Parse(std::string_view flag, const std::string& text) {
  const size_t colon = text.find(':');
  const std::string kind = colon == text.npos ? "" : text.substr(0, colon);
  const std::string rest = colon == text.npos ? text : text.substr(colon + 1);
  if (kind == "file") return FromFile(rest);
  const std::vector<std::string> parts = SplitWords(rest, ',');
  if (kind.empty() && parts.size() == 1) {
    if (const auto length = LengthOf(parts[0])) return Lengths(Uniform{*length, *length});
  }
  if (kind == "uniform" && parts.size() == 2) {
    const auto low = LengthOf(parts[0]);
    const auto high = LengthOf(parts[1]);
    if (low && high && *low <= *high) return Lengths(Uniform{*low, *high});
  }
  if (kind == "lognormal" && (parts.size() == 2 || parts.size() == 3)) {
    const auto median = LengthOf(parts[0]);
    const absl::StatusOr<double> sigma = ParseFloat(parts[1]);
    const auto highest = parts.size() == 3 ? LengthOf(parts[2]) : std::optional(kHighest);
    if (median && highest && sigma.ok() && *sigma >= 0 && *sigma <= 5) {
      return Lengths(Lognormal{static_cast<double>(*median), *sigma, *highest});
    }
  }
  return UsageError(StrCat(flag, " '", text,
                           "' is not a number of tokens, uniform:LOW,HIGH, "
                           "lognormal:MEDIAN,SIGMA[,HIGHEST] or file:PATH"));
}

absl::StatusOr<Lengths> Lengths::FromFile(const std::string& path) {
  std::ifstream file(path);
  if (!file) return absl::NotFoundError(StrCat("cannot read the lengths in '", path, "'"));
  std::vector<int64_t> numbers;
  for (std::string word; file >> word;) {
    const auto length = LengthOf(word);
    if (!length) {
      return absl::InvalidArgumentError(StrCat("'", path, "' has '", word.substr(0, 40),
                                               "', expected numbers from 1 to ", kHighest));
    }
    numbers.push_back(*length);
    if (numbers.size() > kMaxNumbers) {
      return absl::InvalidArgumentError(
          StrCat("'", path, "' has more than ", kMaxNumbers, " numbers"));
    }
  }
  if (numbers.empty()) return absl::InvalidArgumentError(StrCat("'", path, "' has no numbers"));
  return Lengths(std::move(numbers));
}

int64_t Lengths::Draw(Random& random) const {
  if (const auto* uniform = std::get_if<Uniform>(&kind_)) {
    const double span = static_cast<double>(uniform->high - uniform->low + 1);
    return uniform->low + static_cast<int64_t>(random.NextUnit() * span);
  }
  if (const auto* numbers = std::get_if<std::vector<int64_t>>(&kind_)) {
    return (*numbers)[random.Next() % numbers->size()];
  }
  const auto& lognormal = std::get<Lognormal>(kind_);
  const double radius = std::sqrt(-2 * std::log(1 - random.NextUnit()));
  const double normal = radius * std::cos(2 * std::numbers::pi * random.NextUnit());
  const double length = lognormal.median * std::exp(lognormal.sigma * normal);
  return static_cast<int64_t>(
      std::clamp(std::round(length), 1.0, static_cast<double>(lognormal.highest)));
}

int64_t Lengths::highest() const {
  if (const auto* uniform = std::get_if<Uniform>(&kind_)) return uniform->high;
  if (const auto* numbers = std::get_if<std::vector<int64_t>>(&kind_)) {
    return std::ranges::max(*numbers);
  }
  return std::get<Lognormal>(kind_).highest;
}

double DrawExponential(double mean, Random& random) {
  return -mean * std::log(1 - random.NextUnit());
}

Random RandomFor(uint64_t seed, uint64_t round, uint64_t index) {
  SplitMix64 mix(seed);
  SplitMix64 mix_round(mix.Next() ^ round);
  SplitMix64 mix_index(mix_round.Next() ^ index);
  return Random(mix_index.Next());
}

}  // namespace infer::load
