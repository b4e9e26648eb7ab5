// SPDX-License-Identifier: Apache-2.0
//
// Engines and their sequences behind the public header.
#include <algorithm>
#include <set>

#include "ir/base/status_macros.h"
#include "ir/proto/serialize.h"
#include "runtime/check_weights.h"
#include "tools/api/handles.h"
#include "tools/report/machine_text.h"

namespace infer::engine {
namespace {

// Blocks of a paged cache: a multiple of what kernels read at once, small against a context.
constexpr int32_t kPagePositions = 32;

// Engines of one model that ask for the same number of threads get the same ones: two teams on all
// cores would wait for each other.
absl::StatusOr<std::shared_ptr<SharedThreads>> ThreadsOf(const ModelHandle& model, int count) {
  std::lock_guard<std::mutex> hold(model.mutex);
  if (std::shared_ptr<SharedThreads> threads = model.threads[count].lock()) return threads;
  auto threads = std::make_shared<SharedThreads>();
  threads->choice = ChooseThreads({.count = count}, ReadThreadLimits());
  ASSIGN_OR_RETURN(threads->registry, MakeKernelRegistry(threads->choice));
  model.threads[count] = threads;
  return threads;
}

absl::StatusOr<std::unique_ptr<infer::Session>> MakeSession(const EngineHandle& engine,
                                                            const LoadOptions& load) {
  ASSIGN_OR_RETURN(infer::Program program, DeserializeProgram(engine.program->bytes, "program"));
  return LoadSession(std::move(program), engine.model->file, *engine.threads->registry,
                     engine.session, load);
}

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

Outcome<EnginePtr> CreateEngine(ModelPtr model, ProgramPtr program, const EngineParams& params) {
  return Guard([&]() -> absl::StatusOr<EnginePtr> {
    RETURN_IF_ERROR(CheckParams(params));
    RETURN_IF_ERROR(CheckWeights(program->program, model->file.weights(), WeightCheck::kSampled));
    auto engine = std::make_shared<EngineHandle>();
    ASSIGN_OR_RETURN(engine->threads, ThreadsOf(*model, params.threads));
    engine->model = std::move(model);
    engine->program = std::move(program);
    engine->max_sequences = params.sequences;
    engine->session.context =
        params.context != 0 ? params.context : engine->program->program.symbols[Symbol::kS].max;
    engine->session.block_positions = params.paged ? kPagePositions : 0;
    engine->load.pack_cache = params.pack_cache;
    auto warn = [&](const std::string& text) {
      engine->warnings.push_back(text);
      if (params.on_warning) params.on_warning(text);
    };
    if (std::string text = OtherThreadsWarning(engine->program->program.machine,
                                               engine->threads->choice.team.threads);
        !text.empty()) {
      warn(text);
    }
    LoadOptions load = engine->load;
    load.progress = params.on_load;
    load.warn = warn;
    ASSIGN_OR_RETURN(std::unique_ptr<infer::Session> first, MakeSession(*engine, load));
    engine->idle.push_back(std::move(first));
    return engine;
  });
}

Outcome<SequencePtr> NewSequence(const EnginePtr& engine) {
  return Guard([&]() -> absl::StatusOr<SequencePtr> {
    std::lock_guard<std::mutex> hold(engine->mutex);
    if (engine->live >= engine->max_sequences) {
      return absl::ResourceExhaustedError(StrCat("the engine has ", engine->live,
                                                 " sequences, as many as it was created for; end "
                                                 "one or create it for more"));
    }
    std::unique_ptr<infer::Session> session;
    if (engine->idle.empty()) {
      ASSIGN_OR_RETURN(session, MakeSession(*engine, engine->load));
    } else {
      session = std::move(engine->idle.back());
      engine->idle.pop_back();
    }
    ++engine->live;
    return std::make_shared<SequenceHandle>(engine, std::move(session));
  });
}

Outcome<std::vector<std::vector<float>>> Step(EngineHandle& engine,
                                              const std::vector<Appended>& requests) {
  return Guard([&]() -> absl::StatusOr<std::vector<std::vector<float>>> {
    std::set<const SequenceHandle*> seen;
    for (const Appended& request : requests) {
      if (request.sequence->engine.get() != &engine) {
        return UsageError("a step of one engine with a sequence of another");
      }
      if (request.tokens.empty()) return UsageError("a step without tokens for a sequence");
      if (!seen.insert(request.sequence.get()).second) {
        return UsageError("a sequence is in one step twice");
      }
      const int64_t vocabulary = request.sequence->session->vocabulary();
      for (int32_t id : request.tokens) {
        if (id >= 0 && id < vocabulary) continue;
        return UsageError(StrCat("token ", id, " is not in the vocabulary of ", vocabulary));
      }
    }
    std::vector<std::vector<float>> logits;
    std::lock_guard<Turn> turn(engine.threads->turn);
    for (const Appended& request : requests) {
      infer::Session& session = *request.sequence->session;
      std::vector<int32_t> tokens(session.tokens().begin(), session.tokens().end());
      tokens.insert(tokens.end(), request.tokens.begin(), request.tokens.end());
      RETURN_IF_ERROR(session.Prefill(tokens));
      logits.emplace_back(session.logits().begin(), session.logits().end());
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
