// SPDX-License-Identifier: Apache-2.0
//
// Implements engines and their sequences behind the public header.
#include <algorithm>
#include <set>

#include "ir/base/status_macros.h"
#include "runtime/check_weights.h"
#include "tools/api/handles.h"
#include "tools/report/machine_text.h"

namespace infer::engine {
namespace {

// Block size of a paged cache: a multiple of what kernels read at once, small compared with a
// context.
constexpr int32_t kPagePositions = 64;

absl::Status CheckParams(const EngineParams& params) {
  if (params.threads < 0 || params.threads > ThreadTeam::kMaxThreads) {
    return UsageError(StrCat("threads is ", params.threads, ", expected 0 (all that are granted) ",
                             "to ", ThreadTeam::kMaxThreads));
  }
  if (params.sequences < 1) {
    return UsageError(StrCat("sequences is ", params.sequences, ", expected at least 1"));
  }
  if (params.context < 0) return UsageError(StrCat("context is ", params.context));
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::shared_ptr<SharedThreads>> ThreadsOf(const ModelHandle& model, int count) {
  std::lock_guard<std::mutex> hold(model.mutex);
  if (std::shared_ptr<SharedThreads> threads = model.threads[count].lock()) return threads;
  auto threads = std::make_shared<SharedThreads>();
  threads->choice = ChooseThreads({.count = count}, ReadThreadLimits());
  ASSIGN_OR_RETURN(threads->registry, MakeKernelRegistry(threads->choice));
  model.threads[count] = threads;
  return threads;
}

PackedWeights& WeightsOf(const ModelHandle& model) {
  std::lock_guard<std::mutex> hold(model.mutex);
  if (model.weights == nullptr) {
    model.weights = std::make_unique<PackedWeights>(model.file.weights());
  }
  return *model.weights;
}

Outcome<EnginePtr> CreateEngine(ModelPtr model, ProgramPtr program, const EngineParams& params) {
  return Guard([&]() -> absl::StatusOr<EnginePtr> {
    RETURN_IF_ERROR(CheckParams(params));
    RETURN_IF_ERROR(CheckWeights(*program->program, model->file.weights(), WeightCheck::kSampled));
    auto made = std::make_shared<EngineHandle>();
    ASSIGN_OR_RETURN(made->threads, ThreadsOf(*model, params.threads));
    const KernelRegistry& registry = *made->threads->registry;
    made->model = std::move(model);
    made->program = std::move(program);
    const std::shared_ptr<const infer::Program>& compiled = made->program->program;
    auto warn = [&](const std::string& text) {
      made->warnings.push_back(text);
      if (params.on_warning) params.on_warning(text);
    };
    if (std::string text = TooManyThreadsWarning({.count = params.threads}, ReadThreadLimits());
        !text.empty()) {
      warn(text);
    }
    if (std::string text =
            OtherThreadsWarning(compiled->machine, made->threads->choice.team.threads);
        !text.empty()) {
      warn(text);
    }
    const int64_t compiled_context = compiled->symbols[Symbol::kS].max / compiled->sequences;
    const EngineOptions options{.context = params.context != 0 ? params.context : compiled_context,
                                .sequences = params.sequences,
                                .block_positions = params.paged ? kPagePositions : 0};
    RETURN_IF_ERROR(CheckEngine(*compiled, registry, options));
    const LoadOptions load{
        .pack_cache = {.on = params.pack_cache}, .progress = params.on_load, .warn = warn};
    ASSIGN_OR_RETURN(std::shared_ptr<const Executable> executable,
                     Executable::Create(compiled, WeightsOf(*made->model), registry,
                                        PackOptionsFor(made->model->file, registry, load)));
    ASSIGN_OR_RETURN(made->engine,
                     infer::Engine::Create(std::move(executable),
                                           WithTokensOf(made->model->file, options, load)));
    return made;
  });
}

Outcome<SequencePtr> NewSequence(const EnginePtr& engine) {
  return Guard([&]() -> absl::StatusOr<SequencePtr> {
    std::lock_guard<Turn> turn(engine->threads->turn);
    absl::StatusOr<std::unique_ptr<infer::Session>> session =
        infer::Session::Create(engine->engine);
    if (absl::IsResourceExhausted(session.status())) {
      return absl::ResourceExhaustedError(StrCat("the engine has ", engine->engine->max_sequences(),
                                                 " sequences, as many as it was created for; end "
                                                 "one or create it for more"));
    }
    RETURN_IF_ERROR(session.status());
    return std::make_shared<SequenceHandle>(engine, *std::move(session));
  });
}

namespace {

absl::Status CheckStep(const EngineHandle& engine, const std::vector<Appended>& requests) {
  std::set<const SequenceHandle*> seen;
  const int64_t vocabulary = engine.engine->vocabulary();
  for (const Appended& request : requests) {
    if (request.sequence->engine.get() != &engine) {
      return UsageError("a step of one engine with a sequence of another");
    }
    if (request.tokens.empty()) return UsageError("a step without tokens for a sequence");
    if (!seen.insert(request.sequence.get()).second) {
      return UsageError("a sequence is in one step twice");
    }
    for (int32_t id : request.tokens) {
      if (id >= 0 && id < vocabulary) continue;
      return UsageError(StrCat("token ", id, " is not in the vocabulary of ", vocabulary));
    }
  }
  return absl::OkStatus();
}

// Runs all tokens of the requests in as few calls as the Program's sizes allow, and returns the
// logits after the last token of each request.
absl::StatusOr<std::vector<std::vector<float>>> RunAll(infer::Engine& engine,
                                                       const std::vector<Appended>& requests) {
  const size_t most_rows = static_cast<size_t>(engine.program().symbols[Symbol::kR].max);
  std::vector<size_t> done(requests.size());
  std::vector<std::vector<float>> logits(requests.size());
  for (size_t unfinished = requests.size(); unfinished > 0;) {
    std::vector<StepRequest> step;
    std::vector<size_t> request_of;
    size_t room = static_cast<size_t>(engine.max_step_tokens());
    for (size_t i = 0; i < requests.size() && room > 0 && step.size() < most_rows; ++i) {
      const std::vector<int32_t>& tokens = requests[i].tokens;
      const size_t count = std::min(room, tokens.size() - done[i]);
      if (count == 0) continue;
      step.push_back({requests[i].sequence->session->sequence(),
                      std::span(tokens).subspan(done[i], count), 1});
      request_of.push_back(i);
      room -= count;
    }
    RETURN_IF_ERROR(engine.Step(step));
    for (size_t k = 0; k < step.size(); ++k) {
      const size_t i = request_of[k];
      done[i] += step[k].tokens.size();
      if (done[i] < requests[i].tokens.size()) continue;
      logits[i].assign(engine.logits(k).begin(), engine.logits(k).end());
      --unfinished;
    }
  }
  return logits;
}

}  // namespace

Outcome<std::vector<std::vector<float>>> Step(EngineHandle& engine,
                                              const std::vector<Appended>& requests) {
  return Guard([&]() -> absl::StatusOr<std::vector<std::vector<float>>> {
    RETURN_IF_ERROR(CheckStep(engine, requests));
    std::lock_guard<Turn> turn(engine.threads->turn);
    std::vector<int64_t> lengths;
    for (const Appended& request : requests) {
      lengths.push_back(std::ssize(request.sequence->session->tokens()));
    }
    absl::StatusOr<std::vector<std::vector<float>>> logits = RunAll(*engine.engine, requests);
    // All or nothing: a failed step is undone for every sequence.
    for (size_t i = 0; i < requests.size() && !logits.ok(); ++i) {
      engine.engine->Rewind(requests[i].sequence->session->sequence(), lengths[i]);
    }
    return logits;
  });
}

int Threads(const EngineHandle& engine) { return engine.threads->choice.team.threads; }
std::string ThreadsText(const EngineHandle& engine) { return engine.threads->choice.derivation; }
const std::vector<std::string>& EngineWarnings(const EngineHandle& engine) {
  return engine.warnings;
}

}  // namespace infer::engine
