// SPDX-License-Identifier: Apache-2.0
//
// The seam between the public classes (infer/infer.h) and the inner ones, which share their names:
// infer.cc sees the public header and this, the other files the inner headers and this.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace infer::engine {

struct ModelHandle;
struct ProgramHandle;
struct EngineHandle;
struct SequenceHandle;
struct ServerHandle;
struct EmbedderHandle;

struct Failure {
  int code = 1;
  std::string message;
};
template <class T>
using Outcome = std::variant<T, Failure>;

using ModelPtr = std::shared_ptr<const ModelHandle>;
using ProgramPtr = std::shared_ptr<const ProgramHandle>;
using EnginePtr = std::shared_ptr<EngineHandle>;
using SequencePtr = std::shared_ptr<SequenceHandle>;
using ServerPtr = std::shared_ptr<ServerHandle>;
using EmbedderPtr = std::shared_ptr<EmbedderHandle>;
using WarningCallback = std::function<void(const std::string&)>;

struct CompileParams {
  std::string policy;
  std::vector<std::string> overrides;
  bool strict;
  bool invariant;
  std::string kv_type;
  std::string machine;
  int64_t context;
  int64_t chunk;
  int64_t sequences;
  bool drafts;
  WarningCallback on_warning;
};

struct PlacedStep {
  int64_t min_tokens;
  int64_t max_tokens;
  std::string name;
  int64_t layer;
  std::string op;
  std::string target;
  std::string kernel;
  std::string decided_by;
  std::string because;
  std::string weight_types;
  double estimate_ns_min;
  double estimate_ns_max;
};

struct EngineParams {
  int threads;
  int sequences;
  int64_t context;
  bool paged;
  bool pack_cache;
  std::function<void(uint64_t, uint64_t)> on_load;
  WarningCallback on_warning;
};

struct TurnCall {
  std::string name;
  std::string arguments;
};
struct ChatTurn {
  std::string role;
  std::string content;
  std::optional<std::string> reasoning;
  std::vector<TurnCall> calls;
};
enum class Thinking { kAuto, kOn, kOff };
enum class ToolUsage { kAuto, kNone, kRequired };

// A token, the logits if there are some, and the probabilities if somebody asked for them.
struct MadeToken {
  int32_t id = 0;
  const float* logits = nullptr;
  int64_t vocabulary = 0;
  float logprob = 0;
  std::vector<std::pair<int32_t, float>> top = {};
};

struct GenerateParams {
  int64_t max_tokens;
  std::optional<double> temperature;
  std::optional<int32_t> top_k;
  std::optional<double> top_p;
  std::optional<double> min_p;
  double repeat_penalty;
  double presence_penalty;
  double frequency_penalty;
  int32_t repeat_last_n;
  std::vector<std::pair<int32_t, float>> logit_bias;
  std::optional<uint64_t> seed;
  std::vector<std::string> stop;
  bool ignore_end;
  bool ngram_drafts;
  Thinking think;
  int64_t think_budget;
  std::vector<std::string> tools;
  ToolUsage tool_use;
  std::string tool_name;
  bool parallel_tool_calls;
  bool bind_tool_arguments;
  std::string json_schema;
  std::string grammar;
  bool json;
  const std::atomic<bool>* cancel;
  std::function<void(int64_t, int64_t)> on_prefill;
  std::function<void(const MadeToken&)> on_token;
  int32_t top_logprobs;
  std::function<bool(std::string_view)> on_text;
};

struct Generated {
  std::string text;
  ChatTurn turn;
  std::vector<int32_t> ids;
  int reason = 0;  // value of infer::StopReason; the public enum has the same order
  int64_t prompt_tokens = 0;
  int64_t cached_tokens = 0;
  double first_token_ms = 0;
  double prefill_ms = 0;
  double decode_ms = 0;
  int64_t drafted_tokens = 0;
  int64_t accepted_tokens = 0;
  double draft_gain = 0;
  uint64_t seed = 0;
  std::vector<std::string> warnings;
};

