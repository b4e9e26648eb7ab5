// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>

#include "absl/status/statusor.h"
#include "tools/api/embedder.h"
#include "tools/api/model_file.h"
#include "tools/api/reranker.h"
#include "tools/api/thread_choice.h"
#include "tools/cli/tool.h"
#include "tools/embed/embed_options.h"

namespace infer {

// A model ready to embed or rerank, together with what it depends on.
struct LoadedEmbedder {
  std::unique_ptr<KernelRegistry> registry;
  std::unique_ptr<ModelFile> model;
  std::unique_ptr<const Tokenizer> tokenizer;
  std::unique_ptr<Embedder> embedder;
  std::optional<Reranker> reranker;  // if asked for
};

absl::StatusOr<LoadedEmbedder> LoadEmbedder(const EmbedOptions& options, ToolContext* tool);

}  // namespace infer
