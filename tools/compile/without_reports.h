// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <utility>

#include "tools/api/compile_model.h"

namespace infer {

// Returns the options without everything that observes a compilation or reads the weights, for
// compiling a model again to compare with.
inline CompileModelOptions WithoutReports(CompileModelOptions options) {
  options.hash = HashMode::kNone;
  options.observer = {};
  options.compile_ms = nullptr;
  options.on_imported = {};
  options.findings = nullptr;
  options.warn = {};
  return options;
}

}  // namespace infer
