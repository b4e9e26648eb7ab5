// SPDX-License-Identifier: Apache-2.0
#include "tools/bench/number_list.h"

#include "ir/base/status_macros.h"
#include "ir/base/strings.h"
#include "tools/cli/exit_code.h"
#include "tools/cli/flag_text.h"

namespace infer {
namespace {

constexpr size_t kMostNumbers = 1000;
constexpr int64_t kLargest = int64_t{1} << 40;  // so that a step past the end cannot overflow

struct Progression {
  int64_t first = 0;
  int64_t last = 0;
  int64_t step = 1;
  bool multiply = false;

  int64_t After(int64_t number) const { return multiply ? number * step : number + step; }
};

absl::StatusOr<int64_t> ParseOne(std::string_view text) {
  ASSIGN_OR_RETURN(uint64_t number, ParseInt<uint64_t>(text));
  if (number > static_cast<uint64_t>(kLargest)) {
    return absl::InvalidArgumentError(StrCat("'", text, "' is more than ", kLargest));
  }
  return static_cast<int64_t>(number);
}

absl::StatusOr<Progression> ParsePart(std::string_view part) {
  Progression range;
  const size_t dash = part.find('-');
  if (dash == std::string_view::npos) {
    ASSIGN_OR_RETURN(range.first, ParseOne(part));
    range.last = range.first;
    return range;
  }
  const size_t sign = part.find_first_of("+*", dash);
  ASSIGN_OR_RETURN(range.first, ParseOne(part.substr(0, dash)));
  ASSIGN_OR_RETURN(range.last, ParseOne(part.substr(dash + 1, sign - dash - 1)));
  if (range.last < range.first) {
    return absl::InvalidArgumentError(StrCat("'", part, "' ends before it begins"));
  }
  if (sign == std::string_view::npos) return range;
  ASSIGN_OR_RETURN(range.step, ParseOne(part.substr(sign + 1)));
  range.multiply = part[sign] == '*';
  if (range.After(range.first) <= range.first) {
    return absl::InvalidArgumentError(StrCat("'", part, "' does not grow"));
  }
  return range;
}

absl::Status Append(std::string_view text, int64_t lowest, std::vector<int64_t>* numbers) {
  for (const std::string& part : SplitWords(text, ',')) {
    ASSIGN_OR_RETURN(Progression range, ParsePart(part));
    if (range.first < lowest) {
      return absl::InvalidArgumentError(StrCat(range.first, " is below ", lowest));
    }
    for (int64_t number = range.first; number <= range.last; number = range.After(number)) {
      if (numbers->size() == kMostNumbers) {
        return absl::InvalidArgumentError(StrCat("more than ", kMostNumbers, " numbers"));
      }
      numbers->push_back(number);
    }
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::vector<int64_t>> ParseNumberList(std::string_view flag,
                                                     const std::vector<std::string>& texts,
                                                     int64_t lowest) {
  std::vector<int64_t> numbers;
  for (const std::string& text : texts) {
    absl::Status status = Append(text, lowest, &numbers);
    if (!status.ok()) {
      return UsageError(StrCat(flag, " '", text, "': ", ToStd(status.message()),
                               "; expected numbers or ranges such as 1,8,16-64+16 or 1-64*2"));
    }
  }
  return numbers;
}

}  // namespace infer
