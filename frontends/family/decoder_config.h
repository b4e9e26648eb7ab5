// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "frontends/family/model_family.h"
#include "frontends/gguf/reader.h"
#include "ir/ops/ops.h"

namespace infer {

// The numbers of a dense decoder, read from a file's metadata alone. All of them are checked.
struct DecoderConfig {
  std::string name;  // general.name, or the file's name if it has none
  int64_t layers = 0;
  int64_t hidden = 0;
  int64_t heads = 0;
  int64_t kv_heads = 0;
  int64_t head_dim = 0;  // independent of hidden / heads
  int64_t feed_forward = 0;
  int64_t vocabulary = 0;  // rows of the token matrix
  int64_t context = 0;     // positions the model was trained for
  double eps = 0;
  ops::RopeParams rope;
  bool tied = false;  // the token matrix is also the output matrix
  Pooling pooling = Pooling::kNone;
  std::vector<std::string> labels;  // of a classifier, whose matrix replaces the output matrix
};

// Reads the keys `architecture`.*. Returns an error if the file is of another architecture, and for
// a missing, mistyped or impossible number.
absl::StatusOr<DecoderConfig> ReadDecoderConfig(const GgufFile& file,
                                                std::string_view architecture);

// Returns the part that the rest of the project sees.
ModelConfig PublicPart(const DecoderConfig& config);

}  // namespace infer
