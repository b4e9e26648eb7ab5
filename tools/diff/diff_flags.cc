// SPDX-License-Identifier: Apache-2.0
#include "tools/diff/diff_flags.h"

#include <algorithm>

#include "ir/base/nearest.h"
#include "ir/base/strings.h"
#include "tools/cli/exit_code.h"

namespace infer {

void RegisterFailOn(Flags& flags, std::vector<std::string>* fail_on) {
  flags.TextList("--fail-on", fail_on, "WHAT",
                 "exit code 6 if this differs: placement, graph or memory; repeatable");
}

absl::Status CheckDiffArguments(std::string_view what, const std::vector<std::string>& programs,
                                const std::vector<std::string>& fail_on) {
  if (programs.size() != 2) {
    return UsageError(StrCat(what, " compares two stored programs, got ", programs.size(),
                             "; for example: ", what, " a.pb b.pb"));
  }
  static constexpr std::string_view kParts[] = {"placement", "graph", "memory"};
  for (const std::string& part : fail_on) {
    if (std::ranges::find(kParts, part) != std::end(kParts)) continue;
    return UsageError(StrCat("--fail-on ", part, ": expected placement, graph or memory",
                             DidYouMean(part, std::span<const std::string_view>(kParts))));
  }
  return absl::OkStatus();
}

}  // namespace infer
