// SPDX-License-Identifier: Apache-2.0
#include "tools/api/process_ranks.h"

#include <cstring>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "backends/simd/levels/choose_level.h"
#include "ir/base/hash.h"
#include "ir/base/status_macros.h"
#include "ir/base/strings.h"
#include "ir/graph/node_name.h"
#include "ir/graph/placement.h"
#include "ir/ops/message.h"
#include "ir/ops/ops.h"

namespace infer {
namespace {

struct CurrentRanks {
  std::mutex mutex;
  std::shared_ptr<MpiRanks> ranks;
  NetworkDelay network;
  std::vector<int> threads;  // of each rank
};
CurrentRanks& Current() {
  static CurrentRanks current;
  return current;
}

// What a rank tells the others about its load. Plain bytes, all of them set.
struct LoadRecord {
  uint64_t threads = 1;
  char build[64] = {};
  char model[64] = {};
  char level[24] = {};
  uint64_t weights = 0;
  uint64_t exchanges = 0;
  uint64_t messages = 0;
  uint64_t rounding = 0;
};

template <size_t N>
void CopyText(std::string_view text, char (&to)[N]) {
  text.copy(to, N - 1);
}

// Adds what `text_of` says of each collective that sends something, in their order, for each range
// of tokens in which it is the same. Other kernels may divide it into other regimes.
template <class TextOf>
void AddExchanges(const Program& program, const TextOf& text_of, Hasher* hasher) {
  std::string before;
  int64_t last = 0;
  const auto add = [&] { hasher->Add(uint64_t(last)).Add(before); };
  for (const Regime& regime : program.regimes) {
    std::string exchanges;
    for (const Node* node : regime.graph.nodes()) {
      // Where rows are shared, nothing is sent.
      if (!node->op().traits.collective || node->op().traits.shares_rows) continue;
      StrAppend(&exchanges, text_of(*node), "\n");
    }
    if (last > 0 && exchanges != before) add();
    before = std::move(exchanges);
    last = regime.max_tokens;
  }
  add();
}

// What the ranks exchange, and in which order. Machine descriptions may differ, and with them the
// estimates.
uint64_t HashExchanges(const Program& program) {
  Hasher hasher;
  hasher.Add(uint64_t(program.policy.shard.ranks)).Add(uint64_t(program.policy.shard.mode));
  for (Symbol symbol : {Symbol::kT, Symbol::kR}) {
    hasher.Add(uint64_t(program.symbols[symbol].max));
  }
  const auto value = [](const Node& node) {
    return StrCat(NodeName(node), ToString(node.input(0).type()));
  };
  AddExchanges(program, value, &hasher);
  return hasher.Finish();
}

// In which forms they send it.
uint64_t HashMessages(const Program& program) {
  Hasher hasher;
  const auto form = [](const Node& node) {
    return node.Is(ops::kAllGather) ? ops::MessageOf(node.attrs()).name : "";
  };
  AddExchanges(program, form, &hasher);
  return hasher.Finish();
}

// How each node rounds: kernels of one numerics class give the same bits.
uint64_t HashRounding(const Program& program) {
  Hasher hasher;
  for (const State& state : program.states) hasher.Add(uint64_t(state.dtype));
  for (const Regime& regime : program.regimes) {
    hasher.Add(uint64_t(regime.max_tokens));
    for (const Node* node : regime.graph.nodes()) {
      if (!node->placement() || node->op().traits.shares_rows) continue;
      const Placement& placement = *node->placement();
      const std::string& numerics = placement.kernel_record.numerics;
      hasher.Add(node->op().name).Add(numerics.empty() ? placement.kernel : numerics);
    }
  }
  return hasher.Finish();
}

LoadRecord RecordOf(const LoadedRank& loaded) {
  LoadRecord record;
  record.threads = static_cast<uint64_t>(loaded.threads);
  CopyText(loaded.build, record.build);
  const Program* program = loaded.program;
  CopyText(program->model.header_hash, record.model);
  const simd::Level* level = simd::ChosenLevel().level;
  CopyText(level == nullptr ? "scalar" : level->name, record.level);
  Hasher weights;
  for (const Weight& weight : program->weights) weights.Add(weight.name).Add(weight.sample_hash);
  record.weights = weights.Finish();
  record.exchanges = HashExchanges(*program);
  record.messages = HashMessages(*program);
  record.rounding = HashRounding(*program);
  return record;
}

// Returns how two ranks differ; empty if they can work together.
std::string Difference(const LoadRecord& first, const LoadRecord& other, ShardPolicy::Mode mode) {
  if (std::strcmp(first.build, other.build) != 0) {
    return StrCat("is another build (", other.build, ", rank 0 is ", first.build,
                  "); install the same on all hosts");
  }
  if (std::strcmp(first.model, other.model) != 0) {
    return StrCat("has another model file (header ", other.model, ", rank 0 has ", first.model,
                  "); copy the file of rank 0 there");
  }
  const bool is_exact = mode == ShardPolicy::Mode::kExact;
  const bool rounds_differently = is_exact && first.rounding != other.rounding;
  if (rounds_differently && std::strcmp(first.level, other.level) != 0) {
    return StrCat("runs kernels of the CPU level ", other.level, ", rank 0 those of ", first.level,
                  ", which round differently; use the mode fast, or set INFER_CPU on all of them");
  }
  if (rounds_differently || first.exchanges != other.exchanges) {
    return "compiled another program; use the same options and machine description on all hosts";
  }
  if (first.weights != other.weights) {  // the parts of one program
    return "has a model file with the same header but other weights; copy the file of rank 0 there";
  }
  if (first.messages != other.messages) {
    return "sends values in other forms; use the same options and machine description on all "
           "hosts, or leave out the passes round-parts and shorten-messages on all of them";
  }
  return {};
}

}  // namespace

void SetProcessRanks(std::shared_ptr<MpiRanks> ranks, const NetworkDelay& network) {
  const std::lock_guard lock(Current().mutex);
  Current().ranks = std::move(ranks);
  Current().network = network;
  if (Current().ranks == nullptr) Current().threads.clear();
}

std::shared_ptr<Collective> ProcessTransport() {
  const std::lock_guard lock(Current().mutex);
  const CurrentRanks& current = Current();
  const bool delayed = current.network.delay_us > 0 || current.network.gbit_s > 0;
  if (current.ranks == nullptr || !delayed) return current.ranks;
  return MakeDelayed(current.ranks, current.network);
}

std::shared_ptr<MpiRanks> ProcessRanks() {
  const std::lock_guard lock(Current().mutex);
  return Current().ranks;
}

std::vector<int> RankThreads() {
  const std::lock_guard lock(Current().mutex);
  return Current().threads;
}

absl::Status AgreeOnLoad(MpiRanks& ranks, const LoadedRank& loaded) {
  const LoadRecord own = RecordOf(loaded);
  std::vector<LoadRecord> all(static_cast<size_t>(ranks.ranks()));
  RETURN_IF_ERROR(
      ranks.AllGather(std::as_bytes(std::span(&own, 1)), reinterpret_cast<std::byte*>(all.data())));
  for (int rank = 1; rank < ranks.ranks(); ++rank) {
    const std::string difference =
        Difference(all[0], all[static_cast<size_t>(rank)], loaded.program->policy.shard.mode);
    if (difference.empty()) continue;
    return absl::FailedPreconditionError(StrCat(ranks.Describe(rank), " ", difference));
  }
  const std::lock_guard lock(Current().mutex);
  Current().threads.clear();
  for (const LoadRecord& record : all)
    Current().threads.push_back(static_cast<int>(record.threads));
  return absl::OkStatus();
}

}  // namespace infer
