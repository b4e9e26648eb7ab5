// SPDX-License-Identifier: Apache-2.0
//
// Implements embedders behind the public header.
#include <optional>

#include "ir/base/status_macros.h"
#include "tools/api/compile_to_run.h"
#include "tools/api/embedder.h"
#include "tools/api/embedding_text.h"
#include "tools/api/handles.h"
#include "tools/api/reranker.h"

namespace infer::engine {

struct EmbedderHandle {
  ModelPtr model;
  std::shared_ptr<SharedThreads> threads;
  std::optional<Reranker> reranker;
  std::unique_ptr<infer::Embedder> embedder;  // used by whoever holds the turn
};

namespace {

absl::StatusOr<Pooling> PoolingOf(const std::string& name, const ModelConfig& config) {
  for (Pooling pooling : {Pooling::kLast, Pooling::kMean, Pooling::kCls, Pooling::kRank}) {
    if (NameOf(pooling) == name) return pooling;
  }
  if (!name.empty()) {
    return UsageError(StrCat("pooling is \"", name, "\", expected last, mean, cls or rank"));
  }
  if (config.pooling == Pooling::kRank) return Pooling::kRank;
  return ChoosePooling(Pooling::kNone, config);
}

absl::Status RunTexts(EmbedderHandle& handle, const std::vector<std::vector<int32_t>>& tokens,
                      const EmbedParams& params, infer::Embedder::Done done) {
  std::lock_guard<Turn> turn(handle.threads->turn);
  return handle.embedder->Embed(tokens, done, params.cancel);
}

}  // namespace

Outcome<EmbedderPtr> CreateEmbedder(ModelPtr model, const EmbedderParams& params) {
  return Guard([&]() -> absl::StatusOr<EmbedderPtr> {
    if (params.texts < 1 || params.texts > 256) {
      return UsageError(StrCat("texts is ", params.texts, ", expected 1 to 256"));
    }
    ASSIGN_OR_RETURN(const Pooling pooling, PoolingOf(params.pooling, model->config));
    auto made = std::make_shared<EmbedderHandle>();
    ASSIGN_OR_RETURN(made->threads, ThreadsOf(*model, params.threads));
    made->model = std::move(model);
    if (pooling == Pooling::kRank) {
      ASSIGN_OR_RETURN(made->reranker,
                       Reranker::Create(made->model->file, &made->model->tokenizer));
    }
    CompileModelOptions compile;
    if (!params.policy.empty()) compile.policy = params.policy;
    compile.context = params.context;
    compile.chunk = params.chunk;
    compile.warn = params.on_warning;
    const KernelRegistry& registry = *made->threads->registry;
    ASSIGN_OR_RETURN(infer::Program program,
                     CompileToRun(made->model->file, registry,
                                  ForEmbedding(std::move(compile), pooling, params.texts)));
    const infer::EngineOptions options = EmbeddingEngine(program);
    RETURN_IF_ERROR(CheckEngine(program, registry, options));
    const LoadOptions load{.pack_cache = {.on = params.pack_cache}, .warn = params.on_warning};
    ASSIGN_OR_RETURN(std::shared_ptr<const Executable> executable,
                     Executable::Create(std::make_shared<const infer::Program>(std::move(program)),
                                        WeightsOf(*made->model), registry,
                                        PackOptionsFor(made->model->file, registry, load)));
    ASSIGN_OR_RETURN(std::shared_ptr<infer::Engine> engine,
                     infer::Engine::Create(std::move(executable), options));
    made->embedder = std::make_unique<infer::Embedder>(std::move(engine), pooling);
    return made;
  });
}

int64_t Dimensions(const EmbedderHandle& embedder) { return embedder.embedder->dimensions(); }

Outcome<std::vector<std::vector<float>>> EmbedTexts(EmbedderHandle& embedder,
                                                    const std::vector<std::string>& texts,
                                                    const EmbedParams& params) {
  return Guard([&]() -> absl::StatusOr<std::vector<std::vector<float>>> {
    if (embedder.reranker) return UsageError("this embedder scores documents; call Rerank");
    if (params.dimensions < 0 || params.dimensions > Dimensions(embedder)) {
      return UsageError(StrCat("dimensions is ", params.dimensions, ", expected 0 (all) to ",
                               Dimensions(embedder)));
    }
    std::vector<std::vector<int32_t>> tokens;
    for (const std::string& text : texts) {
      ASSIGN_OR_RETURN(tokens.emplace_back(),
                       EmbeddingTokens(embedder.model->tokenizer, text, params.instruction));
    }
    std::vector<std::vector<float>> vectors;
    RETURN_IF_ERROR(RunTexts(embedder, tokens, params, [&](size_t, std::span<const float> vector) {
      vectors.push_back(FinishEmbedding(vector, params.dimensions, params.normalize));
      return absl::OkStatus();
    }));
    return vectors;
  });
}

Outcome<std::vector<double>> RerankTexts(EmbedderHandle& embedder, const std::string& query,
                                         const std::vector<std::string>& documents,
                                         const EmbedParams& params) {
  return Guard([&]() -> absl::StatusOr<std::vector<double>> {
    if (!embedder.reranker) return UsageError("this embedder gives vectors; pool by rank");
    std::vector<std::vector<int32_t>> prompts;
    for (const std::string& document : documents) {
      ASSIGN_OR_RETURN(prompts.emplace_back(),
                       embedder.reranker->Tokens(query, document, params.instruction));
    }
    std::vector<double> scores;
    RETURN_IF_ERROR(RunTexts(embedder, prompts, params, [&](size_t, std::span<const float> vector) {
      scores.push_back(embedder.reranker->Score(vector));
      return absl::OkStatus();
    }));
    return scores;
  });
}

}  // namespace infer::engine
