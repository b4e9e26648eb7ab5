// SPDX-License-Identifier: Apache-2.0
#include "tests/model/rank_team.h"

#include <utility>

#include "backends/backends.h"
#include "backends/ranks/ranks_backend.h"
#include "ir/base/status_macros.h"
#include "runtime/delayed_collective.h"
#include "runtime/in_process_ranks.h"
#include "tools/api/load_session.h"

namespace infer::test {
namespace {

std::unique_ptr<KernelRegistry> RegistryOf(std::shared_ptr<Collective> transport) {
  std::vector<std::unique_ptr<Backend>> more;
  more.push_back(std::make_unique<RanksBackend>(std::move(transport)));
  return MakeKernelRegistry(std::move(more));
}

absl::StatusOr<std::unique_ptr<Engine>> LoadRank(const ModelFile& model,
                                                 const CompileModelOptions& options,
                                                 const KernelRegistry& registry) {
  ASSIGN_OR_RETURN(Program program, CompileModel(model, registry, options));
  const EngineOptions engine = {.context = program.symbols[Symbol::kS].max / options.sequences,
                                .sequences = static_cast<int32_t>(options.sequences)};
  return LoadEngine(std::move(program), model, registry, engine, {});
}

}  // namespace

RankTeam::RankTeam(const ModelFile& model, const CompileModelOptions& options, Exchange exchange,
                   const std::optional<CompileModelOptions>& others) {
  const int ranks = static_cast<int>(options.shard.ranks);
  const std::vector<std::shared_ptr<SharedRanks>> ends = MakeInProcessRanks(ranks);
  for (const std::shared_ptr<SharedRanks>& end : ends) {
    registries_.push_back(RegistryOf(exchange == Exchange::kSent ? MakeDelayed(end, {}) : end));
  }
  ended_.resize(static_cast<size_t>(ranks));
  for (int rank = 1; rank < ranks; ++rank) {
    followers_.emplace_back([&model, options = others.value_or(options), rank, this,
                             end = ends[rank]] {
      absl::StatusOr<std::unique_ptr<Engine>> engine = LoadRank(model, options, *registries_[rank]);
      ended_[rank] = engine.ok() ? (*engine)->Follow() : engine.status();
      if (!engine.ok()) end->Abort(engine.status());
    });
  }
  absl::StatusOr<std::unique_ptr<Engine>> engine = LoadRank(model, options, *registries_[0]);
  if (!engine.ok()) {
    status_ = engine.status();
    ends[0]->Abort(status_);
    return;
  }
  engine_ = *std::move(engine);
  absl::StatusOr<std::unique_ptr<Session>> session = Session::Create(engine_);
  status_ = session.status();
  if (session.ok()) session_ = *std::move(session);
}

const std::vector<absl::Status>& RankTeam::Finish() {
  session_.reset();
  engine_.reset();
  for (std::thread& follower : followers_) follower.join();
  followers_.clear();
  return ended_;
}

RankTeam::~RankTeam() { Finish(); }

}  // namespace infer::test
