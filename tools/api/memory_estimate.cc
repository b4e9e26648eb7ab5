// SPDX-License-Identifier: Apache-2.0
#include "tools/api/memory_estimate.h"

#include <algorithm>
#include <string_view>

#include "absl/strings/str_format.h"
#include "ir/base/status_macros.h"
#include "ir/base/strings.h"
#include "ir/graph/plan.h"
#include "runtime/packed_weights.h"
#include "runtime/program_devices.h"
#include "runtime/session.h"

namespace infer {
namespace {

// The binary and its libraries. VmHWM of a release build that ran a model of a few kilobytes, with
// a graph of 0.5 MiB, was 11.8 MiB; the libraries of TLS came later and add about 2.
constexpr uint64_t kProcessBytes = 13u << 20;
// A node with its names, types, placement, operands and steps: 5,400 nodes of Qwen3-0.6B's shapes
// take 8 MiB, 530 of the bundled model 0.9 MiB.
constexpr uint64_t kBytesPerNode = 1700;

// Computes what Tokenizer::memory_bytes() returns for this vocabulary from the sizes of its arrays:
// texts and offsets, an entry in the table of merges, and the index that exists while they are
// built.
absl::StatusOr<uint64_t> TokenizerBytes(const Metadata& metadata) {
  uint64_t bytes = 0;
  for (std::string_view key : {"tokenizer.ggml.tokens", "tokenizer.ggml.merges"}) {
    if (!metadata.Has(key)) continue;
    ASSIGN_OR_RETURN(std::vector<std::string_view> texts, metadata.GetStrings(key));
    // Pages of the file that are read, and 48 bytes for what is stored and built for each text.
    for (std::string_view text : texts) bytes += text.size() + 8 + 48;
  }
  return bytes;
}

std::string Mebibytes(uint64_t bytes) { return absl::StrFormat("%10.1f MiB", bytes / 1048576.0); }

}  // namespace

uint64_t MemoryEstimate::total() const {
  uint64_t sum = kv + arena + scratch + tokenizer + other;
  for (const auto& [layout, bytes] : weights) sum += bytes;
  return sum;
}

absl::StatusOr<MemoryEstimate> EstimateMemory(const Program& program, const GgufFile* file,
                                              const KernelRegistry& registry,
                                              std::optional<int> threads) {
  MemoryEstimate estimate;
  estimate.threads = threads.value_or(registry.backend(Device::kCpu)->threads());
  estimate.weights = WeightBytesByLayout(program, registry);
  ASSIGN_OR_RETURN(const uint64_t cache,
                   PredictCacheBytes(program, {.context = program.symbols[Symbol::kS].max}));
  estimate.kv = CacheBytesIn(program, Device::kCpu, cache);
  uint64_t nodes = 0, scratch_of_one = 0;
  for (const Regime& regime : program.regimes) {
    nodes += regime.graph.num_nodes();
    for (const Arena& arena : regime.graph.plan()->arenas) {
      if (arena.space != Device::kCpu) continue;  // not memory of this process
      estimate.arena = std::max(estimate.arena, arena.bytes);
      scratch_of_one = std::max(scratch_of_one, arena.bytes_per_thread);
    }
  }
  estimate.scratch = scratch_of_one * static_cast<uint64_t>(estimate.threads);
  if (file != nullptr) {
    ASSIGN_OR_RETURN(estimate.tokenizer, TokenizerBytes(file->metadata()));
  }
  estimate.other = kProcessBytes + nodes * kBytesPerNode;
  return estimate;
}

std::string ToText(const MemoryEstimate& estimate) {
  std::string text = "memory\n";
  auto add = [&](const std::string& what, uint64_t bytes) {
    absl::StrAppendFormat(&text, "  %-22s%s\n", what, Mebibytes(bytes));
  };
  for (const auto& [layout, bytes] : estimate.weights) {
    add(StrCat("weights (", layout, ")"), bytes);
  }
  add("kv at full context", estimate.kv);
  add("arena of the plan", estimate.arena);
  add(StrCat("scratch of ", estimate.threads, estimate.threads == 1 ? " thread" : " threads"),
      estimate.scratch);
  add("tokenizer", estimate.tokenizer);
  add("other", estimate.other);
  add("total", estimate.total());
  return text;
}

}  // namespace infer
