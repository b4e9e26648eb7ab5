// SPDX-License-Identifier: Apache-2.0
#include "tools/viz/tree_table.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "ir/base/strings.h"
#include "tools/report/quantity_text.h"
#include "tools/report/wrapped_text.h"
#include "tools/viz/target_look.h"

namespace infer {
namespace {

// Wide enough for "parallel" and for "T 8..512".
constexpr size_t kLeastTargetColumns = 10;
constexpr size_t kLeastTypeColumns = 16;
// Longer names of fused nodes continue below.
constexpr size_t kMostLabelColumns = 30;

std::string Colored(Target target, const std::string& text) {
  return StrCat("\x1b[", LookOf(target).terminal, "m", text, "\x1b[0m");
}

// Splits after commas, and before the arrow from weights to results.
std::vector<std::string> Pieces(const std::string& types) {
  return absl::StrSplit(absl::StrReplaceAll(types, {{", ", ",\n"}, {" → ", "\n→ "}}), '\n');
}

// Splits before the names of a fused node's other members.
std::vector<std::string> NamePieces(const std::string& label) {
  return absl::StrSplit(absl::StrReplaceAll(label, {{"+", "\n+"}}), '\n');
}

// Puts as many pieces on a line as fit.
std::vector<std::string> Lines(std::vector<std::string> pieces, std::string_view between,
                               size_t columns) {
  std::vector<std::string> lines;
  for (std::string& piece : pieces) {
    const size_t more = between.size() + DisplayColumns(piece);
    if (!lines.empty() && DisplayColumns(lines.back()) + more <= columns) {
      StrAppend(&lines.back(), between, piece);
    } else {
      lines.push_back(std::move(piece));
    }
  }
  return lines;
}

struct LabelParts {
  std::string joints;
  std::string below;  // printed below it: the bars of the branches that are still open
  std::string name;
};

LabelParts PartsOf(const std::string& label) {
  constexpr std::string_view kJoints[][2] = {
      {"├─ ", "│  "}, {"└─ ", "   "}, {"│  ", "│  "}, {"   ", "   "}};
  std::string below;
  std::string_view rest = label;
  for (bool found = true; found;) {
    found = false;
    for (const auto& [joint, then] : kJoints) {
      if (!rest.starts_with(joint)) continue;
      below += then;
      rest.remove_prefix(joint.size());
      found = true;
      break;
    }
  }
  return {label.substr(0, label.size() - rest.size()), below, std::string(rest)};
}

class Columns {
 public:
  Columns(const std::vector<TreeRow>& rows, const TreeHeads& heads)
      : heads_(heads), estimate_(DisplayColumns(heads.estimate)) {
    size_t longest_piece = 0;
    size_t least_label = 0;  // members of a fused node are never cut
    for (const TreeRow& row : rows) {
      if (row.op.empty()) continue;
      const LabelParts label = PartsOf(row.label);
      label_ = std::max(label_, std::min(DisplayColumns(row.label), kMostLabelColumns) + 1);
      for (const std::string& piece : NamePieces(label.name)) {
        least_label =
            std::max(least_label, DisplayColumns(label.below) + DisplayColumns(piece) + 1);
      }
      op_ = std::max(op_, DisplayColumns(row.op) + 2);
      types_ = std::max(types_, DisplayColumns(row.types));
      estimate_ = std::max(estimate_, DisplayColumns(row.estimate));
      for (const std::string& piece : Pieces(row.types)) {
        longest_piece = std::max(longest_piece, DisplayColumns(piece));
      }
    }
    for (const std::string& head : heads.targets) {
      target_ = std::max(target_, DisplayColumns(head) + 1);
    }
    // Names are shortened before the table gets wider than a terminal.
    const size_t least_types = std::min(types_, std::max(longest_piece, kLeastTypeColumns));
    const size_t beside = op_ + least_types + kGap + target_ * heads.targets.size() + estimate_;
    const size_t columns = ReportColumns();
    if (beside < columns) label_ = std::min(label_, columns - beside);
    label_ = std::max(label_, least_label);
    const size_t others = label_ + op_ + kGap + target_ * heads.targets.size() + estimate_;
    const size_t room = others < columns ? columns - others : 0;
    types_ = std::min(types_, std::max({room, longest_piece, kLeastTypeColumns}));
  }

  std::string Head() const {
    std::string text(label_ + op_ + types_ + kGap, ' ');
    for (const std::string& head : heads_.targets) StrAppend(&text, PadTo(head, target_));
    return StrCat(text, PadLeft(heads_.estimate, estimate_), "\n");
  }

  std::string Row(const TreeRow& row, bool color) const {
    if (row.op.empty()) return StrCat(row.label, "\n");
    const LabelParts label = PartsOf(row.label);
    const std::vector<std::string> names =
        Lines(NamePieces(label.name), "", label_ - 1 - DisplayColumns(label.below));
    const std::vector<std::string> types = Lines(Pieces(row.types), " ", types_);
    std::string text = StrCat(PadTo(StrCat(label.joints, names[0]), label_), PadTo(row.op, op_),
                              PadTo(types[0], types_ + kGap));
    for (const std::optional<Target>& target : row.targets) {
      const std::string name = PadTo(target ? std::string(Name(*target)) : "-", target_);
      StrAppend(&text, target && color ? Colored(*target, name) : name);
    }
    StrAppend(&text, PadLeft(row.estimate, estimate_), "\n");
    for (size_t i = 1; i < std::max(names.size(), types.size()); ++i) {
      const std::string name = StrCat(label.below, i < names.size() ? names[i] : "");
      if (i < types.size()) {
        StrAppend(&text, PadTo(name, label_ + op_), types[i], "\n");
      } else {
        StrAppend(&text, name, "\n");
      }
    }
    return text;
  }

 private:
  static constexpr size_t kGap = 2;

  const TreeHeads& heads_;
  size_t label_ = 0, op_ = 0, types_ = 0, target_ = kLeastTargetColumns;
  size_t estimate_ = 0;
};

}  // namespace

std::string TreeTableText(const std::vector<TreeRow>& rows, const TreeHeads& heads, bool color) {
  const Columns columns(rows, heads);
  std::string text = columns.Head();
  for (const TreeRow& row : rows) StrAppend(&text, columns.Row(row, color));
  return text;
}

}  // namespace infer
