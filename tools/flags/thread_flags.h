// SPDX-License-Identifier: Apache-2.0
//
// Flags about threads, the same in every tool that has them.
#pragma once

#include <string>

#include "tools/api/thread_choice.h"
#include "tools/cli/console.h"
#include "tools/cli/flags.h"

namespace infer {

// Registers --threads, --pin and --threads-by.
void RegisterThreads(Flags& flags, ThreadRequest* options);
// Registers --threads alone, for a tool that needs only the number; `help` says what for.
void RegisterThreadCount(Flags& flags, ThreadRequest* options, std::string help);
// Registers the flags without --threads, for a tool that takes a list of counts.
void RegisterThreadKind(Flags& flags, ThreadRequest* options);

// Chooses threads for this machine, with a warning on the console if more are asked for than it has
// CPUs for this process.
ThreadChoice ChooseThreadsWithConsole(const ThreadRequest& request, Console* console);

}  // namespace infer
