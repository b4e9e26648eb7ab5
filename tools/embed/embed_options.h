// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "frontends/family/model_family.h"
#include "tools/cli/flags.h"
#include "tools/flags/model_flags.h"

namespace infer {

enum class EmbedFormat { kJson, kCsv, kRaw };

// The command line of infer-embed.
struct EmbedOptions {
  ModelFlags model;
  std::vector<std::string> texts;  // of -p
  std::string file;                // empty means stdin
  bool jsonl = false;
  Pooling pooling = Pooling::kNone;  // none: as the file says
  std::string instruction;
  int64_t dimensions = 0;  // 0: all
  bool normalize = true;
  std::optional<std::string> rerank;  // the query
  int64_t sequences = 0;              // texts in a call; 0 means the default
  EmbedFormat format = EmbedFormat::kJson;
  std::string output = "-";
};

void RegisterFlags(Flags& flags, EmbedOptions* options);

// Returns usage errors for flags that do not go together.
absl::Status CheckOptions(const Flags& flags, const EmbedOptions& options);

}  // namespace infer
