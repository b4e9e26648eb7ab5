// SPDX-License-Identifier: Apache-2.0
#include "tests/support/program_numbers.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <memory>
#include <random>
#include <set>
#include <span>
#include <string>
#include <utility>

#include "backends/backends.h"
#include "ir/base/hash.h"
#include "ir/base/status_macros.h"
#include "ir/base/strings.h"
#include "runtime/executor.h"
#include "runtime/kv_cache.h"
#include "tests/support/loaded_program.h"
#include "tests/support/random_weights.h"

namespace infer::test {
namespace {

constexpr int32_t kBlockPositions = 4;
constexpr int32_t kMaxHistory = 3;  // for the first sequence; the second has one position less

uint64_t Seed(uint64_t seed, std::string_view what, uint64_t number) {
  return Hasher().Add(what).Add(number).Add(seed).Finish();
}

// How the tokens of a call are divided between sequences.
struct CallShape {
  CallShape(int64_t t, const SymbolRanges& ranges) : tokens(t) {
    sequences = t > 1 ? 2 : 1;
    share[0] = static_cast<int32_t>((t + 1) / 2);
    share[1] = static_cast<int32_t>(t / 2);
    rows = std::clamp(t, ranges[Symbol::kR].min, std::min(t, ranges[Symbol::kR].max));
    row_share[1] = sequences == 2 ? static_cast<int32_t>(rows / 2) : 0;
    row_share[0] = static_cast<int32_t>(rows) - row_share[1];
    int64_t room = ranges[Symbol::kS].max - t;  // an unset range leaves no room
    history[0] = static_cast<int32_t>(std::clamp<int64_t>(room, 0, kMaxHistory));
    history[1] =
        sequences == 2
            ? static_cast<int32_t>(std::clamp<int64_t>(room - history[0], 0, kMaxHistory - 1))
            : 0;
  }
  int64_t tokens;
  int32_t sequences;
  int64_t rows;
  int32_t share[2];
  int32_t row_share[2];
  int32_t history[2];
  SymbolValues Symbols() const { return {tokens, rows, tokens + history[0] + history[1]}; }
};

// One cache for each state, because states may differ in type. All caches see the same calls, so
// the batch of the first is valid for all.
class Caches {
 public:
  static absl::StatusOr<Caches> Create(const Program& program) {
    Caches caches;
    for (const State& state : program.states) {
      RETURN_IF_ERROR(caches.Add(state.dtype, static_cast<int32_t>(state.kv_heads),
                                 static_cast<int32_t>(state.head_dim), program));
    }
    caches.num_states_ = program.states.size();
    if (program.states.empty()) RETURN_IF_ERROR(caches.Add(DType::kF32, 1, 1, program));
    return caches;
  }

  std::vector<KvView> Views() const {
    std::vector<KvView> views;
    for (size_t i = 0; i < num_states_; ++i) views.push_back(caches_[i]->view(0));
    return views;
  }

  // Drops the sequences of the last call and refills all memory.
  absl::Status MakeBatch(const CallShape& shape, uint64_t seed, Batch* batch) {
    for (auto& cache : caches_) {
      for (SequenceId sequence : {0, 1}) {
        if (cache->alive(sequence)) cache->Release(sequence);
      }
      std::vector<BatchRequest> requests;
      for (int i = 0; i < shape.sequences; ++i) {
        ASSIGN_OR_RETURN(SequenceId sequence, cache->NewSequence());
        RETURN_IF_ERROR(cache->Reserve(sequence, shape.history[i] + shape.share[i]));
        cache->Commit(sequence, shape.history[i]);
        requests.push_back({sequence, shape.share[i], shape.row_share[i]});
      }
      RETURN_IF_ERROR(cache->MakeBatch(requests, cache == caches_[0] ? batch : &unused_));
    }
    for (size_t i = 0; i < num_states_; ++i) Fill(i, seed);
    return absl::OkStatus();
  }

  std::vector<CallNumbers::Tensor> Contents() const {
    std::vector<CallNumbers::Tensor> contents;
    for (size_t i = 0; i < num_states_; ++i) {
      const KvView& view = caches_[i]->view(0);
      for (const std::byte* part : {view.k, view.v}) {
        contents.push_back({view.dtype, {part, part + BytesOfPart(i)}});
      }
    }
    return contents;
  }

 private:
  absl::Status Add(DType dtype, int32_t kv_heads, int32_t head_dim, const Program& program) {
    int64_t tokens = program.symbols[Symbol::kT].max;
    KvCacheOptions options;
    options.layers = {{kv_heads, head_dim}};
    options.dtype = dtype;
    // One more block for each sequence, because neither sequence ends on a block boundary.
    options.capacity =
        (tokens + 2 * kMaxHistory) / kBlockPositions * kBlockPositions + 2 * kBlockPositions;
    options.block_positions = kBlockPositions;
    options.max_sequences = 2;
    options.max_tokens = static_cast<int32_t>(tokens);
    ASSIGN_OR_RETURN(auto cache, KvCache::Create(options));
    caches_.push_back(std::move(cache));
    return absl::OkStatus();
  }

