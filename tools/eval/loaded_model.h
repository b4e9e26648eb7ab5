// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "absl/status/statusor.h"
#include "runtime/session.h"
#include "tools/api/model_file.h"
#include "tools/cli/tool.h"
#include "tools/eval/eval_options.h"

namespace infer {

// Tokens in a call unless -ub says otherwise. Logits of a chunk are rows x vocabulary floats: 64
// rows of Qwen3's take 39 MB.
inline constexpr int64_t kEvalChunk = 64;

// A model ready to be measured, together with what it depends on.
struct LoadedModel {
  std::unique_ptr<KernelRegistry> registry;
  std::unique_ptr<ModelFile> model;
  std::unique_ptr<Session> session;
};

absl::StatusOr<LoadedModel> LoadModel(const EvalOptions& options, int64_t context,
                                      ToolContext* tool);

// The tokens of the text, which is data: special tokens in it are plain text, as in llama.cpp's
// tool.
struct TextTokens {
  std::vector<int32_t> ids;
  std::optional<int32_t> bos;  // replaces the first token of each window
};
absl::StatusOr<TextTokens> ReadTokens(const EvalOptions& options, const ModelFile& model,
                                      Interrupt* interrupt);

}  // namespace infer
