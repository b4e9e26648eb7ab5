// SPDX-License-Identifier: Apache-2.0
//
// The flags about threads, the same in every tool that has them.
#pragma once

#include <string>

#include "tools/api/thread_choice.h"
#include "tools/cli/flags.h"

namespace infer {

// --threads, --pin and --threads-by.
void RegisterThreads(Flags& flags, ThreadRequest* options);
// --threads alone, for a tool that only counts with them; `help` says for what.
void RegisterThreadCount(Flags& flags, ThreadRequest* options, std::string help);
// Without --threads, for a tool that takes a list of counts.
void RegisterThreadKind(Flags& flags, ThreadRequest* options);

}  // namespace infer
