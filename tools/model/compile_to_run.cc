// SPDX-License-Identifier: Apache-2.0
#include "tools/model/compile_to_run.h"

#include <set>
#include <string>
#include <string_view>

#include "ir/status_macros.h"
#include "ir/strings.h"
#include "runtime/program_devices.h"

namespace infer {
namespace {

std::string_view FirstLine(std::string_view text) { return text.substr(0, text.find('\n')); }

}  // namespace

absl::StatusOr<Program> CompileToRun(const ModelFile& model, const KernelRegistry& registry,
                                     const CompileModelOptions& options) {
  std::set<std::string> known;
  for (const KernelFailure& failure : registry.Failures()) known.insert(failure.kernel);
  // Once, unless what takes a kernel's place does not work either; each time there is one less.
  while (true) {
    ASSIGN_OR_RETURN(Program program, CompileModel(model, registry, options));
    const absl::Status loaded = LoadDevices(program, registry);
    if (loaded.ok()) return program;
    bool failed_now = false;
    for (const KernelFailure& failure : registry.Failures()) {
      if (!known.insert(failure.kernel).second) continue;
      failed_now = true;
      if (options.warn) {
        options.warn(StrCat("kernel ", failure.kernel,
                            " does not work here and is left out: ", FirstLine(failure.text)));
      }
    }
    if (!failed_now) return loaded;
  }
}

}  // namespace infer
