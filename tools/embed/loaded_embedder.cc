// SPDX-License-Identifier: Apache-2.0
#include "tools/embed/loaded_embedder.h"

#include <string>
#include <utility>

#include "ir/base/status_macros.h"
#include "ir/base/strings.h"
#include "tools/api/embedding_text.h"
#include "tools/api/error_kind.h"
#include "tools/flags/console_load.h"
#include "tools/flags/rank_run.h"

namespace infer {
namespace {

constexpr int64_t kDefaultSequences = 32;

// Policies that decompose attention have values as long as all sequences together.
int64_t SequencesFor(const EmbedOptions& options) {
  if (options.sequences != 0) return options.sequences;
  const std::string& policy = options.model.compile.policy;
  return policy == "reference" || policy == "tutorial" ? 1 : kDefaultSequences;
}

absl::StatusOr<Pooling> PoolingFor(const EmbedOptions& options, const ModelConfig& config) {
  if (options.rerank) return Pooling::kRank;
  absl::StatusOr<Pooling> pooling = ChoosePooling(options.pooling, config);
  if (pooling.ok()) return pooling;
  const char* advice =
      config.pooling == Pooling::kRank ? "; give a query with --rerank" : ", with --pooling";
  return absl::InvalidArgumentError(StrCat(ToStd(pooling.status().message()), advice));
}

}  // namespace

absl::StatusOr<LoadedEmbedder> LoadEmbedder(const EmbedOptions& options, ToolContext* tool) {
  // As many processes as mpirun may start, each for itself.
  if (const ShardRequest& shard = options.model.compile.shard; shard.ranks > 1) {
    return RefuseRanks("infer-embed", shard);
  }
  Console* console = &tool->console();
  LoadedEmbedder loaded;
  const ThreadChoice threads = ChooseThreadsWithConsole(options.model.threads, console);
  ASSIGN_OR_RETURN(loaded.registry, MakeKernelRegistry(threads));
  ASSIGN_OR_RETURN(ModelFile model, ModelFile::Open(options.model.model));
  loaded.model = std::make_unique<ModelFile>(std::move(model));
  ASSIGN_OR_RETURN(const ModelConfig config, loaded.model->ReadConfig());
  ASSIGN_OR_RETURN(const Pooling pooling, PoolingFor(options, config));
  if (options.dimensions > config.hidden) {
    return UsageError(StrCat("--dimensions ", options.dimensions, ": the vectors of ", config.name,
                             " have ", config.hidden, " numbers"));
  }
  ASSIGN_OR_RETURN(Tokenizer tokenizer, loaded.model->ReadTokenizer());
  loaded.tokenizer = std::make_unique<const Tokenizer>(std::move(tokenizer));
  if (options.rerank) {
    ASSIGN_OR_RETURN(loaded.reranker, Reranker::Create(*loaded.model, loaded.tokenizer.get()));
  }
  CompileModelOptions compile = options.model.compile;
  ASSIGN_OR_RETURN(
      Program program,
      CompileWithConsole(*loaded.model, *loaded.registry,
                         ForEmbedding(std::move(compile), pooling, SequencesFor(options)), tool));
  const EngineOptions engine_options = EmbeddingEngine(program);
  ASSIGN_OR_RETURN(std::shared_ptr<Engine> engine,
                   LoadEngineWithConsole(std::move(program), *loaded.model, *loaded.registry,
                                         engine_options, options.model.pack_cache, tool));
  loaded.embedder = std::make_unique<Embedder>(std::move(engine), pooling);
  return loaded;
}

}  // namespace infer
