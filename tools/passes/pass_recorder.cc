// SPDX-License-Identifier: Apache-2.0
#include "tools/passes/pass_recorder.h"

#include <algorithm>
#include <filesystem>
#include <memory>
#include <span>
#include <utility>

#include "absl/strings/str_format.h"
#include "ir/base/json.h"
#include "ir/base/status_macros.h"
#include "ir/base/strings.h"
#include "ir/text/printer.h"
#include "tools/cli/exit_code.h"
#include "tools/passes/pass_log_key.h"

namespace infer {
namespace {

bool Wants(const std::vector<std::string>& names, std::string_view pass) {
  return std::ranges::any_of(names,
                             [&](const auto& name) { return name == "all" || name == pass; });
}

std::string RegimeText(int32_t regime, const Range& tokens) {
  return regime == 0 ? "all" : absl::StrFormat("%d..%d", tokens.min, tokens.max);
}

}  // namespace

PassObserver PassRecorder::Observer() {
  return {.before =
              [this](std::string_view pass, int32_t regime, const Graph& graph) {
                if (Wants(flags_.dump_before, pass)) Dump(pass, regime, "before", graph);
                if (!flags_.log.empty()) before_ = NumberOf(graph);
              },
          .after = [this](const PassRecord& record, const Graph& graph,
                          double ms) { After(record, graph, ms); }};
}

void PassRecorder::After(const PassRecord& record, const Graph& graph, double ms) {
  if (Wants(flags_.dump_after, record.name)) Dump(record.name, record.regime, "after", graph);
  Entry entry{record, graph.symbols()[Symbol::kT], ms, before_, before_};
  if (!flags_.log.empty()) entry.after = NumberOf(graph);
  entries_.push_back(std::move(entry));
}

size_t PassRecorder::NumberOf(const Graph& graph) {
  auto [it, added] = numbers_.try_emplace(PrintGraph(graph), graphs_.size());
  if (added) graphs_.push_back(it->first);
  return it->second;
}

// Writes 03-fuse-swiglu.after.graph; for a pass that runs for each regime the name includes the
// regime's tokens.
void PassRecorder::Dump(std::string_view pass, int32_t regime, std::string_view when,
                        const Graph& graph) {
  if (!status_.ok()) return;
  std::error_code error;
  std::filesystem::create_directories(flags_.dump_dir, error);
  if (error) {
    status_ = absl::UnknownError(
        StrCat("--dump-dir ", flags_.dump_dir, " cannot be made: ", error.message()));
    return;
  }
  const Range& tokens = graph.symbols()[Symbol::kT];
  std::string part = regime == 0 ? "" : absl::StrFormat(".T%d-%d", tokens.min, tokens.max);
  std::string name =
      absl::StrFormat("%02d-%s%s.%s.graph", entries_.size() + 1, ToAbsl(pass), part, ToAbsl(when));
  status_ = WriteText((std::filesystem::path(flags_.dump_dir) / name).string(), PrintGraph(graph));
}

absl::Status PassRecorder::WriteText(const std::string& path, std::string_view text) {
  ASSIGN_OR_RETURN(std::unique_ptr<AtomicFile> file, context_.OpenOutput(path));
  RETURN_IF_ERROR(file->Write(text));
  return file->Commit();
}

std::string PassRecorder::TimesTable() const {
  std::string table = absl::StrFormat("%-24s %-10s %9s %8s    %-8s %s\n", "pass", "T", "ms",
                                      "nodes", "", "changed");
  double sum = 0;
  for (const Entry& entry : entries_) {
    absl::StrAppendFormat(&table, "%-24s %-10s %9.3f %8d -> %-8d %s\n", entry.record.name,
                          RegimeText(entry.record.regime, entry.tokens), entry.ms,
                          entry.record.nodes_before, entry.record.nodes_after,
                          entry.record.changed ? "yes" : "no");
    sum += entry.ms;
  }
  absl::StrAppendFormat(&table, "%-24s %-10s %9.3f", "sum", "", sum);
  return table;
}

std::string PassRecorder::LogText(const Program* program) const {
  Json passes = Json::array();
  // A model that is too large for a device is compiled again: the last passes made the Program.
  std::span<const Entry> entries = entries_;
  if (program != nullptr) entries = entries.last(std::min(entries.size(), program->passes.size()));
  for (const Entry& entry : entries) {
    passes.push_back({{"name", entry.record.name},
                      {"regime", entry.record.regime},
                      {"tokens", {entry.tokens.min, entry.tokens.max}},
                      {"ms", entry.ms},
                      {"nodes_before", entry.record.nodes_before},
                      {"nodes_after", entry.record.nodes_after},
                      {"changed", entry.record.changed},
                      {"before", entry.before},
                      {"after", entry.after}});
  }
  Json log = {{"schema_version", 1}};
  if (program != nullptr) log["program"] = PassLogKey(*program);
  log["passes"] = std::move(passes);
  log["graphs"] = graphs_;
  return JsonText(log, 1) + "\n";
}

absl::Status PassRecorder::Finish(const Program* program) {
  RETURN_IF_ERROR(status_);
  if (!flags_.log.empty()) RETURN_IF_ERROR(WriteText(flags_.log, LogText(program)));
  if (flags_.print_times) context_.console().Report(TimesTable());
  return absl::OkStatus();
}

PassObserver Join(PassObserver first, PassObserver second) {
  PassObserver joined;
  joined.before = [first, second](std::string_view pass, int32_t regime, const Graph& graph) {
    if (first.before) first.before(pass, regime, graph);
    if (second.before) second.before(pass, regime, graph);
  };
  joined.after = [first, second](const PassRecord& record, const Graph& graph, double ms) {
    if (first.after) first.after(record, graph, ms);
    if (second.after) second.after(record, graph, ms);
  };
  return joined;
}

}  // namespace infer
