// SPDX-License-Identifier: Apache-2.0
//
// Defines the objects behind the public handles, for the files that implement tools/api/engine.h.
#pragma once

#include <exception>
#include <map>
#include <memory>
#include <mutex>
#include <new>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "frontends/chat/chat_renderer.h"
#include "frontends/family/model_family.h"
#include "frontends/tokenizer/tokenizer.h"
#include "ir/base/strings.h"
#include "ir/program/program.h"
#include "runtime/draft_length.h"
#include "runtime/ngram_drafter.h"
#include "runtime/session.h"
#include "tools/api/answer_rules_cache.h"
#include "tools/api/engine.h"
#include "tools/api/error_kind.h"
#include "tools/api/load_session.h"
#include "tools/api/model_file.h"
#include "tools/api/thread_choice.h"
#include "tools/api/turn.h"

namespace infer::engine {

// Threads that several engines of a model share; `turn` decides who may use them.
struct SharedThreads {
  ThreadChoice choice;
  std::unique_ptr<KernelRegistry> registry;
  Turn turn;
};

struct ModelHandle {
  ModelFile file;
  const ModelFamily* family;
  ModelConfig config;
  Tokenizer tokenizer;
  std::unique_ptr<KernelRegistry> catalog;  // kernels that the compiler chooses from
  ChatRenderer chat;

  mutable std::mutex mutex = {};
  mutable std::unique_ptr<PackedWeights> weights = {};  // packed once and shared by all engines
  mutable std::map<int, std::weak_ptr<SharedThreads>> threads = {};  // by number asked for
  mutable AnswerRulesCache rules = {};
};

// Returns the prompt for the next answer. Text of the messages is marked: see EncodeMarked.
absl::StatusOr<MarkedText> RenderTurns(const ModelHandle& model,
                                       const std::vector<ChatTurn>& messages, Thinking think,
                                       const std::vector<std::string>& tools = {});

// Returns the threads for an engine. Engines of one model that ask for the same number of threads
// share them: two teams on all cores would wait for each other.
absl::StatusOr<std::shared_ptr<SharedThreads>> ThreadsOf(const ModelHandle& model, int count);
PackedWeights& WeightsOf(const ModelHandle& model);

struct ProgramHandle {
  std::shared_ptr<const infer::Program> program;
  std::string bytes;
  std::vector<std::string> warnings;
};

struct EngineHandle {
  ModelPtr model;
  ProgramPtr program;
  std::shared_ptr<SharedThreads> threads;
  std::vector<std::string> warnings;
  std::shared_ptr<infer::Engine> engine;  // used by whoever holds the turn
};

struct SequenceHandle {
  SequenceHandle(EnginePtr of, std::unique_ptr<infer::Session> held)
      : engine(std::move(of)), session(std::move(held)) {}
  ~SequenceHandle() {
    std::lock_guard<Turn> turn(engine->threads->turn);
    session.reset();
  }
  SequenceHandle(const SequenceHandle&) = delete;
  SequenceHandle& operator=(const SequenceHandle&) = delete;

  EnginePtr engine;
  std::unique_ptr<infer::Session> session;
  // Made when drafts are first asked for, and kept: what was learnt holds for the next answer too.
  std::unique_ptr<NgramDrafter> ngrams;
  std::unique_ptr<DraftLength> draft_length;
  std::string draft_warning;
};

// Runs `work`, which returns a StatusOr, and returns its value or a Failure; no exception escapes.
template <class Work>
auto Guard(const Work& work) -> Outcome<typename decltype(work())::value_type> {
  try {
    auto result = work();
    if (result.ok()) return *std::move(result);
    return Failure{static_cast<int>(KindOf(result.status())),
                   std::string(result.status().message())};
  } catch (const std::bad_alloc&) {
    return Failure{static_cast<int>(ErrorKind::kNoMemory), "out of memory"};
  } catch (const std::system_error& error) {
    const bool no_thread = error.code() == std::errc::resource_unavailable_try_again;
    return Failure{static_cast<int>(no_thread ? ErrorKind::kNoMemory : ErrorKind::kRuntime),
                   error.what()};
  } catch (const std::exception& error) {
    return Failure{static_cast<int>(ErrorKind::kRuntime), error.what()};
  }
}

}  // namespace infer::engine
