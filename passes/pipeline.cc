// SPDX-License-Identifier: Apache-2.0
#include "passes/pipeline.h"

#include <chrono>
#include <utility>

#include "ir/base/status_macros.h"
#include "ir/base/strings.h"
#include "ir/text/fingerprint.h"
#include "ir/verify/verifier.h"
#include "passes/registry.h"

namespace infer {
namespace {

absl::Status After(const Pass& pass, const absl::Status& status) {
  return absl::Status(status.code(),
                      StrCat(ToStd(status.message()), " (after pass ", pass.name(), ")"));
}

// Excludes the stage, which the pipeline itself changes between passes.
uint64_t ContentOf(Graph& graph) {
  Stage stage = graph.stage();
  graph.set_stage(Stage::kImported);
  uint64_t content = Fingerprint(graph);
  graph.set_stage(stage);
  return content;
}

// `content` is the graph's fingerprint before the pass on entry, and after it on return.
absl::Status RunOne(const Pass& pass, Graph& graph, PassContext& context, uint64_t* content,
                    PassRecord* record) {
  if (graph.stage() != pass.needs()) {
    return absl::InvalidArgumentError(StrCat("pass ", pass.name(), " needs a graph at stage ",
                                             Name(pass.needs()), ", this one is ",
                                             Name(graph.stage())));
  }
  record->name = std::string(pass.name());
  record->nodes_before = static_cast<int32_t>(graph.num_nodes());
  absl::StatusOr<bool> changed = pass.Run(graph, context);
  if (!changed.ok()) return changed.status();
  record->changed = *changed;
  record->nodes_after = static_cast<int32_t>(graph.num_nodes());
  uint64_t before = std::exchange(*content, ContentOf(graph));
  if (*changed != (before != *content || graph.stage() != pass.needs())) {
    return absl::InternalError(StrCat("pass ", pass.name(), " reports that it ",
                                      *changed ? "changed" : "did not change",
                                      " the graph, but its fingerprint shows otherwise"));
  }
  graph.set_stage(pass.gives());
  if (*changed || pass.gives() != pass.needs()) {
    if (absl::Status valid = Verify(graph); !valid.ok()) return After(pass, valid);
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<PassPipeline> PassPipeline::Create(std::vector<std::unique_ptr<Pass>> passes,
                                                  Stage from) {
  Stage stage = from;
  for (const auto& pass : passes) {
    if (pass->needs() != stage) {
      return absl::InvalidArgumentError(StrCat("pass ", pass->name(), " needs stage ",
                                               Name(pass->needs()), " but follows stage ",
                                               Name(stage)));
    }
    stage = pass->gives();
  }
  return PassPipeline(std::move(passes));
}

absl::Status PassPipeline::Run(Graph& graph, PassContext& context, const PassObserver& observer,
                               std::vector<PassRecord>* records, int32_t regime) const {
  using Clock = std::chrono::steady_clock;
  uint64_t content = ContentOf(graph);
  for (const auto& pass : passes_) {
    if (observer.before) observer.before(pass->name(), regime, graph);
    PassRecord record;
    record.regime = regime;
    Clock::time_point start = Clock::now();
    RETURN_IF_ERROR(RunOne(*pass, graph, context, &content, &record));
    double ms = std::chrono::duration<double, std::milli>(Clock::now() - start).count();
    if (observer.after) observer.after(record, graph, ms);
    records->push_back(std::move(record));
  }
  return absl::OkStatus();
}

std::vector<std::unique_ptr<Pass>> GraphPasses(std::span<const std::string> skip) {
  return PassesFor(PassRuns::kOnce, skip);
}

std::vector<std::unique_ptr<Pass>> RegimePasses(std::span<const std::string> skip) {
  return PassesFor(PassRuns::kEachRegime, skip);
}

}  // namespace infer
