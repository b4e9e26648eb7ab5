// SPDX-License-Identifier: Apache-2.0
#include "tools/api/compile_to_run.h"

#include <set>
#include <string>
#include <vector>

#include "ir/base/control_chars.h"
#include "ir/base/status_macros.h"
#include "ir/base/strings.h"
#include "runtime/program_devices.h"

namespace infer {
namespace {

// Keeps the findings of each attempt until the last attempt is known.
class Attempts {
 public:
  explicit Attempts(const CompileModelOptions& options) : options_(options), each_(options) {
    each_.warn = [this](const std::string& text) { warnings_.push_back(text); };
  }

  absl::StatusOr<Program> Compile(const ModelFile& model, const KernelRegistry& registry) {
    warnings_.clear();
    if (each_.findings != nullptr) each_.findings->clear();
    return CompileModel(model, registry, each_);
  }
  void Warn(const std::string& text) const {
    if (options_.warn) options_.warn(text);
  }
  void Finish() const {
    for (const std::string& text : warnings_) Warn(text);
  }

 private:
  const CompileModelOptions& options_;
  CompileModelOptions each_;
  std::vector<std::string> warnings_;
};

}  // namespace

absl::StatusOr<Program> CompileToRun(const ModelFile& model, const KernelRegistry& registry,
                                     const CompileModelOptions& options) {
  std::set<std::string> known;
  for (const KernelFailure& failure : registry.Failures()) known.insert(failure.kernel);
  Attempts attempts(options);
  // Runs once, unless the replacement of a broken kernel does not work either; each round has fewer
  // kernels.
  while (true) {
    ASSIGN_OR_RETURN(Program program, attempts.Compile(model, registry));
    const absl::Status loaded = LoadDevices(program, registry);
    if (loaded.ok()) {
      attempts.Finish();
      return program;
    }
    bool failed_now = false;
    for (const KernelFailure& failure : registry.Failures()) {
      if (!known.insert(failure.kernel).second) continue;
      failed_now = true;
      attempts.Warn(StrCat("kernel ", failure.kernel,
                           " does not work here and is left out: ", FirstLine(failure.text)));
    }
    if (!failed_now) return loaded;
  }
}

}  // namespace infer
