// SPDX-License-Identifier: Apache-2.0
//
// Flags about passes that several tools share.
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

// Registers --skip alone, for tools that compile on the way to something else.
void RegisterSkip(Flags& flags, std::vector<std::string>* skip);
void RegisterPassFlags(Flags& flags, PassFlags* options);

// Returns usage errors for unknown passes, passes that cannot be skipped and dumps without a
// destination; splits lists at their commas.
absl::Status CompleteSkip(std::vector<std::string>* skip);
absl::Status CompletePassFlags(PassFlags* options);

// Splits "a,b" and "c" into a, b, c; empty names are dropped.
std::vector<std::string> SplitNames(const std::vector<std::string>& lists);

}  // namespace infer
