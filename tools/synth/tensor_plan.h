// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "tools/synth/gguf_stream_writer.h"
#include "tools/synth/shapes.h"
#include "tools/synth/weight_type.h"

namespace infer {

// Returns every tensor of a Qwen3 file in the order of llama.cpp's converter: vectors are norms in
// f32, matrices have the type that `type` gives them. Returns kInvalidArgument, naming the tensor,
// if a row is not a whole number of blocks.
absl::StatusOr<std::vector<GgufTensor>> PlanTensors(const ModelShape& shape, const WeightType& type,
                                                    uint32_t vocabulary_tokens);

}  // namespace infer
