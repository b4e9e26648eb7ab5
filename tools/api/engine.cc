// SPDX-License-Identifier: Apache-2.0
#include "tools/api/engine.h"

#include <exception>
#include <utility>

#include "backends/backends.h"
#include "backends/simd/levels/choose_level.h"
#include "frontends/qwen3/config.h"
#include "frontends/tokenizer/tokenizer.h"
#include "ir/base/status_macros.h"
#include "ir/base/strings.h"
#include "ir/proto/serialize.h"
#include "ir/text/printer.h"
#include "runtime/check_weights.h"
#include "runtime/generation.h"
#include "runtime/session.h"
#include "runtime/stop_strings.h"
#include "runtime/thread_count.h"
#include "tools/cli/exit_code.h"
#include "tools/model/compile_to_run.h"
#include "tools/model/model_file.h"
#include "tools/model/program_file.h"
#include "tools/model/worker_pool.h"
#include "tools/tokenize/text_decoder_adapter.h"

namespace infer::engine {

struct ModelHandle {
  ModelFile file;
  Qwen3Config config;
  Tokenizer tokenizer;
  std::unique_ptr<KernelRegistry> registry;
};

struct ProgramHandle {
  std::string bytes;  // a Program moves into its session, so each session reads its own
};

struct SessionHandle {
  ModelPtr model;
  std::unique_ptr<Session> session;
};

namespace {

// Runs `work`, which returns a StatusOr, and lets nothing but a value or a Failure out.
template <class Work>
auto Guard(const Work& work) -> Outcome<typename decltype(work())::value_type> {
  try {
    auto result = work();
    if (result.ok()) return *std::move(result);
    return Failure{ExitCodeFor(result.status()), std::string(result.status().message())};
  } catch (const std::bad_alloc&) {
    return Failure{kExitNoMemory, "out of memory"};
  } catch (const std::exception& error) {
    return Failure{kExitRuntime, error.what()};
  }
}

// Values that the runtime refuses are the caller's, as those of a command line are.
absl::StatusOr<GenerationOptions> GenerationFor(const GenerateParams& params,
                                                const Vocabulary& vocabulary) {
  GenerationOptions options;
  options.max_tokens = params.max_tokens;
  options.sampler = {.temperature = params.temperature,
                     .top_k = params.top_k,
                     .top_p = params.top_p,
                     .min_p = params.min_p,
                     .repeat_penalty = params.repeat_penalty,
                     .presence_penalty = params.presence_penalty,
                     .repeat_last_n = params.repeat_last_n,
                     .seed = params.seed};
  options.stop = params.stop;
  if (!params.ignore_end) options.end_ids = vocabulary.end_ids();
  for (const absl::Status& status :
       {Validate(options.sampler), StopStrings::Create(options.stop).status()}) {
    if (!status.ok()) return UsageError(ToStd(status.message()));
  }
  if (options.max_tokens < 0) return UsageError("max_tokens is negative");
  return options;
}

}  // namespace

Outcome<ModelPtr> LoadModel(const std::string& path) {
  return Guard([&]() -> absl::StatusOr<ModelPtr> {
    if (path.empty()) return UsageError("the path of the model is empty");
    if (!simd::ChosenLevel().valid) return UsageError(simd::ChosenLevel().reason);
    ASSIGN_OR_RETURN(ModelFile file, ModelFile::Open(path));
    ASSIGN_OR_RETURN(Qwen3Config config, ReadQwen3Config(file.gguf()));
    ASSIGN_OR_RETURN(Tokenizer tokenizer, file.ReadTokenizer(config.vocabulary));
    return std::make_shared<const ModelHandle>(std::move(file), std::move(config),
                                               std::move(tokenizer), MakeKernelRegistry());
  });
}

std::string ModelName(const ModelHandle& model) { return model.config.name; }
int64_t ModelVocabulary(const ModelHandle& model) { return model.config.vocabulary; }
int64_t ModelContext(const ModelHandle& model) { return model.config.context; }

Outcome<std::vector<int32_t>> Encode(const ModelHandle& model, std::string_view text) {
  return Guard([&] { return model.tokenizer.Encode(text); });
}

Outcome<std::string> Decode(const ModelHandle& model, const std::vector<int32_t>& ids) {
  return Guard([&] { return model.tokenizer.Decode(ids); });
}

Outcome<ProgramPtr> CompileProgram(const ModelHandle& model, const std::string& policy,
                                   int64_t context, int64_t chunk) {
  return Guard([&]() -> absl::StatusOr<ProgramPtr> {
    CompileModelOptions options;
    if (!policy.empty()) options.policy = policy;
    options.context = context;
    options.chunk = chunk;
    ASSIGN_OR_RETURN(infer::Program program, CompileToRun(model.file, *model.registry, options));
    ASSIGN_OR_RETURN(std::string bytes, infer::SerializeProgram(program));
    return std::make_shared<const ProgramHandle>(std::move(bytes));
  });
}

Outcome<ProgramPtr> LoadProgram(const std::string& path) {
  return Guard([&]() -> absl::StatusOr<ProgramPtr> {
    ASSIGN_OR_RETURN(infer::Program program, ReadProgramFile(path));
    ASSIGN_OR_RETURN(std::string bytes, infer::SerializeProgram(program));
    return std::make_shared<const ProgramHandle>(std::move(bytes));
  });
}

Outcome<std::string> SerializeProgram(const ProgramHandle& program) { return program.bytes; }

std::string ProgramText(const ProgramHandle& program) {
  absl::StatusOr<infer::Program> parsed = DeserializeProgram(program.bytes, "program");
  return parsed.ok() ? PrintProgram(*parsed) : std::string(parsed.status().message());
}

Outcome<SessionPtr> CreateSession(ModelPtr model, const ProgramHandle& program) {
  return Guard([&]() -> absl::StatusOr<SessionPtr> {
    ASSIGN_OR_RETURN(infer::Program parsed, DeserializeProgram(program.bytes, "program"));
    RETURN_IF_ERROR(CheckWeights(parsed, model->file.weights(), WeightCheck::kSampled));
    SessionOptions options{.context = parsed.symbols[Symbol::kS].max};
    options.pack.parallel = MakeParallelFor(ReadThreadLimits().Count());
    ASSIGN_OR_RETURN(
        std::unique_ptr<Session> session,
        Session::CreateAlone(std::move(parsed), model->file.weights(), *model->registry, options));
    return std::make_shared<SessionHandle>(std::move(model), std::move(session));
  });
}

Outcome<std::string> Generate(SessionHandle& session, const std::string& prompt,
                              const GenerateParams& params,
                              const std::function<bool(std::string_view)>& on_text) {
  return Guard([&]() -> absl::StatusOr<std::string> {
    const Tokenizer& tokenizer = session.model->tokenizer;
    ASSIGN_OR_RETURN(GenerationOptions options, GenerationFor(params, tokenizer.vocabulary()));
    ASSIGN_OR_RETURN(std::vector<int32_t> ids, tokenizer.Encode(prompt));
    ids = PromptOrStart(std::move(ids), tokenizer.vocabulary());
    std::string text;
    GenerationCallbacks callbacks;
    callbacks.on_text = [&](std::string_view piece) {
      text.append(piece);
      return !on_text || on_text(piece);
    };
    TextDecoderAdapter decoder(&tokenizer, {.skip_control = true});
    RETURN_IF_ERROR(infer::Generate(*session.session, ids, options, decoder, callbacks).status());
    return text;
  });
}

}  // namespace infer::engine
