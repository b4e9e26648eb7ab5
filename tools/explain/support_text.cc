// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string_view>

#include "absl/strings/str_join.h"
#include "ir/base/json.h"
#include "ir/base/strings.h"
#include "tools/explain/support.h"
#include "tools/report/text_table.h"
#include "tools/report/wrapped_text.h"

namespace infer {
namespace {

// Lists each reason once, below the matrix; cells refer to them by number.
class Footnotes {
 public:
  int Number(const std::string& reason) {
    auto it = std::ranges::find(reasons_, reason);
    if (it == reasons_.end()) it = reasons_.insert(it, reason);
    return static_cast<int>(it - reasons_.begin()) + 1;
  }
  std::string Text() const {
    std::string text;
    for (size_t i = 0; i < reasons_.size(); ++i) {
      StrAppend(&text, "  [", i + 1, "] ", reasons_[i], "\n");
    }
    return text;
  }

 private:
  std::vector<std::string> reasons_;
};

std::string CellText(const SupportCell& cell, Footnotes* notes) {
  std::string text(Name(cell.how));
  for (const std::string& reason : cell.reasons) StrAppend(&text, " [", notes->Number(reason), "]");
  return text;
}

// Returns "linear_q8_0_{scalar,simd}" for names that differ only in their target.
std::string KernelsText(const SupportRow& row) {
  std::vector<std::pair<std::string, std::string>> stems;  // name without target, targets
  for (Target target : kUserTargets) {
    std::string suffix = StrCat("_", Name(target));
    for (std::string stem : row.cells[static_cast<size_t>(target)].kernels) {
      bool has_suffix = std::string_view(stem).ends_with(suffix);
      if (has_suffix) stem.resize(stem.size() - suffix.size());
      auto it = std::ranges::find(stems, stem, &std::pair<std::string, std::string>::first);
      if (it == stems.end()) it = stems.insert(stems.end(), {stem, ""});
      if (!has_suffix) continue;
      StrAppend(&it->second, it->second.empty() ? "" : ",", Name(target));
    }
  }
  return absl::StrJoin(stems, ", ", [](std::string* out, const auto& stem) {
    StrAppend(out, stem.first);
    if (stem.second.empty()) return;
    bool several = stem.second.find(',') != std::string::npos;
    StrAppend(out, several ? "_{" : "_", stem.second, several ? "}" : "");
  });
}

}  // namespace

std::string ToText(const SupportMatrix& matrix) {
  Footnotes notes;
  std::vector<std::string> heads = {"  op", "types", "nodes"};
  for (Target target : kUserTargets) heads.emplace_back(Name(target));
  TextTable table(StrCat("llr", std::string(kUserTargets.size(), 'l')));
  std::string kernels;
  table.Add(heads);
  for (const SupportRow& row : matrix.rows) {
    std::vector<std::string> cells = {StrCat("  ", row.op), row.types,
                                      row.nodes == 0 ? "parts" : StrCat(row.nodes)};
    for (Target target : kUserTargets) {
      cells.push_back(CellText(row.cells[static_cast<size_t>(target)], &notes));
    }
    table.Add(std::move(cells));
    AppendWrapped(&kernels, StrCat("  ", row.op, "  ", row.types), 34, KernelsText(row));
  }
  return StrCat("model  ", matrix.model, "\nsupport\n", table.Text(), "why\n", notes.Text(),
                "kernels\n", kernels);
}

std::string ToJson(const SupportMatrix& matrix) {
  Json rows = Json::array();
  for (const SupportRow& row : matrix.rows) {
    Json targets = Json::object();
    for (Target target : kUserTargets) {
      const SupportCell& cell = row.cells[static_cast<size_t>(target)];
      targets[std::string(Name(target))] = {
          {"runs", Name(cell.how)}, {"kernels", cell.kernels}, {"reasons", cell.reasons}};
    }
    rows.push_back({{"op", row.op},
                    {"types", row.types},
                    {"nodes", row.nodes},
                    {"targets", std::move(targets)}});
  }
  Json json = {{"schema_version", 1}, {"model", matrix.model}, {"ops", std::move(rows)}};
  return JsonText(json, 2) + "\n";
}

}  // namespace infer
