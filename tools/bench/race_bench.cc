// SPDX-License-Identifier: Apache-2.0
#include "tools/bench/race_bench.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "ir/base/status_macros.h"
#include "ir/base/strings.h"
#include "tools/api/device_lines.h"
#include "tools/bench/number_list.h"
#include "tools/cli/exit_code.h"
#include "tools/cli/flag_text.h"
#include "tools/cli/progress.h"
#include "tools/flags/console_load.h"
#include "tools/report/machine_text.h"

namespace infer {

void RegisterRaceFlags(Flags& flags, RaceFlags* options) {
  RegisterModelFlags(flags, &options->model);
  RegisterPackCache(flags, &options->model);
  flags.Section("Race");
  flags.TextList("--policies", &options->policy_texts, "NAME,NAME",
                 "policies or files, all loaded at once");
  flags.TextList("-p,--tokens", &options->token_texts, "N,N",
                 "tokens of a call, on an empty cache");
  flags
      .Int("--rounds", &options->rounds, "N",
           "turns of each policy; one that takes three times as long as the best gets "
           "one turn")
      .Range(2, 10000);
  flags.Section("Placement, with each of the policies");
  RegisterOverrides(flags, &options->model);
  RegisterThreads(flags, &options->model.threads);
}

absl::Status CompleteRace(RaceFlags* options) {
  RETURN_IF_ERROR(CompleteModelFlags(&options->model));
  ASSIGN_OR_RETURN(options->tokens, ParseNumberList("-p", options->token_texts, 1));
  for (const std::string& text : options->policy_texts) {
    for (std::string& name : SplitWords(text, ',')) options->policies.push_back(std::move(name));
  }
  if (options->policies.size() < 2) {
    return UsageError("--policies: give at least two to compare, such as parallel,auto");
  }
  return absl::OkStatus();
}

absl::StatusOr<std::vector<Racer>> MakeRacers(
    const ModelFile& model, const KernelRegistry& registry, CompileModelOptions compile,
    const std::vector<std::string>& policies, int64_t most_tokens,
    const PackCacheRequest& pack_cache, ToolContext* context) {
  compile.chunk = most_tokens;
  compile.context = std::max(compile.context, most_tokens);
  std::vector<Racer> racers;
  for (const std::string& policy : policies) {
    compile.policy = policy;
    ASSIGN_OR_RETURN(Program program, CompileWithConsole(model, registry, compile, context));
    RETURN_IF_ERROR(CheckMeasurable(program, registry));
    std::string name = program.policy.name;
    ASSIGN_OR_RETURN(std::unique_ptr<Session> session,
                     LoadWithConsole(std::move(program), model, registry,
                                     {.context = compile.context}, pack_cache, context));
    racers.push_back({std::move(name), std::move(session)});
  }
  return racers;
}

absl::Status RaceMain(const RaceFlags& options, ToolContext& context) {
  ASSIGN_OR_RETURN(ModelFile model, ModelFile::Open(options.model.model));
  const ThreadChoice threads = ChooseThreadsWithConsole(options.model.threads, &context.console());
  ASSIGN_OR_RETURN(std::unique_ptr<KernelRegistry> registry, MakeKernelRegistry(threads));
  ASSIGN_OR_RETURN(
      std::vector<Racer> racers,
      MakeRacers(model, *registry, options.model.compile, options.policies,
                 *std::ranges::max_element(options.tokens), options.model.pack_cache, &context));
  if (std::string text =
          OtherThreadsWarning(racers[0].session->program().machine, threads.team.threads);
      !text.empty()) {
    context.console().Warning(text);
  }
  auto progress = std::make_unique<Progress>(&context.console(), "race", 0, "turns");
  uint64_t turns = 0;
  RaceOptions race{.tokens = options.tokens, .rounds = options.rounds};
  race.stop = &context.interrupt().stop_flag();
  race.on_round = [&](const std::string& note) {
    progress->SetNote(note);
    progress->Update(turns++);
  };
  ASSIGN_OR_RETURN(std::vector<RaceTimes> times, Race(racers, race));
  progress.reset();
  return context.out().Write(RaceTable(times));
}

}  // namespace infer
