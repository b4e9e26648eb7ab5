// SPDX-License-Identifier: Apache-2.0
#include "runtime/session.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <limits>
#include <utility>

#include "ir/base/advice.h"
#include "ir/base/status_macros.h"
#include "ir/base/strings.h"
#include "runtime/program_devices.h"

namespace infer {
namespace {

constexpr int64_t kMaxInt32 = std::numeric_limits<int32_t>::max();

// A stored Program can be any graph; a session calls it as a language model.
absl::Status CheckInterface(const Graph& graph) {
  std::vector<Node*> inputs = graph.inputs();
  if (inputs.size() != 2 ||
      inputs[0]->result().type != ValueType::Tensor(DType::kI32, {Symbol::kT}) ||
      inputs[1]->result().type.kind != TypeKind::kBatch) {
    return absl::InvalidArgumentError(StrCat(
        "graph ", graph.name(), " is no language model: expected the inputs i32[T] and batch"));
  }
  std::span<const Value> results = graph.results();
  bool gives_logits = !results.empty() && results[0].type().rank() == 2 &&
                      results[0].type().dim(0) == Dim(Symbol::kR) &&
                      !results[0].type().dim(1).is_symbol();
  for (Value result : results) gives_logits &= result.type().is_tensor(DType::kF32);
  if (gives_logits) return absl::OkStatus();
  return absl::InvalidArgumentError(StrCat(
      "graph ", graph.name(), " is no language model: expected the result f32[R,vocabulary] ",
      "and others, if any, in f32"));
}

absl::StatusOr<KvCacheOptions> CacheOptions(const Program& program, const SessionOptions& options) {
  KvCacheOptions cache;
  for (const State& state : program.states) {
    if (state.dtype != program.states[0].dtype) {
      return absl::UnimplementedError("the program's caches are of different element types");
    }
    if (state.kv_heads > kMaxInt32 || state.head_dim > kMaxInt32) {
      return absl::InvalidArgumentError(StrCat("state ", state.id, " of the program has ",
                                               state.kv_heads, " heads of ", state.head_dim));
    }
    cache.layers.push_back(
        {static_cast<int32_t>(state.kv_heads), static_cast<int32_t>(state.head_dim)});
    cache.dtype = state.dtype;
  }
  cache.capacity = options.context;
  cache.block_positions = options.block_positions;
  cache.max_tokens = static_cast<int32_t>(std::min(program.symbols[Symbol::kT].max, kMaxInt32));
  return cache;
}

}  // namespace

absl::StatusOr<uint64_t> PredictCacheBytes(const Program& program, const SessionOptions& options) {
  ASSIGN_OR_RETURN(KvCacheOptions cache, CacheOptions(program, options));
  return KvCache::PredictBytes(cache);
}

absl::StatusOr<std::unique_ptr<Session>> Session::Create(Program program,
                                                         const WeightSource& weights,
                                                         const KernelRegistry& registry,
                                                         const SessionOptions& options) {
  auto session = std::unique_ptr<Session>(new Session());
  for (const Regime& regime : program.regimes) RETURN_IF_ERROR(CheckInterface(regime.graph));
  int64_t planned_context = program.symbols[Symbol::kS].max;
  ASSIGN_OR_RETURN(KvCacheOptions cache_options, CacheOptions(program, options));
  ASSIGN_OR_RETURN(uint64_t cache_bytes, KvCache::PredictBytes(cache_options));
  RETURN_IF_ERROR(CheckDeviceMemory(program, registry, cache_bytes));
  ASSIGN_OR_RETURN(session->cache_, KvCache::Create(cache_options));
  ASSIGN_OR_RETURN(session->sequence_, session->cache_->NewSequence());
  std::vector<KvView> views;
  for (size_t i = 0; i < program.states.size(); ++i) {
    views.push_back(session->cache_->view(static_cast<int32_t>(i)));
  }
  ASSIGN_OR_RETURN(session->executable_,
                   Executable::Create(std::move(program), weights, registry, views, options.pack,
                                      session->cache_->memory()));
  if (session->executable_->depends_on_context() && options.context > planned_context) {
    return WithAdvice(
        absl::InvalidArgumentError(StrCat("the program was compiled for a context of ",
                                          planned_context, " tokens, asked for ", options.context,
                                          "; compile it again for that context")),
        {Advice::kCompileContext});
  }
  session->executor_ = std::make_unique<Executor>(session->executable_.get());
  session->tokens_.reserve(static_cast<size_t>(options.context));
  return session;
}

absl::Status Session::Forward(std::span<const int32_t> tokens, int32_t logit_rows, bool is_prefill,
                              const std::atomic<bool>* stop) {
  using Clock = std::chrono::steady_clock;
  Clock::time_point start = Clock::now();
  int32_t count = static_cast<int32_t>(tokens.size());
  RETURN_IF_ERROR(cache_->Reserve(sequence_, count));
  const BatchRequest request{sequence_, count, logit_rows};
  Batch batch;
  RETURN_IF_ERROR(cache_->MakeBatch({&request, 1}, &batch));
  SymbolValues symbols{count, logit_rows, cache_->length(sequence_) + count};
  const std::array<std::span<const std::byte>, 2> inputs = {std::as_bytes(tokens), {}};
  const RunContext context{.observer = observer_, .stop = stop, .recorder = recorder_};
  RETURN_IF_ERROR(executor_->Run(symbols, inputs, batch, context));
  cache_->Commit(sequence_, count);
  tokens_.insert(tokens_.end(), tokens.begin(), tokens.end());
  double ms = std::chrono::duration<double, std::milli>(Clock::now() - start).count();
  metrics_.ForwardDone(count, ms, is_prefill);
  rows_read_ += count;
  if (rows_read_ >= packed_weights().rows_to_hold()) {
    packed_weights().ReleaseRows(executable_->weights());
    rows_read_ = 0;
  }
  return absl::OkStatus();
}

absl::Status Session::Prefill(std::span<const int32_t> tokens, const std::atomic<bool>* stop,
                              const PrefillProgress& progress) {
  if (tokens.empty()) return absl::InvalidArgumentError("the prompt has no tokens");
  auto differs = std::mismatch(tokens.begin(), tokens.end(), tokens_.begin(), tokens_.end());
  int64_t kept =
      std::min<int64_t>(differs.first - tokens.begin(), static_cast<int64_t>(tokens.size()) - 1);
  cache_->Rewind(sequence_, kept);
  tokens_.resize(static_cast<size_t>(kept));
  int64_t total = static_cast<int64_t>(tokens.size());
  // All or nothing: a prompt that does not fit is refused before minutes are spent on it.
  RETURN_IF_ERROR(cache_->Reserve(sequence_, total - kept));
  while (kept < total) {
    if (progress) progress(kept, total);
    int64_t chunk = std::min(max_chunk(), total - kept);
    RETURN_IF_ERROR(Forward(tokens.subspan(kept, chunk), 1, /*is_prefill=*/true, stop));
    kept += chunk;
  }
  if (progress) progress(total, total);
  return absl::OkStatus();
}

absl::Status Session::Decode(int32_t token, const std::atomic<bool>* stop) {
  return Forward({&token, 1}, 1, /*is_prefill=*/false, stop);
}

absl::Status Session::RunWithAllLogits(std::span<const int32_t> tokens,
                                       const std::atomic<bool>* stop) {
  return Forward(tokens, static_cast<int32_t>(tokens.size()), /*is_prefill=*/true, stop);
}

void Session::Clear() {
  cache_->Rewind(sequence_, 0);
  tokens_.clear();
}

std::span<const float> Session::logits(int64_t row) const {
  const TensorView& view = executor_->result(0);
  return {view.f32() + row * view.columns(), static_cast<size_t>(view.columns())};
}

std::span<const float> Session::extra_result(int index) const {
  const TensorView& view = executor_->result(1 + index);
  return {view.f32(), static_cast<size_t>(view.elements())};
}

int64_t Session::vocabulary() const {
  return program().regimes[0].graph.results()[0].type().dim(-1).value();
}

}  // namespace infer
