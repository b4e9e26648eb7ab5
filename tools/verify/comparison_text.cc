// SPDX-License-Identifier: Apache-2.0
#include "tools/verify/comparison_text.h"

#include <cmath>
#include <limits>

#include "absl/strings/str_format.h"
#include "ir/base/json.h"
#include "ir/base/strings.h"
#include "ir/graph/node_name.h"
#include "tools/report/text_table.h"
#include "tools/report/wrapped_text.h"

namespace infer {
namespace {

Json DeviationJson(const Deviation& deviation) {
  const Placement& placement = *deviation.node->placement();
  Json json = {{"node", NodeName(*deviation.node)},
               {"origin", deviation.origin},
               {"op", deviation.node->op().name},
               {"target", Name(placement.target)},
               {"kernel", placement.kernel},
               {"rule", placement.rule},
               {"call", deviation.call},
               {"relative", nullptr},  // if infinite
               {"tolerance", deviation.tolerance},
               {"rounding", Name(deviation.rounding)},
               {"row", deviation.row},
               {"column", deviation.column},
               {"expected", deviation.expected},
               {"found", deviation.found}};
  if (std::isfinite(deviation.relative)) json["relative"] = deviation.relative;
  return json;
}

// Returns the share of its tolerance that a deviation takes.
double ShareOf(const Deviation& deviation) {
  if (deviation.relative == 0) return 0;
  return deviation.tolerance > 0 ? deviation.relative / deviation.tolerance
                                 : std::numeric_limits<double>::infinity();
}

// Returns the deviation that takes most of its tolerance; null if nothing was compared.
const Deviation* NearestDeviation(const RunComparison& comparison) {
  const Deviation* nearest = nullptr;
  for (const auto& [key, op] : comparison.ops) {
    if (nearest == nullptr || ShareOf(op.worst) > ShareOf(*nearest)) nearest = &op.worst;
  }
  return nearest;
}

constexpr std::string_view kMeaning =
    "worst and allowed are the largest difference in a token's row, as a share of the largest "
    "element expected in it; allowed follows from how numbers were rounded up to there";

std::string NearestText(const Deviation& nearest) {
  const double share = ShareOf(nearest);
  if (share == 0) return "no result differs";
  if (share > 1) return "";  // reported as the first beyond
  return absl::StrFormat("nearest to its tolerance: %s in the %s, at %.2g %% of it", nearest.origin,
                         nearest.call, 100 * share);
}

}  // namespace

std::string DeviationText(const Deviation& deviation) {
  const Placement& placement = *deviation.node->placement();
  return absl::StrFormat(
      "%s (%s on %s by %s, rule %s) in the %s: element [%d,%d] is %.7g, expected %.7g; off by %.3g "
      "of the row's largest, allowed are %.3g (%s)",
      deviation.origin, ToAbsl(deviation.node->op().name), ToAbsl(Name(placement.target)),
      placement.kernel, placement.rule.empty() ? "none" : placement.rule, deviation.call,
      deviation.row, deviation.column, deviation.found, deviation.expected, deviation.relative,
      deviation.tolerance, ToAbsl(Name(deviation.rounding)));
}

std::string ComparisonText(const RunComparison& comparison, std::string_view tested,
                           std::string_view expected) {
  TextTable table("llrrrrll");
  table.Add({"op", "kernel", "compared", "beyond", "worst", "allowed", "rounding", "where"});
  for (const auto& [key, op] : comparison.ops) {
    table.Add({key.first, key.second, StrCat(op.compared), StrCat(op.beyond),
               absl::StrFormat("%.2e", op.worst.relative),
               absl::StrFormat("%.0e", op.worst.tolerance), std::string(Name(op.worst.rounding)),
               StrCat(op.worst.origin, ", ", op.worst.call)});
  }
  std::string text = StrCat(table.Text(), "\n", comparison.compared, " results of ", tested, " in ",
                            comparison.calls, " calls compared with those of equal origin in ",
                            expected, "; ", comparison.unmatched, " have none there");
  AppendWrapped(&(text += "\n"), "", 0, kMeaning);
  text.pop_back();
  if (const Deviation* nearest = NearestDeviation(comparison); nearest != nullptr) {
    if (std::string line = NearestText(*nearest); !line.empty()) StrAppend(&text, "\n", line);
  }
  if (comparison.first) {
    StrAppend(&text, "\nfirst beyond: ", DeviationText(*comparison.first));
  }
  return text;
}

std::string ComparisonJson(const RunComparison& comparison, std::string_view tested,
                           std::string_view expected) {
  Json json;
  json["schema_version"] = 1;
  json["tested"] = tested;
  json["expected"] = expected;
  json["calls"] = comparison.calls;
  json["compared"] = comparison.compared;
  json["unmatched"] = comparison.unmatched;
  json["ops"] = Json::array();
  for (const auto& [key, op] : comparison.ops) {
    json["ops"].push_back({{"op", key.first},
                           {"kernel", key.second},
                           {"compared", op.compared},
                           {"beyond", op.beyond},
                           {"worst", DeviationJson(op.worst)}});
  }
  const Deviation* nearest = NearestDeviation(comparison);
  json["nearest"] = nearest == nullptr ? Json(nullptr) : DeviationJson(*nearest);
  json["first_beyond"] = nullptr;
  if (comparison.first) json["first_beyond"] = DeviationJson(*comparison.first);
  // A file's name may not be valid UTF-8.
  return JsonText(json);
}

}  // namespace infer
