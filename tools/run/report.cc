// SPDX-License-Identifier: Apache-2.0
#include "tools/run/report.h"

#include <algorithm>
#include <map>
#include <span>
#include <string_view>
#include <variant>
#include <vector>

#include "absl/strings/escaping.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "backends/simd/levels/choose_level.h"
#include "ir/base/json.h"
#include "ir/base/strings.h"
#include "runtime/program_devices.h"
#include "tools/api/device_lines.h"
#include "tools/api/load_session.h"
#include "tools/api/memory_estimate.h"

namespace infer {
namespace {

constexpr double kMebibyte = 1 << 20;

// Keeps a header line on one line: overrides beyond this number are only counted.
constexpr size_t kShownOverrides = 3;
constexpr size_t kShownRegimes = 4;

std::string MoreText(size_t count, size_t shown, std::string_view what) {
  return count > shown ? StrCat(what, count - shown, " more") : "";
}

std::string TargetCounts(const Graph& graph) {
  std::map<std::string, int> counts;
  for (const Node* node : graph.nodes()) {
    if (node->placement()) ++counts[std::string(Name(node->placement()->target))];
  }
  return absl::StrJoin(counts, ", ", absl::PairFormatter(" "));
}

std::string CpuLine() {
  const simd::LevelChoice& choice = simd::ChosenLevel();
  return StrCat("cpu      ", choice.level == nullptr ? "scalar" : choice.level->name, ": ",
                choice.reason);
}

std::string ThreadsLine(const ThreadChoice& threads) {
  std::string text = StrCat("threads  ", threads.derivation);
  if (threads.team.threads > 1) {
    StrAppend(&text, ", by ", threads.by == ThreadsBy::kTeam ? "a team" : "oneTBB",
              threads.team.pin ? ", pinned" : "");
  }
  return text;
}

std::string LoadLine(const PackedWeights& packed, double load_ms) {
  std::string text = absl::StrFormat("load     %.2f s, ", load_ms / 1000);
  if (packed.bytes() == 0) return text + "no weight packed";
  StrAppend(&text, absl::StrFormat("%.1f MiB of weights ", packed.bytes() / kMebibyte));
  const std::string cache = packed.read_from();
  return text + (cache.empty() ? "packed" : StrCat("read from ", cache));
}

std::string MemoryLine(const GgufFile& file, const Session& session,
                       const KernelRegistry& registry) {
  const Program& program = session.program();
  absl::StatusOr<MemoryEstimate> memory = EstimateMemory(program, &file, registry);
  if (!memory.ok()) return "";
  // The estimate is for the program's context; the session may have a smaller one.
  const EngineOptions options{.context = session.context()};
  absl::StatusOr<uint64_t> kv = PredictCacheBytes(program, options);
  if (kv.ok()) memory->kv = *kv;
  return absl::StrFormat(
      "memory   at most %.1f MiB: kv %.1f for %d tokens of %s, arena %.1f, scratch of %d thread%s "
      "%.1f",
      memory->total() / kMebibyte, memory->kv / kMebibyte, session.context(),
      program.states.empty() ? "" : Name(program.states[0].dtype), memory->arena / kMebibyte,
      memory->threads, memory->threads == 1 ? "" : "s", memory->scratch / kMebibyte);
}

// Adds the wait of each thread, also as a share of the time that `phase` took.
void AddWaits(std::string_view phase, std::span<const uint64_t> wait_ns, double phase_ms,
              Json* json) {
  std::vector<double> ms, shares;
  for (uint64_t ns : wait_ns) {
    ms.push_back(static_cast<double>(ns) / 1e6);
    shares.push_back(phase_ms > 0 ? ms.back() / phase_ms : 0);
  }
  (*json)[StrCat(phase, "_wait_ms")] = ms;
  (*json)[StrCat(phase, "_wait_share")] = shares;
}

}  // namespace

std::string ProgramLine(const Program& program) {
  std::string text = StrCat("program  policy ", program.policy.name);
  if (program.policy.activations == Policy::Activations::kFloat) text += " with activations in f32";
  if (program.policy.invariant) text += ", invariant";
  const std::vector<std::string>& given = program.overrides;
  for (size_t i = 0; i < std::min(given.size(), kShownOverrides); ++i) {
    StrAppend(&text, i == 0 ? ", with " : ", ", given[i]);
  }
  text += MoreText(given.size(), kShownOverrides, " and ");
  for (size_t i = 0; i < std::min(program.regimes.size(), kShownRegimes); ++i) {
    const Regime& regime = program.regimes[i];
    StrAppend(&text, "; T ", regime.min_tokens, "..", regime.max_tokens, ": ",
              TargetCounts(regime.graph));
  }
  return text + MoreText(program.regimes.size(), kShownRegimes, "; and ");
}

namespace {

// The name comes from a file and must not reach a terminal unescaped.
std::string NameAndPath(const GgufFile& file) {
  absl::StatusOr<std::string_view> name = file.metadata().GetStringOr("general.name", file.path());
  return absl::StrFormat(
      "%s (%s)", absl::Utf8SafeCHexEscape(ToAbsl(name.ok() ? *name : file.path())), file.path());
}

}  // namespace

std::string DraftText(const ModelFile& model, const Session& session,
                      const KernelRegistry& registry) {
  return StrCat("draft    ", NameAndPath(model.gguf()), "\n",
                MemoryLine(model.gguf(), session, registry));
}

std::string HeaderText(const ModelFile& model, const Session& session,
                       const KernelRegistry& registry, const ThreadChoice& threads,
                       double load_ms) {
  const Program& program = session.program();
  std::string devices;
  for (const auto& [device, nodes] : NodesByDevice(program)) {
    StrAppend(&devices, " and ", DeviceName(*registry.backend(device)));
  }
  return absl::StrFormat(
      "model    %s\nrun      policy %s on %d thread%s%s, context %d, loaded in %.2f s",
      NameAndPath(model.gguf()), program.policy.name, threads.team.threads,
      threads.team.threads == 1 ? "" : "s", devices, session.context(), load_ms / 1000);
}

std::string DetailText(const ModelFile& model, const Session& session,
                       const KernelRegistry& registry, const ThreadChoice& threads,
                       double load_ms) {
  return StrCat(ProgramLine(session.program()), "\n", CpuLine(), "\n", ThreadsLine(threads), "\n",
                MemoryLine(model.gguf(), session, registry), "\n",
                LoadLine(session.packed_weights(), load_ms));
}

std::string SamplerLine(const SamplerOptions& sampler) {
  return absl::StrFormat("sampler  temp %g, top-k %d, top-p %g, min-p %g, seed %d",
                         sampler.temperature, sampler.top_k, sampler.top_p, sampler.min_p,
                         sampler.seed);
}

std::string SpeedLine(const AnswerSpeed& speed) {
  auto rate = [](int64_t tokens, double ms) {
    return ms > 0 && tokens > 0
               ? absl::StrFormat(" at %.1f tokens/s", static_cast<double>(tokens) * 1000 / ms)
               : "";
  };
  auto count = [](int64_t tokens) { return StrCat(tokens, tokens == 1 ? " token" : " tokens"); };
  std::string text = StrCat(count(speed.new_tokens), rate(speed.decode_tokens, speed.decode_ms),
                            "; prompt of ", count(speed.prompt_tokens));
  if (speed.cached_tokens > 0) StrAppend(&text, ", ", speed.cached_tokens, " from the cache,");
  text += rate(speed.prompt_tokens - speed.cached_tokens, speed.prefill_ms);
  if (text.back() == ',') text.pop_back();
  if (speed.reason == StopReason::kMaxTokens) text += "; stopped at -n";
  if (speed.reason == StopReason::kContextFull) text += "; stopped at the end of the context";
  if (speed.reason == StopReason::kCancelled) text += "; interrupted";
  return text;
}

std::string StatsText(const Metrics& metrics, const PackedWeights& packed,
                      const ThreadChoice& threads, const ThreadWaits& waits, StatsForm form) {
  if (form == StatsForm::kNone) return "";
  if (form == StatsForm::kText) {
    std::string text = ToText(metrics);
    if (!text.empty() && text.back() == '\n') text.pop_back();
    return text;
  }
  Json json;
  json["schema_version"] = 1;
  for (const MetricField& field : Fields(metrics)) {
    std::visit([&](auto value) { json[std::string(field.name)] = value; }, field.value);
  }
  json["packed_weight_bytes"] = packed.bytes();
  json["packed_weights_from"] = packed.bytes() == 0          ? ""
                                : packed.read_from().empty() ? "model"
                                                             : "cache";
  json["threads"] = threads.team.threads;
  json["threads_from"] = threads.derivation;
  json["threads_by"] = NameOf(threads.by);
  AddWaits("prefill", waits.prefill_ns(), metrics.prefill_ms, &json);
  AddWaits("decode", waits.decode_ns(), metrics.decode_ms, &json);
  return JsonText(json);
}

}  // namespace infer
