// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "tools/cli/flags.h"
#include "tools/flags/model_flags.h"

namespace infer {

// The command line of infer-eval, both modes.
struct EvalOptions {
  ModelFlags model;

  std::vector<std::string> id_texts;
  std::vector<std::vector<int32_t>> prompts;  // the token ids in them; see ReadPrompts
  bool all_positions = false;
  std::string hidden;
  std::string output;
  int64_t chunk = 0;           // tokens in a call; 0 means the default
  int64_t logits_context = 0;  // 0 means the ids of the longest prompt
  bool paged = false;

  std::string text_file;  // empty means stdin
  int64_t context = 512;
  std::string format = "text";

  std::string against;  // "reference" or a file of probabilities
  std::string of;       // a file whose probabilities are measured instead of the model's
};

void RegisterFlags(Flags& flags, EvalOptions* options);

// Reads the token ids of each --ids. Returns a usage error for anything but numbers and commas.
absl::Status ReadPrompts(EvalOptions* options);

// Converts the argument of --hidden ("embedding", "final_norm" or a layer's number) to the origin
// of a value of the graph; empty stays empty. Returns a usage error for anything else.
absl::StatusOr<std::string> HiddenOrigin(const std::string& hidden);

}  // namespace infer
