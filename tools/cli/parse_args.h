// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "tools/cli/flag.h"

namespace infer {

struct ParsedArgs {
  std::map<const Flag*, std::vector<std::string>> values;  // only flags that were given
  std::vector<std::string> positionals;
};

// Splits `args` into flags with their texts and positionals. Knows spelling and arity, not types.
// Errors are usage errors that point to the --help of `program`.
absl::StatusOr<ParsedArgs> ParseArgs(std::string_view program,
                                     const std::vector<const Flag*>& flags,
                                     const std::vector<std::string>& args);

// A flag as a user may spell it: `--kv_type=f16`, `--no-chat`, `-ngl`.
struct FlagToken {
  const Flag* flag = nullptr;  // nullptr if there is no such flag
  bool negated = false;
  bool has_value = false;
  std::string value;
};

// Returns false for positionals, `-` and negative numbers.
bool LooksLikeFlag(std::string_view arg);
FlagToken ReadFlagToken(const std::vector<const Flag*>& flags, std::string_view arg);

}  // namespace infer
