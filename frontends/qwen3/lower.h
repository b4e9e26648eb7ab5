// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "absl/status/statusor.h"
#include "frontends/family/model_family.h"
#include "frontends/qwen3/config.h"
#include "frontends/qwen3/experts.h"
#include "ir/graph/graph.h"
#include "ir/program/weight_source.h"

namespace infer {

// Returns the model as a graph at stage imported: inputs %tokens and %batch, result logits [R,
// vocabulary]. An error names the tensor that is missing, misshapen, mistyped or not part of a
// Qwen3.
absl::StatusOr<Graph> LowerQwen3(const Qwen3Config& config, const WeightSource& weights,
                                 const LowerOptions& options);
// The same for a model whose feed-forward blocks are experts.
absl::StatusOr<Graph> LowerQwen3Moe(const Qwen3Config& config, const Qwen3Experts& experts,
                                    const WeightSource& weights, const LowerOptions& options);

}  // namespace infer
