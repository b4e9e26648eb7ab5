// SPDX-License-Identifier: Apache-2.0
#include "infer/infer.h"

#include <utility>

#include "tools/api/engine.h"

namespace infer {
inline namespace v1 {
namespace {

// Converts an outcome of the engine to a public result; `wrap` makes the public value.
template <class T, class Inner, class Wrap>
Result<T> Convert(engine::Outcome<Inner> outcome, const Wrap& wrap) {
  if (auto* failure = std::get_if<engine::Failure>(&outcome)) {
    return Error{failure->code, std::move(failure->message)};
  }
  return wrap(std::get<0>(std::move(outcome)));
}

constexpr auto kAsIs = [](auto value) { return value; };

engine::Thinking ThinkingOf(Think think) {
  switch (think) {
    case Think::kOn:
      return engine::Thinking::kOn;
    case Think::kOff:
      return engine::Thinking::kOff;
    case Think::kAuto:
      break;
  }
  return engine::Thinking::kAuto;
}

std::vector<engine::ChatTurn> TurnsOf(const std::vector<Message>& messages) {
  std::vector<engine::ChatTurn> turns;
  for (const Message& message : messages) {
    engine::ChatTurn& turn = turns.emplace_back();
    turn.role = message.role;
    turn.content = message.content;
    turn.reasoning = message.reasoning;
    for (const ToolCall& call : message.tool_calls) {
      turn.calls.push_back({call.name, call.arguments});
    }
  }
  return turns;
}

Message MessageOf(engine::ChatTurn turn) {
  Message message{std::move(turn.role), std::move(turn.content), std::move(turn.reasoning)};
  for (engine::TurnCall& call : turn.calls) {
    message.tool_calls.push_back({std::move(call.name), std::move(call.arguments)});
  }
  return message;
}

TokenStep StepOf(const engine::MadeToken& token) {
  TokenStep step{token.id, token.logits, token.vocabulary, token.logprob, {}};
  for (const auto& [id, logprob] : token.top) step.top.push_back({id, logprob});
  return step;
}

engine::GenerateParams ParamsOf(const GenerateOptions& options) {
  engine::GenerateParams params{.max_tokens = options.max_tokens,
                                .temperature = options.temperature,
                                .top_k = options.top_k,
                                .top_p = options.top_p,
                                .min_p = options.min_p,
                                .repeat_penalty = options.repeat_penalty,
                                .presence_penalty = options.presence_penalty,
                                .frequency_penalty = options.frequency_penalty,
                                .repeat_last_n = options.repeat_last_n,
                                .logit_bias = {},
                                .seed = options.seed,
                                .stop = options.stop,
                                .ignore_end = options.ignore_end,
                                .ngram_drafts = options.drafts == Drafts::kNgram,
                                .think = ThinkingOf(options.think),
                                .think_budget = options.think_budget,
                                .tools = options.tools,
                                .tool_use = static_cast<engine::ToolUsage>(options.tool_use),
                                .tool_name = options.tool_name,
                                .parallel_tool_calls = options.parallel_tool_calls,
                                .bind_tool_arguments = options.bind_tool_arguments,
                                .json_schema = options.json_schema,
                                .grammar = options.grammar,
                                .json = options.json,
                                .cancel = options.cancel.flag(),
                                .on_prefill = options.on_prefill,
                                .on_token = {},
                                .top_logprobs = options.top_logprobs,
                                .on_text = options.on_text};
  for (const TokenBias& bias : options.logit_bias) {
    params.logit_bias.emplace_back(bias.id, bias.bias);
  }
  // A copy: a request of a server outlives the caller's options.
  if (options.on_token) {
    params.on_token = [on_token = options.on_token](const engine::MadeToken& token) {
      on_token(StepOf(token));
    };
  }
  return params;
}

Generation GenerationOf(engine::Generated made) {
  return {.text = std::move(made.text),
          .message = MessageOf(std::move(made.turn)),
          .ids = std::move(made.ids),
          .reason = static_cast<StopReason>(made.reason),
          .prompt_tokens = made.prompt_tokens,
          .cached_tokens = made.cached_tokens,
          .first_token_ms = made.first_token_ms,
          .prefill_ms = made.prefill_ms,
          .decode_ms = made.decode_ms,
          .drafted_tokens = made.drafted_tokens,
          .accepted_tokens = made.accepted_tokens,
          .draft_gain = made.draft_gain,
          .seed = made.seed,
          .warnings = std::move(made.warnings)};
}

}  // namespace

Result<Model> Model::Load(const std::string& path) {
  return Convert<Model>(engine::LoadModel(path),
                        [](Handle handle) { return Model(std::move(handle)); });
}

Result<Model> Model::LoadBundled() {
  return Convert<Model>(engine::LoadBundledModel(),
                        [](Handle handle) { return Model(std::move(handle)); });
}

std::string Model::name() const { return engine::ModelName(*handle_); }
std::string Model::family() const { return engine::FamilyName(*handle_); }
int64_t Model::vocabulary() const { return engine::ModelVocabulary(*handle_); }
int64_t Model::context() const { return engine::ModelContext(*handle_); }

Result<std::vector<int32_t>> Model::Encode(std::string_view text) const {
  return Convert<std::vector<int32_t>>(engine::Encode(*handle_, text), kAsIs);
}

Result<std::string> Model::Decode(const std::vector<int32_t>& ids) const {
  return Convert<std::string>(engine::Decode(*handle_, ids), kAsIs);
}

Result<std::string> Model::RenderChat(const std::vector<Message>& messages, Think think) const {
  return Convert<std::string>(engine::RenderChat(*handle_, TurnsOf(messages), ThinkingOf(think)),
                              kAsIs);
}

Result<Program> Compile(const Model& model, const CompileOptions& options) {
  const engine::CompileParams params{.policy = options.policy,
                                     .overrides = options.overrides,
                                     .strict = options.strict,
                                     .invariant = options.invariant,
                                     .kv_type = options.kv_type,
                                     .machine = options.machine,
                                     .context = options.context,
                                     .chunk = options.chunk,
                                     .sequences = options.sequences,
                                     .drafts = options.drafts,
                                     .on_warning = options.on_warning};
  return Convert<Program>(engine::CompileProgram(*model.handle(), params),
                          [](Program::Handle handle) { return Program(std::move(handle)); });
}

Result<Program> Program::Load(const std::string& path) {
  return Convert<Program>(engine::LoadProgram(path),
                          [](Handle handle) { return Program(std::move(handle)); });
}

Result<std::string> Program::Serialize() const { return engine::ProgramBytes(*handle_); }
std::string Program::ToText() const { return engine::ProgramText(*handle_); }
std::vector<PlacedNode> Program::Placement() const {
  std::vector<PlacedNode> nodes;
  for (engine::PlacedStep& step : engine::ProgramPlacement(*handle_)) {
    nodes.push_back({.min_tokens = step.min_tokens,
                     .max_tokens = step.max_tokens,
                     .name = std::move(step.name),
                     .layer = step.layer,
                     .op = std::move(step.op),
                     .target = std::move(step.target),
                     .kernel = std::move(step.kernel),
                     .decided_by = std::move(step.decided_by),
                     .because = std::move(step.because),
                     .weight_types = std::move(step.weight_types),
                     .estimate_ns_min = step.estimate_ns_min,
                     .estimate_ns_max = step.estimate_ns_max});
  }
  return nodes;
}

std::string Program::Summary() const { return engine::ProgramSummary(*handle_); }
const std::vector<std::string>& Program::warnings() const {
  return engine::ProgramWarnings(*handle_);
}

Result<Generation> Sequence::Generate(const std::string& prompt, const GenerateOptions& options) {
  return Convert<Generation>(engine::GenerateText(*handle_, prompt, ParamsOf(options)),
                             GenerationOf);
}

Result<Generation> Sequence::Generate(const std::vector<int32_t>& prompt,
                                      const GenerateOptions& options) {
  return Convert<Generation>(engine::GenerateIds(*handle_, prompt, ParamsOf(options)),
                             GenerationOf);
}

Result<Generation> Sequence::Chat(const std::vector<Message>& messages,
                                  const GenerateOptions& options) {
  return Convert<Generation>(engine::Chat(*handle_, TurnsOf(messages), ParamsOf(options)),
                             GenerationOf);
}

void Sequence::Clear() { engine::Clear(*handle_); }
std::vector<int32_t> Sequence::tokens() const { return engine::Tokens(*handle_); }

Result<Engine> Engine::Create(const Model& model, const Program& program,
                              const EngineOptions& options) {
  const engine::EngineParams params{.threads = options.threads,
                                    .sequences = options.sequences,
                                    .context = options.context,
                                    .paged = options.paged,
                                    .pack_cache = options.pack_cache,
                                    .on_load = options.on_load,
                                    .on_warning = options.on_warning};
  return Convert<Engine>(engine::CreateEngine(model.handle(), program.handle(), params),
                         [](Handle handle) { return Engine(std::move(handle)); });
}

Result<Sequence> Engine::NewSequence() {
  return Convert<Sequence>(engine::NewSequence(handle_),
                           [](Sequence::Handle handle) { return Sequence(std::move(handle)); });
}

Result<std::vector<std::vector<float>>> Engine::Step(const std::vector<StepRequest>& requests) {
  std::vector<engine::Appended> appended;
  for (const StepRequest& request : requests) {
    appended.push_back({request.sequence.handle(), request.tokens});
  }
  return Convert<std::vector<std::vector<float>>>(engine::Step(*handle_, appended), kAsIs);
}

int Engine::threads() const { return engine::Threads(*handle_); }
std::string Engine::threads_text() const { return engine::ThreadsText(*handle_); }
const std::vector<std::string>& Engine::warnings() const {
  return engine::EngineWarnings(*handle_);
}

Result<Session> Session::Create(const Model& model, const Program& program,
                                const EngineOptions& options) {
  Result<Engine> engine = Engine::Create(model, program, options);
  if (!engine.ok()) return engine.error();
  Result<Sequence> sequence = engine.value().NewSequence();
  if (!sequence.ok()) return sequence.error();
  return Session(std::move(sequence.value()));
}

Result<Server> Server::Create(const Model& model, const Program& program,
                              const ServerOptions& options) {
  const engine::ServerParams params{.running = options.running,
                                    .waiting = options.waiting,
                                    .step_ms = options.step_ms,
                                    .engine = {.threads = options.threads,
                                               .sequences = options.running,
                                               .context = options.context,
                                               .paged = true,
                                               .pack_cache = options.pack_cache,
                                               .on_load = {},
                                               .on_warning = {}}};
  return Convert<Server>(engine::CreateServer(model.handle(), program.handle(), params),
                         [](Handle handle) { return Server(std::move(handle)); });
}

namespace {

// Keeps the cancel flag for as long as the request looks at it.
engine::Done DoneFor(const GenerateOptions& options, Server::Done done) {
  return [cancel = options.cancel, done = std::move(done)](engine::Outcome<engine::Generated> end) {
    if (done) done(Convert<Generation>(std::move(end), GenerationOf));
  };
}

}  // namespace

Result<uint64_t> Server::Submit(const std::string& prompt, const GenerateOptions& options,
                                Done done) {
  return Convert<uint64_t>(
      engine::SubmitText(*handle_, prompt, ParamsOf(options), DoneFor(options, std::move(done))),
      kAsIs);
}

Result<uint64_t> Server::Submit(const std::vector<Message>& messages,
                                const GenerateOptions& options, Done done) {
  return Convert<uint64_t>(engine::SubmitChat(*handle_, TurnsOf(messages), ParamsOf(options),
                                              DoneFor(options, std::move(done))),
                           kAsIs);
}

void Server::Cancel(uint64_t request) { engine::CancelRequest(*handle_, request); }

Result<Embedder> Embedder::Create(const Model& model, const EmbedderOptions& options) {
  const engine::EmbedderParams params{.pooling = options.pooling,
                                      .policy = options.policy,
                                      .context = options.context,
                                      .chunk = options.chunk,
                                      .texts = options.texts,
                                      .threads = options.threads,
                                      .pack_cache = options.pack_cache,
                                      .on_warning = options.on_warning};
  return Convert<Embedder>(engine::CreateEmbedder(model.handle(), params),
                           [](engine::EmbedderPtr made) { return Embedder(std::move(made)); });
}

namespace {

engine::EmbedParams ParamsOf(const EmbedOptions& options) {
  return {.instruction = options.instruction,
          .dimensions = options.dimensions,
          .normalize = options.normalize,
          .cancel = options.cancel.flag()};
}

}  // namespace

int64_t Embedder::dimensions() const { return engine::Dimensions(*handle_); }

Result<std::vector<std::vector<float>>> Embedder::Embed(const std::vector<std::string>& texts,
                                                        const EmbedOptions& options) const {
  return Convert<std::vector<std::vector<float>>>(
      engine::EmbedTexts(*handle_, texts, ParamsOf(options)), kAsIs);
}

Result<std::vector<double>> Embedder::Rerank(const std::string& query,
                                             const std::vector<std::string>& documents,
                                             const EmbedOptions& options) const {
  return Convert<std::vector<double>>(
      engine::RerankTexts(*handle_, query, documents, ParamsOf(options)), kAsIs);
}

}  // namespace v1
}  // namespace infer
