// SPDX-License-Identifier: Apache-2.0
#include "ir/policy/place_term.h"

#include <algorithm>
#include <charconv>
#include <limits>
#include <string>
#include <vector>

#include "ir/base/nearest.h"
#include "ir/base/status_macros.h"
#include "ir/base/strings.h"

namespace infer {
namespace {

// Accepts k, M or G for powers of 1024.
absl::StatusOr<int64_t> ParseCount(const PlacePart& part) {
  int64_t value = 0;
  const char* end = part.text.data() + part.text.size();
  auto [stop, error] = std::from_chars(part.text.data(), end, value);
  int shift = 0;
  if (error == std::errc() && end - stop == 1) {
    shift = *stop == 'k' ? 10 : *stop == 'M' ? 20 : *stop == 'G' ? 30 : 0;
    if (shift > 0) ++stop;
  }
  if (error != std::errc() || stop != end || value < 0 ||
      value > (std::numeric_limits<int64_t>::max() - 1) >> shift) {
    return ErrorAt(part, StrCat("'", part.text, "' is not a count such as 8, 512 or 256k"));
  }
  return value << shift;
}

absl::Status SetBounds(const PlaceTerm& term, Bounds* bounds) {
  ASSIGN_OR_RETURN(int64_t count, ParseCount(term.value));
  if (term.cmp == "~" || term.cmp == "~=") {
    return ErrorAt(term.field,
                   StrCat(term.field.text, " is a number: compare it with =, >=, <=, > or <"));
  }
  if (term.cmp == ">") ++count;
  if (term.cmp == "<" && --count < 0) return ErrorAt(term.value, "no number is below 0");
  if (term.cmp != "<" && term.cmp != "<=") {
    bounds->min = std::max(count, bounds->min.value_or(count));
  }
  if (term.cmp != ">" && term.cmp != ">=") {
    bounds->max = std::min(count, bounds->max.value_or(count));
  }
  return absl::OkStatus();
}

absl::Status SetText(const PlaceTerm& term, std::string* text) {
  if (term.cmp != "=") {
    return ErrorAt(term.field, StrCat(term.field.text, " is text: compare it with ="));
  }
  if (!text->empty()) return ErrorAt(term.field, StrCat(term.field.text, " is given twice"));
  *text = std::string(term.value.text);
  return absl::OkStatus();
}

absl::Status SetRegex(const PlaceTerm& term, NameRegex* regex) {
  if (!regex->empty()) return ErrorAt(term.field, "name~ is given twice");
  absl::StatusOr<NameRegex> compiled = NameRegex::Compile(term.value.text);
  if (!compiled.ok()) return ErrorAt(term.value, ToStd(compiled.status().message()));
  *regex = *std::move(compiled);
  return absl::OkStatus();
}

absl::Status SetPhase(const PlaceTerm& term, Phase* phase) {
  for (Phase known : {Phase::kDecode, Phase::kPrefill}) {
    if (term.cmp != "=" || term.value.text != Name(known)) continue;
    if (*phase != Phase::kAny) return ErrorAt(term.field, "phase is given twice");
    *phase = known;
    return absl::OkStatus();
  }
  return ErrorAt(term.value, StrCat("the ", term.field.text,
                                    " must be decode (one token) or prefill (more); for other "
                                    "intervals use tokens, such as tokens>=8"));
}

// Returns the bounds of a field, given its name or its letter in m x n x k.
Bounds* FindBounds(std::string_view name, Rule* rule) {
  if (name == "m") name = "rows";
  if (name == "n") name = "columns";
  if (name == "k") name = "inner";
  for (const BoundsField& field : kBoundsFields) {
    if (name == field.name) return &(rule->*field.bounds);
  }
  return nullptr;
}

absl::Status UnknownField(const PlacePart& field) {
  std::vector<std::string_view> names = {"op", "scope", "name", "type", "phase"};
  for (const BoundsField& bounds : kBoundsFields) names.emplace_back(bounds.name);
  std::string all;
  for (std::string_view name : names) StrAppend(&all, all.empty() ? "" : ", ", name);
  return ErrorAt(field, StrCat("unknown field '", field.text, "'", DidYouMean(field.text, names),
                               "; known fields: ", all));
}

}  // namespace

absl::Status ErrorAt(const PlacePart& part, std::string_view what) {
  return absl::InvalidArgumentError(StrCat("character ", part.at + 1, ": ", what));
}

absl::StatusOr<PlaceTerm> SplitTerm(const PlacePart& part) {
  const size_t at = part.text.find_first_of("=<>~");
  if (at == std::string_view::npos || at == 0) {
    return ErrorAt(part,
                   StrCat("'", part.text, "' is not a predicate such as op=linear or rows>=8"));
  }
  const bool two = part.text[at] != '=' && part.text.substr(at + 1).starts_with('=');
  const size_t length = two ? 2 : 1;
  PlaceTerm term{part.Sub(0, at), part.text.substr(at, length), part.Sub(at + length)};
  if (term.value.text.empty()) return ErrorAt(term.value, "a value is missing");
  return term;
}

absl::Status ApplyTerm(const PlaceTerm& term, Rule* rule) {
  const std::string_view field = term.field.text;
  if (Bounds* bounds = FindBounds(field, rule)) return SetBounds(term, bounds);
  if (field == "name" && term.cmp == "~") return SetRegex(term, &rule->node_regex);
  if (field == "name") return SetText(term, &rule->node);
  if (field == "op") return SetText(term, &rule->op);
  if (field == "scope") return SetText(term, &rule->scope);
  if (field == "type" || field == "weight_type") return SetText(term, &rule->weight_type);
  if (field == "phase" || field == "regime") return SetPhase(term, &rule->phase);
  return UnknownField(term.field);
}

}  // namespace infer
