// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "absl/status/statusor.h"
#include "frontends/family/decoder_config.h"

namespace infer {

// Lowers a dense Llama: see ModelFamily::lower.
absl::StatusOr<Graph> LowerLlama(const DecoderConfig& config, const WeightSource& weights,
                                 const LowerOptions& options);

}  // namespace infer
