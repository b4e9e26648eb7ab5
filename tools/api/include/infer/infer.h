// SPDX-License-Identifier: Apache-2.0
//
// The public interface of infer: load a model, compile it, generate text. Standard types only, so a
// program that uses it needs nothing but this header and the library.
//
//   auto model = infer::Model::Load("model.gguf");
//   if (!model.ok()) { ... model.error().message ... }
//   auto program = infer::Compile(model.value());
//   auto engine = infer::Engine::Create(model.value(), program.value());
//   auto sequence = engine.value().NewSequence();
//   auto answer = sequence.value().Generate("Once upon a time");
//   std::puts(answer.value().text.c_str());
//
// Objects are handles: a copy refers to the same object, and each keeps alive what it needs, so
// they may be destroyed in any order.
//
// Threads. Model and Program are immutable: any number of threads may use them at once. An Engine
// may be used from any number of threads; it runs one call of the model at a time on all its
// threads, and calls of several sequences take turns, a token or a chunk of a prompt each. A
// Sequence or Session is used by one thread at a time. A CancelToken and a Server may be used from
// anywhere, at any time. Callbacks run on the calling thread, while the engine is free for others;
// a callback may use other sequences, not its own. Those of a Server run on the server's thread.
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

#if defined(__GNUC__)
#define INFER_API __attribute__((visibility("default")))
#else
#define INFER_API
#endif

