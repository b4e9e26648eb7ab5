// SPDX-License-Identifier: Apache-2.0
//
// The flags about a model that several tools share, each with one name, default and help text.
#pragma once

#include <string>

#include "absl/status/status.h"
#include "tools/api/compile_model.h"
#include "tools/cli/flags.h"
#include "tools/flags/thread_flags.h"

namespace infer {

struct ModelFlags {
  std::string model;  // empty: the bundled one
  CompileModelOptions compile;
  bool pack_cache = false;
  ThreadRequest threads;
};

// Opens the section "Model" with what every tool has that compiles a model: --model, --activations,
// --kv-type and --skip.
void RegisterModelFlags(Flags& flags, ModelFlags* options);

// --policy and the flags beside it.
void RegisterPolicy(Flags& flags, ModelFlags* options);
// --place, -ot, -ngl and --strict, for tools that get the policy in another way.
void RegisterOverrides(Flags& flags, ModelFlags* options);
// --ctx-size and --ubatch-size.
void RegisterCallSizes(Flags& flags, ModelFlags* options);
// For tools that load weights.
void RegisterPackCache(Flags& flags, ModelFlags* options);

// Usage errors for passes that are not there or cannot be left out; splits lists at their commas.
absl::Status CompleteModelFlags(ModelFlags* options);

// With a stored Program: a usage error if a flag was given that changes what is compiled.
absl::Status RefuseCompileFlags(const Flags& flags);

}  // namespace infer