  uint64_t BytesOfPart(size_t i) const { return caches_[i]->bytes() / 2; }

  void Fill(size_t i, uint64_t seed) {
    const KvView& view = caches_[i]->view(0);
    for (std::byte* part : {view.k, view.v}) {
      uint64_t elements = BytesOfPart(i) / Info(view.dtype).block_bytes;
      std::vector<std::byte> bytes = RandomBytesOf(view.dtype, static_cast<int64_t>(elements),
                                                   Seed(seed, part == view.k ? "k" : "v", i));
      std::memcpy(part, bytes.data(), bytes.size());
    }
  }

  std::vector<std::unique_ptr<KvCache>> caches_;
  size_t num_states_ = 0;
  Batch unused_;
};

// Row numbers must be valid in the table that they index.
int64_t RowsBehind(const Graph& graph, Node* input) {
  int64_t rows = 1000;
  for (const Use& use : graph.uses(input->output())) {
    if (use.user == nullptr || use.user->op().traits.index_input != use.input) continue;
    rows = std::min(rows, use.user->input(0).type().dim(0).At(graph.symbols().Lowest()));
  }
  return rows;
}

absl::StatusOr<std::vector<std::byte>> RandomInput(const Graph& graph, Node* input,
                                                   const SymbolValues& symbols, uint64_t seed) {
  const ValueType& type = input->result().type;
  if (!type.is_tensor()) return std::vector<std::byte>();
  int64_t elements = 1;
  for (Dim dim : type.tensor.shape) elements *= dim.At(symbols);
  if (type.is_tensor(DType::kF32)) return RandomBytesOf(DType::kF32, elements, seed);
  if (!type.is_tensor(DType::kI32)) {
    return absl::UnimplementedError(StrCat("no random inputs of type ", ToString(type)));
  }
  std::mt19937_64 random(seed);
  std::vector<std::byte> bytes(static_cast<size_t>(elements) * sizeof(int32_t));
  for (int64_t i = 0; i < elements; ++i) {
    auto row = static_cast<int32_t>(random() % static_cast<uint64_t>(RowsBehind(graph, input)));
    std::memcpy(bytes.data() + i * sizeof(row), &row, sizeof(row));
  }
  return bytes;
}

std::set<int64_t> TokenCounts(const Range& tokens) {
  std::set<int64_t> counts;
  for (int64_t count :
       {tokens.min, tokens.min + 1, (tokens.min + tokens.max) / 2, tokens.max - 1, tokens.max}) {
    if (tokens.Contains(count)) counts.insert(count);
  }
  return counts;
}

const Graph& GraphFor(const Program& program, int64_t tokens) {
  for (const Regime& regime : program.regimes) {
    if (tokens <= regime.max_tokens) return regime.graph;
  }
  return program.regimes.back().graph;
}

absl::StatusOr<CallNumbers> RunCall(Executor& executor, const Graph& graph, const CallShape& shape,
                                    const Batch& batch, uint64_t seed) {
  std::vector<std::vector<std::byte>> inputs;
  for (Node* input : graph.inputs()) {
    ASSIGN_OR_RETURN(
        auto bytes, RandomInput(graph, input, shape.Symbols(), Seed(seed, "input", inputs.size())));
    inputs.push_back(std::move(bytes));
  }
  std::vector<std::span<const std::byte>> spans(inputs.begin(), inputs.end());
  RETURN_IF_ERROR(executor.Run(shape.Symbols(), spans, batch));
  CallNumbers numbers;
  numbers.tokens = shape.tokens;
  for (int i = 0; i < executor.num_results(); ++i) {
    if (!graph.results()[i].type().is_tensor()) continue;  // a cache
    const TensorView& view = executor.result(i);
    uint64_t bytes = BytesFor(view.dtype, static_cast<uint64_t>(view.elements())).value_or(0);
    numbers.results.push_back({view.dtype, {view.data, view.data + bytes}});
  }
  return numbers;
}

}  // namespace

absl::StatusOr<std::vector<CallNumbers>> RunCalls(Program program, const WeightSource& weights,
                                                  uint64_t seed) {
  static const KernelRegistry& registry = *MakeKernelRegistry().release();
  ASSIGN_OR_RETURN(Caches caches, Caches::Create(program));
  ASSIGN_OR_RETURN(auto loaded,
                   LoadedProgram::Create(std::move(program), weights, registry, caches.Views()));
  const Program& loaded_program = loaded->executable().program();
  std::vector<CallNumbers> calls;
  for (int64_t tokens : TokenCounts(loaded_program.symbols[Symbol::kT])) {
    CallShape shape(tokens, loaded_program.symbols);
    Batch batch;
    RETURN_IF_ERROR(caches.MakeBatch(shape, seed, &batch));
    const Graph& graph = GraphFor(loaded_program, tokens);
    ASSIGN_OR_RETURN(CallNumbers numbers, RunCall(loaded->executor(), graph, shape, batch, seed));
    numbers.caches = caches.Contents();
    calls.push_back(std::move(numbers));
  }
  return calls;
}

}  // namespace infer::test
