// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "absl/status/statusor.h"
#include "frontends/family/decoder_config.h"
#include "frontends/gguf/reader.h"

namespace infer {

// The numbers of a dense Qwen3.
using Qwen3Config = DecoderConfig;

// Returns an error for another architecture, and for a missing, mistyped or impossible number.
absl::StatusOr<Qwen3Config> ReadQwen3Config(const GgufFile& file,
                                            std::string_view architecture = "qwen3");

}  // namespace infer
