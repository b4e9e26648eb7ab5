// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "tools/api/model_file.h"

namespace infer {

// A model that drafts for another one.
struct DraftModel {
  std::unique_ptr<ModelFile> file;
  int64_t context = 0;  // positions it was trained for
};

// Opens a model file and checks that token ids mean the same to both models. Returns
// kInvalidArgument with the first token that differs.
absl::StatusOr<DraftModel> OpenDraftModel(const std::string& path, const ModelFile& model);

}  // namespace infer
