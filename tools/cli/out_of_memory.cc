// SPDX-License-Identifier: Apache-2.0
#include "tools/cli/out_of_memory.h"

#include <unistd.h>

#include <new>
#include <string_view>

#include "tools/cli/exit_code.h"
#include "tools/cli/temp_registry.h"

namespace infer {
namespace {

[[noreturn]] void Exit() {
  RemoveRegisteredTemps();
  constexpr std::string_view kLine =
      "error: out of memory; try a smaller model, context or batch\n";
  // Whether the line could be written makes no difference.
  [[maybe_unused]] const ssize_t written = write(STDERR_FILENO, kLine.data(), kLine.size());
  _exit(kExitNoMemory);
}

}  // namespace

void ExitWhenOutOfMemory() { std::set_new_handler(Exit); }

}  // namespace infer
