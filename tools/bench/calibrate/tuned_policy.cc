// SPDX-License-Identifier: Apache-2.0
#include "tools/bench/calibrate/tuned_policy.h"

#include "absl/strings/ascii.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_split.h"
#include "ir/base/strings.h"
#include "ir/graph/op_def.h"
#include "ir/ops/op_list.h"

namespace infer {
namespace {

using From = Crossover::From;

std::string Microseconds(const std::optional<double>& ns) {
  return ns ? absl::StrFormat("%.2f", *ns / 1e3) : "-";
}

std::string Conclusion(const char* better, const char* other, From from, int64_t size,
                       std::string_view unit) {
  if (from == From::kAlways) return StrCat(better, " goes before ", other, " at every size");
  if (from == From::kNever) return StrCat(better, " goes before ", other, " at no size");
  return StrCat(better, " goes before ", other, " from ", size, " ", unit, " on");
}

std::string AmongText(const CrossoverPoint& point) {
  return point.among_spread_ns
             ? StrCat("  between products, +- ", Microseconds(point.among_spread_ns))
             : "";
}

std::string Comment(const Crossover& crossover) {
  std::string text = absl::StrFormat("# %-26s %12s  %9s  %9s  %9s\n", crossover.op, crossover.unit,
                                     "scalar us", "simd us", "parallel us");
  for (const CrossoverPoint& point : crossover.points) {
    absl::StrAppendFormat(&text, "#   %-24s %12d  %9s  %9s  %9s%s\n", point.shape, point.size,
                          Microseconds(point.scalar_ns), Microseconds(point.simd_ns),
                          Microseconds(point.parallel_ns), AmongText(point));
  }
  StrAppend(
      &text, "# ",
      Conclusion("parallel", "simd", crossover.parallel, crossover.parallel_size, crossover.unit),
      "; ", Conclusion("simd", "scalar", crossover.simd, crossover.simd_size, crossover.unit),
      ".\n");
  return text;
}

// A rule about an op also covers the fused ops that do its work.
std::string FamilyOf(std::string_view op) {
  const OpDef* found = FindOp(op);
  return std::string(found == nullptr ? op : found->family_name());
}

std::string RuleText(const Crossover& crossover, std::string_view name, std::string_view bound,
                     int64_t size, std::string_view targets) {
  const std::string op = FamilyOf(crossover.op);
  return StrCat("rule { name: \"", op, "-", name, "\" op: \"", op, "\"",
                size > 0 ? StrCat(" ", bound, "_", crossover.unit, ": ", size) : "", " targets: [",
                targets, "] }\n");
}

// Later targets of a list are those that smooth-placement may choose, and those for types that the
// first has no kernel for.
std::string Rules(const Crossover& crossover, int64_t threads) {
  std::string text;
  if (crossover.parallel != From::kNever) {
    text +=
        RuleText(crossover, "parallel", "min", crossover.parallel_size, "PARALLEL, SIMD, SCALAR");
    if (crossover.parallel == From::kAlways) return text;
  }
  if (crossover.simd != From::kAlways) {
    text += RuleText(crossover, "scalar", "max", crossover.simd_size - 1, "SCALAR, SIMD, PARALLEL");
  }
  // Otherwise the last rule would give the rest to all threads.
  if (threads > 1) text += RuleText(crossover, "simd", "", 0, "SIMD, PARALLEL, SCALAR");
  return text;
}

// How much slower a tuned policy may be than the best single target.
constexpr double kMostBehind = 1.01;

std::string AsComment(std::string_view table) {
  std::string text;
  for (absl::string_view line : absl::StrSplit(ToAbsl(table), '\n', absl::SkipEmpty())) {
    StrAppend(&text, "# ", ToStd(line), "\n");
  }
  return text;
}

std::string CheckText(const TunedCheck& check) {
  if (check.table.empty()) return "";
  return StrCat(check.keep
                    ? "\n# On the bundled model, in turn with one target for everything:\n"
                    : "\n# On the bundled model these thresholds gain nothing beyond noise, so "
                      "one target\n# takes everything. In turn:\n",
                AsComment(check.table));
}

// Comes before all other rules, because it is about whole calls.
std::string GpuText(const GpuCrossover& gpu) {
  if (gpu.table.empty()) return "\n# There was no GPU to measure.\n";
  std::string text =
      StrCat("\n# The bundled model with everything on the GPU, in turn with the rules below:\n",
             AsComment(gpu.table));
  if (gpu.rows == 0) return StrCat(text, "# The GPU goes before the CPU at no size.\n");
  return StrCat(text, "rule { name: \"gpu\" min_rows: ", gpu.rows, " targets: [",
                absl::AsciiStrToUpper(ToAbsl(Name(gpu.target))), ", PARALLEL, SIMD, SCALAR] }\n");
}

}  // namespace

TunedCheck CheckTuned(const std::vector<RaceTimes>& races) {
  TunedCheck check{.keep = true, .table = RaceTable(races)};
  bool gains = false;
  double simd = 0, parallel = 0;
  for (const RaceTimes& race : races) {
    const std::vector<Standing> standings = StandingsOf(race);
    const Standing& tuned = standings[0];
    simd += standings[1].ratio;
    parallel += standings[2].ratio;
    check.keep &= tuned.ratio <= kMostBehind || tuned.IsWithinTwoErrors();
    gains |=
        tuned.ratio == 1 && !standings[1].IsWithinTwoErrors() && !standings[2].IsWithinTwoErrors();
  }
  check.keep &= gains;
  check.best = simd < parallel ? Target::kSimd : Target::kParallel;
  return check;
}

GpuCrossover FindGpuCrossover(const std::vector<RaceTimes>& races, Target target) {
  GpuCrossover found{.rows = 0, .table = RaceTable(races), .target = target};
  for (auto race = races.rbegin(); race != races.rend(); ++race) {
    const std::vector<Standing> standings = StandingsOf(*race);
    if (standings[1].ratio != 1 || standings[0].IsWithinTwoErrors()) break;
    found.rows = race->tokens;
  }
  return found;
}

std::string TunedPolicyText(std::span<const Crossover> crossovers, std::string_view machine,
                            int64_t threads, const TunedCheck& check, const GpuCrossover& gpu) {
  std::string text = StrCat(
      "# Written by infer-bench --calibrate on ", machine, ", ", threads,
      threads == 1 ? " thread" : " threads", ".\n",
      "# Times are those of a step among equal ones, including the synchronization after it, or,\n",
      "# where noted, what the step adds to products on all threads before and after it. In the\n",
      "# latter case one thread must save more than twice the scatter of such times. A product "
      "has\n",
      "# rows of 256 in q8_0.\n", "name: \"tuned\"\n",
      "summary: \"crossover points measured on this machine\"\n", "composites: KEEP\n",
      GpuText(gpu));
  for (const Crossover& crossover : crossovers) {
    StrAppend(&text, "\n", Comment(crossover), check.keep ? Rules(crossover, threads) : "");
  }
  text += CheckText(check);
  // Running the embed of 32 tokens on one thread costs the bundled model 2 %; with few rows it
  // saves nothing while all threads are working before and after it.
  StrAppend(&text, check.keep ? "\n# What was not measured.\n" : "\n", "rule { name: \"everything",
            check.keep ? "-else" : "", "\" targets: [",
            threads > 1 && check.best == Target::kParallel ? "PARALLEL, SIMD" : "SIMD, PARALLEL",
            ", SCALAR] }\n");
  return text;
}

}  // namespace infer
