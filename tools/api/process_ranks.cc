// SPDX-License-Identifier: Apache-2.0
#include "tools/api/process_ranks.h"

#include <cstring>
#include <mutex>
#include <utility>
#include <vector>

#include "absl/strings/str_format.h"
#include "backends/simd/levels/choose_level.h"
#include "ir/base/hash.h"
#include "ir/base/status_macros.h"
#include "ir/base/strings.h"
#include "ir/policy/policy_text.h"
#include "ir/text/fingerprint.h"

namespace infer {
namespace {

struct CurrentRanks {
  std::mutex mutex;
  std::shared_ptr<MpiRanks> ranks;
  NetworkDelay network;
};
CurrentRanks& Current() {
  static CurrentRanks current;
  return current;
}

// What a rank tells the others about its load. Plain bytes, all of them set.
struct LoadRecord {
  int32_t code = 0;  // of the error
  char error[508] = {};
  char model[64] = {};
  char level[24] = {};
  uint64_t weights = 0;
  uint64_t program = 0;
};

template <size_t N>
void CopyText(std::string_view text, char (&to)[N]) {
  text.copy(to, N - 1);
}

LoadRecord RecordOf(const absl::Status& loaded, const Program* program) {
  LoadRecord record;
  record.code = static_cast<int32_t>(loaded.code());
  CopyText(ToStd(loaded.message()), record.error);
  if (program == nullptr) return record;
  CopyText(program->model.header_hash, record.model);
  const simd::Level* level = simd::ChosenLevel().level;
  CopyText(level == nullptr ? "scalar" : level->name, record.level);
  Hasher weights, all;
  for (const Weight& weight : program->weights) weights.Add(weight.name).Add(weight.sample_hash);
  all.Add(PrintPolicy(program->policy));
  for (const Regime& regime : program->regimes) all.Add(Fingerprint(regime.graph));
  record.weights = weights.Finish();
  record.program = all.Finish();
  return record;
}

// Returns how two ranks differ; empty if they can work together.
std::string Difference(const LoadRecord& first, const LoadRecord& other, ShardPolicy::Mode mode) {
  if (std::strcmp(first.model, other.model) != 0) {
    return StrCat("has another model file (header ", other.model, ", rank 0 has ", first.model,
                  "); copy the file of rank 0 there");
  }
  if (first.weights != other.weights) {
    return "has a model file with the same header but other weights; copy the file of rank 0 there";
  }
  if (std::strcmp(first.level, other.level) != 0 && mode == ShardPolicy::Mode::kExact) {
    return StrCat("runs kernels of the CPU level ", other.level, ", rank 0 those of ", first.level,
                  ", which round differently; use the mode fast, or set INFER_CPU on all of them");
  }
  if (first.program != other.program) {
    return "compiled another program; use the same version and the same options on all hosts";
  }
  return {};
}

}  // namespace

void SetProcessRanks(std::shared_ptr<MpiRanks> ranks, const NetworkDelay& network) {
  const std::lock_guard lock(Current().mutex);
  Current().ranks = std::move(ranks);
  Current().network = network;
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

absl::Status AgreeOnLoad(MpiRanks& ranks, const absl::Status& loaded, const Program* program) {
  const LoadRecord own = RecordOf(loaded, program);
  std::vector<LoadRecord> all(static_cast<size_t>(ranks.ranks()));
  RETURN_IF_ERROR(
      ranks.AllGather(std::as_bytes(std::span(&own, 1)), reinterpret_cast<std::byte*>(all.data())));
  for (int rank = 0; rank < ranks.ranks(); ++rank) {
    const LoadRecord& record = all[static_cast<size_t>(rank)];
    if (record.code == 0) continue;
    const auto code = static_cast<absl::StatusCode>(record.code);
    if (rank == 0) return absl::Status(code, record.error);
    return absl::Status(code, StrCat(ranks.Describe(rank), ": ", record.error));
  }
  for (int rank = 1; rank < ranks.ranks(); ++rank) {
    const std::string difference =
        Difference(all[0], all[static_cast<size_t>(rank)], program->policy.shard.mode);
    if (difference.empty()) continue;
    return absl::FailedPreconditionError(StrCat(ranks.Describe(rank), " ", difference));
  }
  return absl::OkStatus();
}

}  // namespace infer
