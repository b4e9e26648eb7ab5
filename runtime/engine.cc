// SPDX-License-Identifier: Apache-2.0
#include "runtime/engine.h"

#include <algorithm>
#include <array>
#include <limits>
#include <mutex>
#include <utility>

#include "ir/base/advice.h"
#include "ir/base/status_macros.h"
#include "ir/base/strings.h"
#include "ir/ops/top_logits.h"
#include "runtime/program_devices.h"

namespace infer {
namespace {

constexpr int64_t kMaxInt32 = std::numeric_limits<int32_t>::max();

// A stored Program can hold any graph; an engine calls it as a language model.
absl::Status CheckInterface(const Graph& graph) {
  std::vector<Node*> inputs = graph.inputs();
  if (inputs.size() != 2 ||
      inputs[0]->result().type != ValueType::Tensor(DType::kI32, {Symbol::kT}) ||
      inputs[1]->result().type.kind != TypeKind::kBatch) {
    return absl::InvalidArgumentError(StrCat(
        "graph ", graph.name(), " is not a language model: expected the inputs i32[T] and batch"));
  }
  std::span<const Value> results = graph.results();
  bool gives_logits = !results.empty() && results[0].type().rank() == 2 &&
                      results[0].type().dim(0) == Dim(Symbol::kR) &&
                      !results[0].type().dim(1).is_symbol();
  if (EndWithLargest(results)) results = results.first(results.size() - 2);
  for (Value result : results) gives_logits &= result.type().is_tensor(DType::kF32);
  if (gives_logits) return absl::OkStatus();
  return absl::InvalidArgumentError(StrCat(
      "graph ", graph.name(), " is not a language model: expected the result f32[R,vocabulary] ",
      "and only f32 for further results, or i32[R,k] and f32[R,k] at the end"));
}

// Without a registry all caches are placed on the cpu: the same number of bytes, elsewhere.
absl::StatusOr<KvCacheOptions> CacheOptions(const Program& program, const EngineOptions& options,
                                            const KernelRegistry* registry = nullptr) {
  KvCacheOptions cache;
  for (const State& state : program.states) {
    if (state.dtype != program.states[0].dtype) {
      return absl::UnimplementedError("the program's caches have different element types");
    }
    if (state.kv_heads > kMaxInt32 || state.head_dim > kMaxInt32) {
      return absl::InvalidArgumentError(StrCat("state ", state.id, " of the program has ",
                                               state.kv_heads, " heads of ", state.head_dim));
    }
    KvLayer& layer = cache.layers.emplace_back();
    layer.kv_heads = static_cast<int32_t>(state.kv_heads);
    layer.head_dim = static_cast<int32_t>(state.head_dim);
    if (registry != nullptr) layer.space = registry->memory(state.home_space).get();
    cache.dtype = state.dtype;
  }
  if (options.context < 1 || options.sequences < 1 ||
      options.context > kMaxInt32 / options.sequences) {
    return absl::InvalidArgumentError(StrCat("a cache for ", options.sequences, " sequences of ",
                                             options.context, " tokens: expected at least 1 of ",
                                             "each and at most ", kMaxInt32, " tokens in total"));
  }
  if (options.cache_positions != 0 && options.block_positions == 0) {
    return absl::InvalidArgumentError(
        "only a paged cache can be smaller than all its sequences; set block_positions");
  }
  cache.capacity =
      options.cache_positions != 0 ? options.cache_positions : options.context * options.sequences;
  cache.max_sequences = options.sequences;
  cache.sequence_capacity = options.context;
  cache.block_positions = options.block_positions;
  cache.max_tokens = static_cast<int32_t>(std::min(program.symbols[Symbol::kT].max, kMaxInt32));
  return cache;
}

// Decomposed graphs have values as long as the cache, whose memory was planned for one length.
absl::Status CheckContext(const Executable& executable, const EngineOptions& options) {
  const int64_t planned = executable.program().symbols[Symbol::kS].max;
  const int64_t wanted = options.context * options.sequences;
  if (!executable.depends_on_context() || wanted <= planned) return absl::OkStatus();
  return WithAdvice(
      absl::InvalidArgumentError(
          StrCat("the program was compiled for a context of ", planned, " tokens, asked for ",
                 options.sequences > 1 ? StrCat(options.sequences, " sequences of ") : "",
                 options.context, "; compile it again for that context")),
      {Advice::kCompileContext});
}

}  // namespace

absl::StatusOr<uint64_t> PredictCacheBytes(const Program& program, const EngineOptions& options) {
  ASSIGN_OR_RETURN(KvCacheOptions cache, CacheOptions(program, options));
  return KvCache::PredictBytes(cache);
}

absl::Status CheckEngine(const Program& program, const KernelRegistry& registry,
                         const EngineOptions& options) {
  for (const Regime& regime : program.regimes) RETURN_IF_ERROR(CheckInterface(regime.graph));
  ASSIGN_OR_RETURN(uint64_t cache_bytes, PredictCacheBytes(program, options));
  return CheckDeviceMemory(program, registry, cache_bytes);
}

absl::StatusOr<std::unique_ptr<Engine>> Engine::Create(std::shared_ptr<const Executable> executable,
                                                       const EngineOptions& options) {
  const Program& program = executable->program();
  RETURN_IF_ERROR(CheckEngine(program, executable->registry(), options));
  RETURN_IF_ERROR(CheckContext(*executable, options));
  ASSIGN_OR_RETURN(KvCacheOptions cache_options,
                   CacheOptions(program, options, &executable->registry()));
  ASSIGN_OR_RETURN(std::unique_ptr<KvCache> cache, KvCache::Create(cache_options));
  std::vector<KvView> views;
  for (int32_t i = 0; i < cache->num_layers(); ++i) views.push_back(cache->view(i));
  ASSIGN_OR_RETURN(std::unique_ptr<CallContext> context,
                   CallContext::Create(*executable, views, cache->cpu_memory()));
  std::unique_ptr<Engine> engine(
      new Engine(std::move(executable), std::move(cache), std::move(context), options.tokens));
  return engine;
}

Engine::Engine(std::shared_ptr<const Executable> executable, std::unique_ptr<KvCache> cache,
               std::unique_ptr<CallContext> context, int64_t tokens)
    : executable_(std::move(executable)),
      cache_(std::move(cache)),
      context_(std::move(context)),
      executor_(executable_.get(), context_.get()),
      choosable_(tokens == 0 ? vocabulary() : std::min(tokens, vocabulary())),
      tokens_(static_cast<size_t>(cache_->max_sequences())) {
  ids_.reserve(static_cast<size_t>(std::min(max_step_tokens(), kMaxInt32)));
  batch_requests_.reserve(tokens_.size());
  first_row_.reserve(tokens_.size());
  transport_ = executable_->registry().collective();
  if (transport_ != nullptr && transport_->rank() == 0) cache_->RecordChanges(&changes_);
}

Engine::~Engine() {
  if (transport_ == nullptr || transport_->rank() != 0 || failed_) return;
  announced_.SendEnd(*transport_).IgnoreError();
}

absl::StatusOr<SequenceId> Engine::NewSequence() { return NewSequence({}, {}); }

absl::StatusOr<SequenceId> Engine::NewSequence(std::span<const int32_t> blocks,
                                               std::span<const int32_t> tokens) {
  ASSIGN_OR_RETURN(const SequenceId sequence, cache_->NewSequence(blocks, std::ssize(tokens)));
  ReserveTokens(sequence);
  tokens_[sequence].assign(tokens.begin(), tokens.end());
  return sequence;
}

// A call must not allocate, but most of many sequences never fill a long context.
void Engine::ReserveTokens(SequenceId sequence) {
  constexpr int64_t kUsual = 4096;
  const int64_t tokens = max_sequences() == 1 ? context() : std::min(context(), kUsual);
  tokens_[sequence].reserve(static_cast<size_t>(tokens));
}

absl::StatusOr<SequenceId> Engine::Clone(SequenceId sequence) {
  ASSIGN_OR_RETURN(const SequenceId clone, cache_->Clone(sequence));
  ReserveTokens(clone);
  tokens_[clone].assign(tokens_[sequence].begin(), tokens_[sequence].end());
  return clone;
}

void Engine::Release(SequenceId sequence) {
  cache_->Release(sequence);
  tokens_[sequence].clear();
}

absl::Status Engine::Reserve(SequenceId sequence, int64_t tokens) {
  return cache_->Reserve(sequence, tokens);
}

void Engine::Rewind(SequenceId sequence, int64_t length) {
  cache_->Rewind(sequence, length);
  tokens_[sequence].resize(static_cast<size_t>(cache_->length(sequence)));
}

absl::Status Engine::Step(std::span<const StepRequest> requests, const RunContext& context) {
  RETURN_IF_ERROR(Run(requests, context));
  for (const StepRequest& request : requests) {
    cache_->Commit(request.sequence, std::ssize(request.tokens));
    std::vector<int32_t>& tokens = tokens_[request.sequence];
    tokens.insert(tokens.end(), request.tokens.begin(), request.tokens.end());
  }
  executable_->weights().RowsRead(std::ssize(ids_));
  return absl::OkStatus();
}

absl::Status Engine::Run(std::span<const StepRequest> requests, const RunContext& context) {
  ids_.clear();
  batch_requests_.clear();
  first_row_.clear();
  int64_t tokens = 0;
  for (const StepRequest& request : requests) tokens += std::ssize(request.tokens);
  if (tokens > max_step_tokens() || requests.size() > tokens_.size()) {
    return absl::InvalidArgumentError(
        StrCat("a step of ", requests.size(), " sequences with ", tokens, " tokens: at most ",
               tokens_.size(), " sequences and ", max_step_tokens(), " tokens are allowed"));
  }
  int64_t rows = 0;
  int64_t visible = 0;
  bool whole_rows = false;
  for (const StepRequest& request : requests) {
    const int32_t count = static_cast<int32_t>(request.tokens.size());
    RETURN_IF_ERROR(cache_->Reserve(request.sequence, count));
    ids_.insert(ids_.end(), request.tokens.begin(), request.tokens.end());
    batch_requests_.push_back({request.sequence, count, request.logit_rows});
    first_row_.push_back(rows);
    rows += request.logit_rows;
    whole_rows = whole_rows || (request.logit_rows > 0 && request.whole_rows);
    visible += cache_->length(request.sequence) + count;
  }
  // R is at least 1 in every Program: R = 0 would be a special case in every kernel.
  if (rows == 0 && !requests.empty()) rows = batch_requests_.back().logit_rows = 1;
  Batch batch;
  RETURN_IF_ERROR(cache_->MakeBatch(batch_requests_, &batch));
  const SymbolValues symbols{tokens, rows, visible, std::ssize(requests)};
  const std::array<std::span<const std::byte>, 2> inputs = {std::as_bytes(std::span(ids_)), {}};
  const std::lock_guard turn(executable_->registry().call_mutex());
  if (transport_ != nullptr) return RunAnnounced(symbols, batch, context);
  return executor_.Run(symbols, inputs, batch, context,
                       whole_rows ? LastCopies::kNow : LastCopies::kLater);
}

absl::Status Engine::RunAnnounced(const SymbolValues& symbols, const Batch& batch,
                                  const RunContext& context) {
  // Between the steps of a call a rank cannot stop, because the others would wait for it.
  if (context.stop != nullptr && context.stop->load(std::memory_order_relaxed)) {
    return absl::CancelledError("stopped");
  }
  RunContext unstopped = context;
  unstopped.stop = nullptr;
  const std::array<std::span<const std::byte>, 2> inputs = {std::as_bytes(std::span(ids_)), {}};
  transport_->SetPlace(StrCat("call ", ++calls_, " of ", symbols.t, " tokens"));
  absl::Status status = announced_.Send(*transport_, symbols, ids_, batch, changes_,
                                        /*is_recorded=*/context.recorder != nullptr);
  changes_.clear();
  if (status.ok()) status = executor_.Run(symbols, inputs, batch, unstopped);
  if (status.ok()) return status;
  failed_ = true;
  transport_->Abort(status);
  return status;
}

absl::Status Engine::Follow() {
  if (transport_ == nullptr || transport_->rank() == 0) {
    return absl::FailedPreconditionError("only a rank of a divided model other than 0 can follow");
  }
  while (true) {
    ASSIGN_OR_RETURN(const bool is_call, announced_.Receive(*transport_));
    if (!is_call) return absl::OkStatus();
    transport_->SetPlace(StrCat("call ", ++calls_, " of ", announced_.symbols().t, " tokens"));
    for (const KvBlockChange& change : announced_.changes()) cache_->Apply(change);
    const absl::Status status = RunFollowed();
    if (!status.ok()) {
      transport_->Abort(status);
      return status;
    }
    executable_->weights().RowsRead(std::ssize(announced_.tokens()));
  }
}

absl::Status Engine::RunFollowed() {
  const std::lock_guard turn(executable_->registry().call_mutex());
  const std::array<std::span<const std::byte>, 2> inputs = {std::as_bytes(announced_.tokens()), {}};
  return executor_.Run(announced_.symbols(), inputs, announced_.batch(),
                       {.recorder = FollowedRecorder()});
}

StepRecorder* Engine::FollowedRecorder() {
  if (!announced_.is_recorded()) return nullptr;
  if (recorder_ == nullptr) {
    const int threads = executable_->registry().backend(Device::kCpu)->threads();
    recorder_ = std::make_unique<StepRecorder>(program(), std::span(&threads, 1), transport_);
  }
  return recorder_.get();
}

void Engine::Sample(std::span<const RowToSample> rows,
                    std::span<absl::StatusOr<SampledToken>> tokens) {
  const std::lock_guard turn(executable_->registry().call_mutex());
  const Backend* cpu = executable_->registry().backend(Device::kCpu);
  std::function<absl::Status()> fetch;
  if (executor_.has_copies_left()) fetch = [this] { return executor_.MakeCopiesLeft(); };
  SampleRows(
      rows,
      [cpu](int64_t count, const std::function<void(int64_t)>& body) { cpu->For(count, body); },
      tokens, fetch);
}

absl::Status Engine::FetchLogits() {
  // Only calls of this engine leave copies, so that a sampler need not wait for those of others.
  if (!executor_.has_copies_left()) return absl::OkStatus();
  const std::lock_guard turn(executable_->registry().call_mutex());
  return executor_.MakeCopiesLeft();
}

template <class T>
std::span<const T> Engine::RowOf(int result, size_t request, int64_t row) const {
  const int64_t number = first_row_[request] + row;
  const std::span<const std::byte> bytes = executor_.result_row(result, number);
  return {reinterpret_cast<const T*>(bytes.data()), bytes.size() / sizeof(T)};
}

std::span<const float> Engine::logits(size_t request, int64_t row) const {
  return RowOf<float>(0, request, row);
}

TopLogits Engine::top_logits(size_t request, int64_t row) const {
  const int last = executor_.num_results() - 1;
  if (last < 2 || executor_.result(last - 1).dtype != DType::kI32) return {};
  return {RowOf<int32_t>(last - 1, request, row), RowOf<float>(last, request, row)};
}

int64_t Engine::most_top_logits() const {
  int64_t most = 0;
  for (const Regime& regime : program().regimes) {
    const std::span<const Value> results = regime.graph.results();
    if (EndWithLargest(results)) most = std::max(most, results.back().type().dim(1).value());
  }
  return most;
}

std::span<const float> Engine::extra_result(int index) const {
  const TensorView& view = executor_.result(1 + index);
  return {view.f32(), static_cast<size_t>(view.elements())};
}

absl::StatusOr<Sampler> Engine::NewSampler(const SamplerOptions& options) const {
  return Sampler::Create(options, static_cast<int32_t>(vocabulary()),
                         static_cast<int32_t>(choosable_));
}

int64_t Engine::vocabulary() const {
  return program().regimes[0].graph.results()[0].type().dim(-1).value();
}

}  // namespace infer
