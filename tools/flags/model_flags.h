// SPDX-License-Identifier: Apache-2.0
//
// Flags about a model that several tools share, each with one name, default and help text.
#pragma once

#include <string>

#include "absl/status/status.h"
#include "tools/api/compile_model.h"
#include "tools/api/load_session.h"
#include "tools/cli/flags.h"
#include "tools/flags/thread_flags.h"

namespace infer {

struct ModelFlags {
  std::string model;  // empty means the bundled model
  CompileModelOptions compile = {.candidates = kSamplerCandidates};
  PackCacheRequest pack_cache;
  ThreadRequest threads;
  std::string no_pack = {};  // a class of weights: "experts"
};

// Opens the section "Model" with the flags of every tool that compiles a model: --model,
// --activations, --kv-type and --skip.
void RegisterModelFlags(Flags& flags, ModelFlags* options);

// Registers --policy and the flags that go with it.
void RegisterPolicy(Flags& flags, ModelFlags* options);
// Registers --place, -ot, -ngl and --strict, for tools that get the policy in another way.
void RegisterOverrides(Flags& flags, ModelFlags* options);
// Registers --ctx-size and --ubatch-size.
void RegisterCallSizes(Flags& flags, ModelFlags* options);
// Registers --pack-cache, for tools that load weights.
void RegisterPackCache(Flags& flags, ModelFlags* options);

// Returns usage errors for passes that do not exist or cannot be skipped; splits lists at their
// commas.
absl::Status CompleteModelFlags(ModelFlags* options);

// For use with a stored Program: returns a usage error if a flag was given that affects
// compilation.
absl::Status RefuseCompileFlags(const Flags& flags);

}  // namespace infer
