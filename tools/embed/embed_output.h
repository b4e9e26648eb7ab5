// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "tools/embed/embed_options.h"

namespace infer {

using WriteBytes = std::function<absl::Status(std::string_view bytes)>;

// Writes vectors one after the other, in the chosen format.
class VectorWriter {
 public:
  VectorWriter(EmbedFormat format, WriteBytes write) : format_(format), write_(std::move(write)) {}

  absl::Status Add(std::span<const float> vector);
  // Ends the JSON with the model's name and the number of tokens read.
  absl::Status Finish(std::string_view model, int64_t tokens);

 private:
  const EmbedFormat format_;
  const WriteBytes write_;
  int64_t count_ = 0;
};

// Returns scores of documents: JSON with the best first, lines "index,score" or raw f32, these two
// in the order of the documents.
std::string ScoresText(EmbedFormat format, std::span<const double> scores, std::string_view model,
                       int64_t tokens);

}  // namespace infer