namespace infer {

// Implementation behind the public objects.
namespace engine {
struct ModelHandle;
struct ProgramHandle;
struct EngineHandle;
struct SequenceHandle;
struct ServerHandle;
struct EmbedderHandle;
}  // namespace engine

inline namespace v1 {

// One line that says what went wrong, where, and what would help. The code is also the exit code of
// the tools: 1 run time, 2 wrong option or argument, 3 bad input, 4 no memory, 5 unavailable.
struct Error {
  int code = 1;
  std::string message;
};

// A value or an error; accessing the wrong one throws std::bad_variant_access.
template <class T>
class Result {
 public:
  Result(T value) : held_(std::move(value)) {}      // NOLINT: implicit by design
  Result(Error error) : held_(std::move(error)) {}  // NOLINT: implicit by design

  bool ok() const { return held_.index() == 0; }
  T& value() { return std::get<0>(held_); }
  const T& value() const { return std::get<0>(held_); }
  const Error& error() const { return std::get<1>(held_); }

 private:
  std::variant<T, Error> held_;
};

// Cancels the work it was given to, from any thread. Copies refer to the same token. Once cancelled
// it stays cancelled; use a new one for the next piece of work.
class CancelToken {
 public:
  CancelToken() : flag_(std::make_shared<std::atomic<bool>>(false)) {}
  void Cancel() const { flag_->store(true, std::memory_order_relaxed); }
  bool cancelled() const { return flag_->load(std::memory_order_relaxed); }
  const std::atomic<bool>* flag() const { return flag_.get(); }

 private:
  std::shared_ptr<std::atomic<bool>> flag_;
};

// A tool that an answer calls.
struct ToolCall {
  std::string name;
  std::string arguments;  // JSON text
};

// A turn of a conversation.
struct Message {
  std::string role;  // "system", "user", "assistant" or "tool"
  std::string content;
  std::optional<std::string> reasoning = {};  // the thought before an assistant's answer
  std::vector<ToolCall> tool_calls = {};      // of an assistant
};

enum class Think { kAuto, kOn, kOff };  // kAuto leaves it to the model

// A model file: opened, checked and mapped.
class INFER_API Model {
 public:
  static Result<Model> Load(const std::string& path);
  // Loads the small model that is installed with the tools, or stands in the source tree.
  static Result<Model> LoadBundled();

  std::string name() const;
  std::string family() const;  // "qwen3"
  int64_t vocabulary() const;
  int64_t context() const;  // positions it was trained for

  // Encodes text to token ids; special tokens in the text become their ids.
  Result<std::vector<int32_t>> Encode(std::string_view text) const;
  Result<std::string> Decode(const std::vector<int32_t>& ids) const;
  // Renders the prompt for the next answer in the model's own chat format.
  Result<std::string> RenderChat(const std::vector<Message>& messages,
                                 Think think = Think::kAuto) const;

  using Handle = std::shared_ptr<const engine::ModelHandle>;
  explicit Model(Handle handle) : handle_(std::move(handle)) {}
  const Handle& handle() const { return handle_; }

 private:
  Handle handle_;
};

struct CompileOptions {
  std::string policy;  // name or file; empty means the default policy
  // Rules that come before the policy's, such as "op=linear,layer>=20=simd"; the first match
  // decides.
  std::vector<std::string> overrides;
  bool strict = false;  // place each node on the first target of its rule or fail
  // A sequence gets the same bits whatever else is in its calls and however its prompt is cut.
  bool invariant = false;
  std::string kv_type;  // "f16", "f32" or "q8_0"; empty means the policy's, or f16
  std::string machine;  // file with a machine description; empty means a generic one
  int64_t context = 0;  // cache entries of a sequence; 0 means 4096, or the model's own if shorter
  int64_t chunk = 512;  // largest number of tokens in one call
  int sequences = 1;    // largest number of sequences that one call advances
  bool drafts = false;  // allow GenerateOptions::drafts; a call then holds logits of more tokens
  // Called for each fallback and each rule without effect; these are also in Program::warnings().
  std::function<void(const std::string&)> on_warning;
};

// A node of a Program in one of its regimes, which are intervals of the number of tokens in a call.
struct PlacedNode {
  int64_t min_tokens = 0;  // of the regime
  int64_t max_tokens = 0;
  std::string name;    // with the names of all nodes that were fused: "layer.3/attn/q_proj+k_proj"
  int64_t layer = -1;  // -1 outside layers
  std::string op;
  std::string target;  // "simd"
  std::string kernel;
  std::string decided_by;      // "rule split of policy auto"
  std::string because;         // "op linear, rows >= 8: 8..512"; empty if the rule has no terms
  std::string weight_types;    // "q8_0"; empty without weights
  double estimate_ns_min = 0;  // at the regime's lower ends; 0 without an estimate
  double estimate_ns_max = 0;
};

// A model compiled for this machine: every node has its target, kernel and memory.
class INFER_API Program {
 public:
  // Loads a stored program, as written by Serialize().
  static Result<Program> Load(const std::string& path);
  Result<std::string> Serialize() const;
  std::string ToText() const;  // the readable form, with the reason for every placement
  std::vector<PlacedNode> Placement() const;  // by regime, each in program order
  std::string Summary() const;                // model, policy and a table of the regimes
  const std::vector<std::string>& warnings() const;

  using Handle = std::shared_ptr<const engine::ProgramHandle>;
  explicit Program(Handle handle) : handle_(std::move(handle)) {}
  const Handle& handle() const { return handle_; }

 private:
  Handle handle_;
};

INFER_API Result<Program> Compile(const Model& model, const CompileOptions& options = {});

struct EngineOptions {
  int threads = 0;          // 0 means all cores that the system grants
  int sequences = 1;        // sequences that exist at the same time
  int64_t context = 0;      // cache entries of each; 0 means what the program was compiled for
  bool paged = false;       // grow the cache by blocks instead of allocating it at once
  bool pack_cache = false;  // keep packed weights in a file beside the model for the next load
  std::function<void(uint64_t done_bytes, uint64_t total_bytes)> on_load;  // while packing weights
  std::function<void(const std::string&)> on_warning;  // also in Engine::warnings()
};

enum class StopReason { kMaxTokens, kEndToken, kStopString, kContextFull, kCancelled, kCallback };

struct TokenLogprob {
  int32_t id = 0;
  float logprob = 0;  // natural logarithm; of the model, before filters and temperature
};

// A generated token and what it was chosen from.
struct TokenStep {
  int32_t id = 0;
  const float* logits = nullptr;  // one for each entry of the vocabulary; valid during the call
  int64_t vocabulary = 0;
  float logprob = 0;                   // with GenerateOptions::top_logprobs, ...
  std::vector<TokenLogprob> top = {};  // ... and so are these: the likeliest first
};

// Tokens that are guessed and run ahead, several in one call of the model: the same text, sooner if
// the guesses are right.
enum class Drafts { kOff, kNgram };  // kNgram: what followed the same tokens before

enum class ToolUse { kAuto, kNone, kRequired };  // whether an answer may or must call tools

// Added to the logit of a token before everything else.
struct TokenBias {
  int32_t id = 0;
  float bias = 0;
};

// Parameters that are not set take the values recommended by the model's authors.
struct GenerateOptions {
  int64_t max_tokens = 256;
  std::optional<double> temperature;  // 0 chooses the most likely token
  std::optional<int32_t> top_k;
  std::optional<double> top_p;
  std::optional<double> min_p;
  double repeat_penalty = 1.0;
  double presence_penalty = 0.0;
  double frequency_penalty = 0.0;     // times the occurrences of a token
  int32_t repeat_last_n = 64;         // how many tokens back the penalties look
  std::vector<TokenBias> logit_bias;  // up to 1024
  std::optional<uint64_t> seed;       // the same seed gives the same text; random if not set
  std::vector<std::string> stop;
  bool ignore_end = false;  // continue after an end token
  Drafts drafts = Drafts::kOff;
  Think think = Think::kAuto;      // for Chat
  int64_t think_budget = -1;       // tokens after which a thought ends; -1: no bound
  std::vector<std::string> tools;  // for Chat: JSON text of each tool that an answer may call
  ToolUse tool_use = ToolUse::kAuto;
  std::string tool_name;            // with kRequired: the one tool to call
  bool parallel_tool_calls = true;  // false: at most one call in an answer
  // Whether the arguments of calls keep to the schemas of the tools. A tool whose schema is not
  // supported gives a warning, or an error if it says "strict": true.
  bool bind_tool_arguments = true;
  // The text keeps to at most one of these; in a chat, after the thought.
  std::string json_schema;  // JSON text
  std::string grammar;      // GBNF
  bool json = false;        // any JSON document
  CancelToken cancel;
  std::function<void(int64_t done, int64_t total)> on_prefill;  // progress in tokens of the prompt
  std::function<void(const TokenStep&)> on_token;
  // For on_token: how many likely tokens, up to 64; -1: no probabilities.
  int32_t top_logprobs = -1;
  // Receives text as it becomes complete, in whole characters; returning false ends the generation.
  std::function<bool(std::string_view)> on_text;
};

struct Generation {
  std::string text;
  Message message;           // of Chat: the answer as the next turn of the conversation
  std::vector<int32_t> ids;  // without the end token
  StopReason reason = StopReason::kMaxTokens;
  int64_t prompt_tokens = 0;
  int64_t cached_tokens = 0;    // tokens of the prompt that were already in the cache
  double first_token_ms = 0;    // since the call
  double prefill_ms = 0;        // in the calls that ran the prompt
  double decode_ms = 0;         // in the calls that made the other tokens
  int64_t drafted_tokens = 0;   // guessed ahead
  int64_t accepted_tokens = 0;  // those of them that were right
  double draft_gain = 0;        // times faster than without drafts; 0: there were none
  uint64_t seed = 0;            // reproduces the text
  std::vector<std::string> warnings;
};

// A text or conversation in progress. Tokens that were run stay in the cache, and the part of a
// prompt that matches it is not run again.
class INFER_API Sequence {
 public:
  // Continues `prompt`, which may be empty. Cancellation is not an error: the result holds what was
  // generated until then.
  Result<Generation> Generate(const std::string& prompt, const GenerateOptions& options = {});
  Result<Generation> Generate(const std::vector<int32_t>& prompt,
                              const GenerateOptions& options = {});
  // Answers the last message.
  Result<Generation> Chat(const std::vector<Message>& messages,
                          const GenerateOptions& options = {});
  // Clears the cache.
  void Clear();
  std::vector<int32_t> tokens() const;  // in the cache

  using Handle = std::shared_ptr<engine::SequenceHandle>;
  explicit Sequence(Handle handle) : handle_(std::move(handle)) {}
  const Handle& handle() const { return handle_; }

 private:
  Handle handle_;
};

// Tokens to append to a sequence in one step of an engine.
struct StepRequest {
  Sequence sequence;
  std::vector<int32_t> tokens;  // at least one
};

// A compiled model in use: its packed weights, threads and the caches of its sequences.
class INFER_API Engine {
 public:
  static Result<Engine> Create(const Model& model, const Program& program,
                               const EngineOptions& options = {});

  // Returns an error if EngineOptions::sequences of them already exist. A sequence ends with its
  // last copy.
  Result<Sequence> NewSequence();

  // Appends tokens to several sequences of this engine together; each may occur once. Returns the
  // logits after the last token of each.
  Result<std::vector<std::vector<float>>> Step(const std::vector<StepRequest>& requests);

  int threads() const;
  std::string threads_text() const;  // with the reason: "2 = min(affinity 2)"
  const std::vector<std::string>& warnings() const;

  using Handle = std::shared_ptr<engine::EngineHandle>;
  explicit Engine(Handle handle) : handle_(std::move(handle)) {}

 private:
  Handle handle_;
};

// One sequence with an engine of its own. Sessions of one Model share their threads.
class INFER_API Session : public Sequence {
 public:
  static Result<Session> Create(const Model& model, const Program& program,
                                const EngineOptions& options = {});
  explicit Session(Sequence sequence) : Sequence(std::move(sequence)) {}
};

struct ServerOptions {
  int running = 16;     // requests whose tokens are in one call of the model
  int waiting = 256;    // requests in the queue; more are refused
  double step_ms = 60;  // target time of a call while somebody receives tokens
  int threads = 0;      // as in EngineOptions
  int64_t context = 0;
  bool pack_cache = false;
};

// Runs many generations at once on a thread of its own: one call of the model has tokens of all of
// them, and texts that begin alike are computed once. An answer is that of a Sequence on an idle
// engine if the program was compiled with `invariant`. Compile it with as many `sequences` as
// requests are to run at a time, and with `drafts` if texts repeat themselves. For several answers
// to one prompt submit it several times: it is computed once.
//
//   auto server = infer::Server::Create(model, program);
//   auto id = server.value().Submit("Once upon a time", options, [](infer::Result<Generation> r) {
//     ...
//   });
class INFER_API Server {
 public:
  static Result<Server> Create(const Model& model, const Program& program,
                               const ServerOptions& options = {});

  // Receives the end of a request, which was accepted: the generation, up to where it was cancelled
  // if it was. Called once, on the server's thread.
  using Done = std::function<void(Result<Generation>)>;

  // Queues a request and returns its number. GenerateOptions::on_text and on_token (without logits)
  // are called on the server's thread: they must not wait, or everybody does. `cancel` is looked at
  // with each token. Fails with code 1 if the queue is full.
  Result<uint64_t> Submit(const std::string& prompt, const GenerateOptions& options, Done done);
  // The same for a conversation.
  Result<uint64_t> Submit(const std::vector<Message>& messages, const GenerateOptions& options,
                          Done done);
  // The request ends at the next step. Does nothing if it has ended already.
  void Cancel(uint64_t request);

  // The last copy cancels all requests and waits for their `done`. It must not be destroyed on the
  // server's thread.
  using Handle = std::shared_ptr<engine::ServerHandle>;
  explicit Server(Handle handle) : handle_(std::move(handle)) {}

 private:
  Handle handle_;
};

struct EmbedderOptions {
  std::string pooling;  // "last", "mean", "cls" or, for Rerank, "rank"; empty: as the file says
  std::string policy;   // as in CompileOptions
  int64_t context = 0;
  int64_t chunk = 512;
  int texts = 32;   // largest number of texts in one call of the model
  int threads = 0;  // as in EngineOptions
  bool pack_cache = false;
  std::function<void(const std::string&)> on_warning;
};

struct EmbedOptions {
  std::string instruction;  // makes a text a query, or replaces a reranker's instruction
  int64_t dimensions = 0;   // keep only the first numbers of a vector; 0: all
  bool normalize = true;    // scale vectors to length 1
  CancelToken cancel;       // ends the work with an error
};

// Turns texts into vectors, or scores documents for a query. Many texts share a call of the model.
// May be used from any number of threads; calls take turns.
class INFER_API Embedder {
 public:
  static Result<Embedder> Create(const Model& model, const EmbedderOptions& options = {});

  int64_t dimensions() const;
  Result<std::vector<std::vector<float>>> Embed(const std::vector<std::string>& texts,
                                                const EmbedOptions& options = {}) const;
  // Returns a score from 0 to 1 for each document. Only with the pooling "rank".
  Result<std::vector<double>> Rerank(const std::string& query,
                                     const std::vector<std::string>& documents,
                                     const EmbedOptions& options = {}) const;

  using Handle = std::shared_ptr<engine::EmbedderHandle>;
  explicit Embedder(Handle handle) : handle_(std::move(handle)) {}

 private:
  Handle handle_;
};

}  // namespace v1
}  // namespace infer
