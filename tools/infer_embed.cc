// SPDX-License-Identifier: Apache-2.0
#include <chrono>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "absl/strings/str_format.h"
#include "ir/base/status_macros.h"
#include "ir/base/strings.h"
#include "tools/api/embedding_text.h"
#include "tools/api/input.h"
#include "tools/cli/progress.h"
#include "tools/cli/tool.h"
#include "tools/embed/embed_input.h"
#include "tools/embed/embed_output.h"
#include "tools/embed/loaded_embedder.h"

namespace infer {
namespace {

constexpr uint64_t kMaxInputBytes = uint64_t{1} << 30;

absl::StatusOr<std::vector<std::string>> ReadTexts(const EmbedOptions& options) {
  if (!options.texts.empty()) return options.texts;
  const std::string path = options.file.empty() ? "-" : options.file;
  ASSIGN_OR_RETURN(const std::string input, ReadInput(path, kMaxInputBytes));
  if (!options.jsonl) return TextLines(input);
  absl::StatusOr<std::vector<std::string>> texts = JsonLines(input);
  if (texts.ok()) return texts;
  return absl::Status(texts.status().code(), StrCat(path, ": ", ToStd(texts.status().message())));
}

absl::StatusOr<std::vector<std::vector<int32_t>>> TokensOf(const std::vector<std::string>& texts,
                                                           const EmbedOptions& options,
                                                           const LoadedEmbedder& loaded) {
  std::vector<std::vector<int32_t>> tokens;
  tokens.reserve(texts.size());
  for (const std::string& text : texts) {
    ASSIGN_OR_RETURN(tokens.emplace_back(),
                     loaded.reranker
                         ? loaded.reranker->Tokens(*options.rerank, text, options.instruction)
                         : EmbeddingTokens(*loaded.tokenizer, text, options.instruction));
  }
  return tokens;
}

absl::Status EmbedMain(ToolContext& context) {
  EmbedOptions options;
  Flags flags("infer-embed", "Turn texts into vectors, or score documents for a query.");
  RegisterFlags(flags, &options);
  ASSIGN_OR_RETURN(bool proceed, context.Parse(flags));
  if (!proceed) return absl::OkStatus();
  RETURN_IF_ERROR(CompleteModelFlags(&options.model));
  RETURN_IF_ERROR(CheckOptions(flags, options));

  ASSIGN_OR_RETURN(LoadedEmbedder loaded, LoadEmbedder(options, &context));
  ASSIGN_OR_RETURN(const std::vector<std::string> texts, ReadTexts(options));
  ASSIGN_OR_RETURN(const std::vector<std::vector<int32_t>> tokens,
                   TokensOf(texts, options, loaded));
  ASSIGN_OR_RETURN(const ModelConfig config, loaded.model->ReadConfig());
  int64_t total = 0;
  for (const std::vector<int32_t>& text : tokens) total += std::ssize(text);

  ASSIGN_OR_RETURN(std::unique_ptr<AtomicFile> file, context.OpenOutput(options.output));
  VectorWriter writer(options.format, [&](std::string_view bytes) { return file->Write(bytes); });
  std::vector<double> scores;
  const auto start = std::chrono::steady_clock::now();
  std::optional<Progress> progress;
  progress.emplace(&context.console(), loaded.reranker ? "rerank" : "embed", total, "tokens");
  RETURN_IF_ERROR(loaded.embedder->Embed(
      tokens,
      [&](size_t text, std::span<const float> vector) -> absl::Status {
        progress->Advance(tokens[text].size());
        if (!loaded.reranker) {
          return writer.Add(FinishEmbedding(vector, options.dimensions, options.normalize));
        }
        scores.push_back(loaded.reranker->Score(vector));
        return absl::OkStatus();
      },
      &context.interrupt().stop_flag()));
  progress.reset();
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
  context.console().Info(absl::StrFormat("%d texts, %d tokens at %.1f tokens/s", texts.size(),
                                         total, static_cast<double>(total) / took.count()));
  RETURN_IF_ERROR(loaded.reranker
                      ? file->Write(ScoresText(options.format, scores, config.name, total))
                      : writer.Finish(config.name, total));
  return file->Commit();
}

}  // namespace

extern const Tool kInferEmbed = {"infer-embed", "embed",
                                 "Turn texts into vectors, or score documents", EmbedMain};

}  // namespace infer
