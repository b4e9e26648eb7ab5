// SPDX-License-Identifier: Apache-2.0
#include "tools/eval/loaded_model.h"

#include <string>
#include <utility>

#include "ir/base/status_macros.h"
#include "tools/api/input.h"
#include "tools/flags/console_load.h"
#include "tools/report/machine_text.h"

namespace infer {
namespace {

constexpr uint64_t kMaxTextBytes = uint64_t{1} << 30;
constexpr int32_t kPagePositions = 32;  // as infer-run

}  // namespace

absl::StatusOr<LoadedModel> LoadModel(const EvalOptions& options, int64_t context,
                                      ToolContext* tool) {
  Console* console = &tool->console();
  CompileModelOptions compile = options.model.compile;
  compile.context = context;
  compile.chunk = options.chunk == 0 ? kEvalChunk : options.chunk;
  compile.logit_rows = compile.chunk;
  compile.candidates = 0;  // every row is read whole
  ASSIGN_OR_RETURN(std::string hidden, HiddenOrigin(options.hidden));
  if (!hidden.empty()) compile.extra_results = {hidden};
  LoadedModel loaded;
  const ThreadChoice threads = ChooseThreadsWithConsole(options.model.threads, console);
  ASSIGN_OR_RETURN(loaded.registry, MakeKernelRegistry(threads));
  ASSIGN_OR_RETURN(ModelFile model, ModelFile::Open(options.model.model));
  loaded.model = std::make_unique<ModelFile>(std::move(model));
  ASSIGN_OR_RETURN(Program program,
                   CompileWithConsole(*loaded.model, *loaded.registry, compile, tool));
  if (std::string text = OtherThreadsWarning(program.machine, threads.team.threads);
      !text.empty()) {
    console->Warning(text);
  }
  ASSIGN_OR_RETURN(
      loaded.session,
      LoadWithConsole(std::move(program), *loaded.model, *loaded.registry,
                      {.context = context, .block_positions = options.paged ? kPagePositions : 0},
                      options.model.pack_cache, tool));
  return loaded;
}

absl::StatusOr<TextTokens> ReadTokens(const EvalOptions& options, const ModelFile& model,
                                      Interrupt* interrupt) {
  const std::string path = options.text_file.empty() ? "-" : options.text_file;
  ASSIGN_OR_RETURN(std::string text, ReadInput(path, kMaxTextBytes, {}, &interrupt->stop_flag()));
  ASSIGN_OR_RETURN(Tokenizer tokenizer, model.ReadTokenizer());
  EncodeOptions encode;
  encode.parse_special = false;
  TextTokens tokens;
  RETURN_IF_ERROR(interrupt->DoUnchecked([&]() -> absl::Status {
    ASSIGN_OR_RETURN(tokens.ids, tokenizer.Encode(text, encode));
    return absl::OkStatus();
  }));
  if (tokenizer.vocabulary().add_bos()) tokens.bos = tokenizer.vocabulary().bos();
  return tokens;
}

}  // namespace infer
