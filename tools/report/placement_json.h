// SPDX-License-Identifier: Apache-2.0
//
// Writes the parts of a placement record that several JSON reports share.
#pragma once

#include <utility>
#include <vector>

#include "ir/base/json.h"
#include "ir/graph/placement.h"

namespace infer {

inline Json TermsJson(const std::vector<Term>& terms) {
  Json json = Json::array();
  for (const Term& term : terms) {
    json.push_back({{"field", term.field},
                    {"cmp", term.cmp},
                    {"threshold", term.threshold},
                    {"found", {term.lo, term.hi}}});
  }
  return json;
}

// Writes the non-zero factors of a sum of factors times symbols; most counts have one or two.
inline Json CountJson(const SymbolicCount& count) {
  Json json = Json::object();
  const std::pair<const char*, double> parts[] = {{"1", count.c0},   {"T", count.ct},
                                                  {"R", count.cr},   {"S", count.cs},
                                                  {"TS", count.cts}, {"TS/N", count.ctsn}};
  for (const auto& [symbol, factor] : parts) {
    if (factor != 0) json[symbol] = factor;
  }
  return json;
}

// Writes the lower and the upper end, or null if there is no estimate.
inline Json EstimateJson(double ns_min, double ns_max) {
  if (ns_min <= 0 && ns_max <= 0) return nullptr;
  return {ns_min, ns_max};
}

}  // namespace infer