struct ServerParams {
  int running;
  int waiting;
  double step_ms;
  EngineParams engine;
};
using Done = std::function<void(Outcome<Generated>)>;

struct EmbedderParams {
  std::string pooling;
  std::string policy;
  int64_t context;
  int64_t chunk;
  int texts;
  int threads;
  bool pack_cache;
  WarningCallback on_warning;
};
struct EmbedParams {
  std::string instruction;
  int64_t dimensions;
  bool normalize;
  const std::atomic<bool>* cancel;
};

struct Appended {
  SequencePtr sequence;
  std::vector<int32_t> tokens;
};

Outcome<ModelPtr> LoadModel(const std::string& path);
Outcome<ModelPtr> LoadBundledModel();
std::string ModelName(const ModelHandle& model);
std::string FamilyName(const ModelHandle& model);
int64_t ModelVocabulary(const ModelHandle& model);
int64_t ModelContext(const ModelHandle& model);
Outcome<std::vector<int32_t>> Encode(const ModelHandle& model, std::string_view text);
Outcome<std::string> Decode(const ModelHandle& model, const std::vector<int32_t>& ids);
Outcome<std::string> RenderChat(const ModelHandle& model, const std::vector<ChatTurn>& messages,
                                Thinking think);

Outcome<ProgramPtr> CompileProgram(const ModelHandle& model, const CompileParams& params);
Outcome<ProgramPtr> LoadProgram(const std::string& path);
const std::string& ProgramBytes(const ProgramHandle& program);
std::string ProgramText(const ProgramHandle& program);
std::vector<PlacedStep> ProgramPlacement(const ProgramHandle& program);
std::string ProgramSummary(const ProgramHandle& program);
const std::vector<std::string>& ProgramWarnings(const ProgramHandle& program);

Outcome<EnginePtr> CreateEngine(ModelPtr model, ProgramPtr program, const EngineParams& params);
Outcome<SequencePtr> NewSequence(const EnginePtr& engine);
Outcome<std::vector<std::vector<float>>> Step(EngineHandle& engine,
                                              const std::vector<Appended>& requests);
int Threads(const EngineHandle& engine);
std::string ThreadsText(const EngineHandle& engine);
const std::vector<std::string>& EngineWarnings(const EngineHandle& engine);

Outcome<Generated> GenerateText(SequenceHandle& sequence, const std::string& prompt,
                                const GenerateParams& params);
Outcome<Generated> GenerateIds(SequenceHandle& sequence, const std::vector<int32_t>& prompt,
                               const GenerateParams& params);
Outcome<Generated> Chat(SequenceHandle& sequence, const std::vector<ChatTurn>& messages,
                        const GenerateParams& params);
void Clear(SequenceHandle& sequence);

Outcome<ServerPtr> CreateServer(ModelPtr model, ProgramPtr program, const ServerParams& params);
Outcome<uint64_t> SubmitText(ServerHandle& server, const std::string& prompt,
                             const GenerateParams& params, Done done);
Outcome<uint64_t> SubmitChat(ServerHandle& server, const std::vector<ChatTurn>& messages,
                             const GenerateParams& params, Done done);
void CancelRequest(ServerHandle& server, uint64_t id);
std::vector<int32_t> Tokens(const SequenceHandle& sequence);

Outcome<EmbedderPtr> CreateEmbedder(ModelPtr model, const EmbedderParams& params);
int64_t Dimensions(const EmbedderHandle& embedder);
Outcome<std::vector<std::vector<float>>> EmbedTexts(EmbedderHandle& embedder,
                                                    const std::vector<std::string>& texts,
                                                    const EmbedParams& params);
Outcome<std::vector<double>> RerankTexts(EmbedderHandle& embedder, const std::string& query,
                                         const std::vector<std::string>& documents,
                                         const EmbedParams& params);

}  // namespace infer::engine
