// SPDX-License-Identifier: Apache-2.0
#include "tools/bench/calibrate/tuned_policy.h"

#include "absl/strings/str_format.h"
#include "ir/op_def.h"
#include "ir/strings.h"

namespace infer {
namespace {

using From = Crossover::From;

std::string Microseconds(const std::optional<double>& ns) {
  return ns ? absl::StrFormat("%.2f", *ns / 1e3) : "-";
}

std::string Conclusion(const char* better, const char* other, From from, int64_t size,
                       std::string_view unit) {
  if (from == From::kAlways) return StrCat(better, " beats ", other, " at every size");
  if (from == From::kNever) return StrCat(better, " beats ", other, " at no size");
  return StrCat(better, " beats ", other, " from ", size, " ", unit, " on");
}

std::string Comment(const Crossover& crossover) {
  std::string text = absl::StrFormat("# %-26s %12s  %9s  %9s  %9s\n", crossover.op, crossover.unit,
                                     "scalar us", "simd us", "parallel us");
  for (const CrossoverPoint& point : crossover.points) {
    absl::StrAppendFormat(&text, "#   %-24s %12d  %9s  %9s  %9s\n", point.shape, point.size,
                          Microseconds(point.scalar_ns), Microseconds(point.simd_ns),
                          Microseconds(point.parallel_ns));
  }
  StrAppend(
      &text, "# ",
      Conclusion("parallel", "simd", crossover.parallel, crossover.parallel_size, crossover.unit),
      "; ", Conclusion("simd", "scalar", crossover.simd, crossover.simd_size, crossover.unit),
      ".\n");
  return text;
}

// A rule about an op reaches those that do its work in a fused form.
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

// Targets that come later in a list are those that smooth-placement may choose, and those for types
// for which the first has no kernel. What no rule here wants runs on simd by the last rule.
std::string Rules(const Crossover& crossover) {
  std::string text;
  if (crossover.parallel != From::kNever) {
    text +=
        RuleText(crossover, "parallel", "min", crossover.parallel_size, "PARALLEL, SIMD, SCALAR");
    if (crossover.parallel == From::kAlways) return text;
  }
  if (crossover.simd != From::kAlways) {
    text += RuleText(crossover, "scalar", "max", crossover.simd_size - 1, "SCALAR, SIMD, PARALLEL");
  }
  return text;
}

}  // namespace

std::string TunedPolicyText(std::span<const Crossover> crossovers, std::string_view machine,
                            int64_t threads) {
  std::string text = StrCat(
      "# Written by infer-bench --calibrate on ", machine, ", ", threads,
      threads == 1 ? " thread" : " threads", ".\n",
      "# Times are those of a step in a row of equal ones, with the meeting of the threads after\n",
      "# it. A product has rows of 256 in q8_0. Where a small node stands alone among parallel\n",
      "# ones, smooth-placement finds out whether it is cheaper there.\n", "name: \"tuned\"\n",
      "summary: \"crossover points measured on this machine\"\n", "composites: KEEP\n");
  for (const Crossover& crossover : crossovers) {
    StrAppend(&text, "\n", Comment(crossover), Rules(crossover));
  }
  // One thread alone at 32 tokens' embed costs the bundled model 2 %.
  if (threads > 1) {
    StrAppend(&text, "\n# What was not measured, where there are rows for everybody.\n",
              "rule { name: \"many-rows\" min_rows: 8 targets: [PARALLEL, SIMD, SCALAR] }\n");
  }
  StrAppend(&text, "\n# What is smaller, and what was not measured.\n",
            "rule { name: \"everything-else\" targets: [SIMD, PARALLEL, SCALAR] }\n");
  return text;
}

}  // namespace infer
