// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string_view>

#include "absl/status/statusor.h"

namespace infer {

// A PCRE2 pattern that is searched for in names. PCRE2, because the text comes from a file: its
// matching has limits on time and depth, which std::regex lacks.
class NameFilter {
 public:
  // An empty pattern matches everything.
  static absl::StatusOr<NameFilter> Make(std::string_view pattern);

  NameFilter(NameFilter&&) noexcept;
  ~NameFilter();

  bool Matches(std::string_view name) const;

 private:
  struct Code;
  explicit NameFilter(std::unique_ptr<Code> code);
  std::unique_ptr<Code> code_;  // null if everything matches
};

}  // namespace infer
