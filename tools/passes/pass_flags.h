// SPDX-License-Identifier: Apache-2.0
//
// The flags about passes that several tools share.
#pragma once

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "tools/cli/flags.h"

namespace infer {

struct PassFlags {
  std::vector<std::string> dump_before;  // pass names, or "all"
  std::vector<std::string> dump_after;
  std::string dump_dir;
  bool print_times = false;
  std::string log;  // JSON file
};

// --skip alone, for tools that compile on the way to something else.
void RegisterSkip(Flags& flags, std::vector<std::string>* skip);
void RegisterPassFlags(Flags& flags, PassFlags* options);

// Usage errors for names that are no passes, passes that cannot be skipped and dumps without a
// place; splits lists at their commas.
absl::Status CompleteSkip(std::vector<std::string>* skip);
absl::Status CompletePassFlags(PassFlags* options);

// "a,b" and "c" as a, b, c; empty names are left out.
std::vector<std::string> SplitNames(const std::vector<std::string>& lists);

}  // namespace infer
