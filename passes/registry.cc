// SPDX-License-Identifier: Apache-2.0
#include "passes/registry.h"

#include <algorithm>

#include "ir/base/advice.h"
#include "ir/base/nearest.h"
#include "ir/base/status_macros.h"
#include "ir/base/strings.h"

namespace infer {
namespace {

std::vector<std::string> Names(bool keeping_stage_only) {
  std::vector<std::string> names;
  for (const PassInfo& info : AllPasses()) {
    if (!keeping_stage_only || info.keeps_stage()) names.push_back(info.name);
  }
  return names;
}

}  // namespace

std::span<const PassInfo> AllPasses() {
  static const auto* const kAll = [] {
    auto* all = new std::vector<PassInfo>();
    for (const PassRow& row : PassRows()) {
      std::unique_ptr<Pass> pass = row.make();
      all->push_back({std::string(pass->name()), row.summary, pass->needs(), pass->gives(),
                      row.runs, row.make});
    }
    return all;
  }();
  return *kAll;
}

absl::StatusOr<const PassInfo*> FindPass(std::string_view name) {
  for (const PassInfo& info : AllPasses()) {
    if (info.name == name) return &info;
  }
  std::vector<std::string> names = Names(/*keeping_stage_only=*/false);
  return WithAdvice(
      absl::InvalidArgumentError(StrCat("unknown pass ", Quote(name), DidYouMean(name, names))),
      {Advice::kListPasses});
}

absl::Status CheckSkip(std::span<const std::string> names) {
  for (const std::string& name : names) {
    ASSIGN_OR_RETURN(const PassInfo* info, FindPass(name));
    if (info->keeps_stage()) continue;
    std::string others;
    for (const std::string& other : Names(/*keeping_stage_only=*/true)) {
      StrAppend(&others, others.empty() ? "" : ", ", other);
    }
    return absl::InvalidArgumentError(StrCat(
        "pass ", name, " cannot be skipped: it takes the graph from stage ", Name(info->needs),
        " to ", Name(info->gives), "; passes that can be skipped: ", others));
  }
  return absl::OkStatus();
}

std::vector<std::unique_ptr<Pass>> PassesFor(PassRuns runs, std::span<const std::string> skip) {
  std::vector<std::unique_ptr<Pass>> passes;
  for (const PassInfo& info : AllPasses()) {
    bool skipped = std::find(skip.begin(), skip.end(), info.name) != skip.end();
    if (info.runs == runs && !skipped) passes.push_back(info.make());
  }
  return passes;
}

}  // namespace infer
