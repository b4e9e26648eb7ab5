// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "absl/status/statusor.h"
#include "frontends/family/decoder_config.h"

namespace infer {

// Lowers a dense Qwen2 or Qwen2.5: see ModelFamily::lower.
absl::StatusOr<Graph> LowerQwen2(const DecoderConfig& config, const WeightSource& weights,
                                 const LowerOptions& options);

}  // namespace infer
