// SPDX-License-Identifier: Apache-2.0
#include "ir/place_rule.h"

#include <algorithm>
#include <charconv>
#include <limits>

#include "ir/nearest.h"
#include "ir/status_macros.h"
#include "ir/strings.h"

namespace infer {
namespace {

// A part of the text that knows where it stands in it.
struct Part {
  std::string_view text;
  size_t at = 0;

  Part Sub(size_t begin, size_t length = std::string_view::npos) const {
    return {text.substr(begin, length), at + begin};
  }
};

absl::Status ErrorAt(const Part& part, std::string_view what) {
  return absl::InvalidArgumentError(StrCat("character ", part.at + 1, ": ", what));
}

std::vector<Part> Split(const Part& part, char separator) {
  std::vector<Part> parts;
  for (std::string_view text : SplitOutsideBrackets(part.text, separator)) {
    parts.push_back(part.Sub(static_cast<size_t>(text.data() - part.text.data()), text.size()));
  }
  return parts;
}

// Which of CPU's targets take what `last` does not run.
void AppendFallbacks(Target last, std::vector<Target>* targets) {
  constexpr Target kOrder[] = {Target::kMetal, Target::kParallel, Target::kSimd, Target::kScalar};
  const Target* from = std::ranges::find(kOrder, last);
  for (const Target* target = from; target != std::end(kOrder); ++target) {
    if (std::ranges::find(*targets, *target) == targets->end()) targets->push_back(*target);
  }
}

absl::StatusOr<Target> ParseTarget(const Part& part) {
  if (std::optional<Target> target = FindTarget(part.text)) return *target;
  std::vector<std::string_view> names;
  for (Target target : kAllTargets) names.push_back(Name(target));
  return ErrorAt(part, StrCat("'", part.text, "' is no target", DidYouMean(part.text, names),
                              "; there are scalar, simd, parallel and metal"));
}

absl::StatusOr<std::vector<Target>> ParseTargets(const Part& part) {
  std::vector<Target> targets;
  for (const Part& name : Split(part, '|')) {
    ASSIGN_OR_RETURN(Target target, ParseTarget(name));
    if (std::ranges::find(targets, target) != targets.end()) {
      return ErrorAt(name, StrCat(name.text, " is named twice"));
    }
    targets.push_back(target);
  }
  AppendFallbacks(targets.back(), &targets);
  return targets;
}

// With k, M or G for powers of 1024.
absl::StatusOr<int64_t> ParseCount(const Part& part) {
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
    return ErrorAt(part, StrCat("'", part.text, "' is no count such as 8, 512 or 256k"));
  }
  return value << shift;
}

struct PlaceTerm {
  Part field;
  std::string_view cmp;
  Part value;
};

absl::StatusOr<PlaceTerm> SplitTerm(const Part& part) {
  const size_t at = part.text.find_first_of("=<>~");
  if (at == std::string_view::npos || at == 0) {
    return ErrorAt(part, StrCat("'", part.text, "' is no predicate such as op=linear or rows>=8"));
  }
  const bool two = part.text[at] != '=' && part.text.substr(at + 1).starts_with('=');
  const size_t length = two ? 2 : 1;
  PlaceTerm term{part.Sub(0, at), part.text.substr(at, length), part.Sub(at + length)};
  if (term.value.text.empty()) return ErrorAt(term.value, "a value is missing");
  return term;
}

absl::Status SetBounds(const PlaceTerm& term, Bounds* bounds) {
  ASSIGN_OR_RETURN(int64_t count, ParseCount(term.value));
  if (term.cmp == "~" || term.cmp == "~=") {
    return ErrorAt(term.field,
                   StrCat(term.field.text, " is a number: compare it with =, >=, <=, > or <"));
  }
  if (term.cmp == ">") ++count;
  if (term.cmp == "<" && --count < 0) return ErrorAt(term.value, "nothing is below 0");
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
    return ErrorAt(term.field, StrCat(term.field.text, " is a text: compare it with ="));
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
  return ErrorAt(term.value, "a phase is decode (one token) or prefill (more)");
}

// The number that a field's name or its letter in m x n x k means.
Bounds* FindBounds(std::string_view name, Rule* rule) {
  if (name == "m") name = "rows";
  if (name == "n") name = "columns";
  if (name == "k") name = "inner";
  for (const BoundsField& field : kBoundsFields) {
    if (name == field.name) return &(rule->*field.bounds);
  }
  return nullptr;
}

absl::Status UnknownField(const Part& field) {
  std::vector<std::string_view> names = {"op", "scope", "name", "type", "phase"};
  for (const BoundsField& bounds : kBoundsFields) names.emplace_back(bounds.name);
  std::string all;
  for (std::string_view name : names) StrAppend(&all, all.empty() ? "" : ", ", name);
  return ErrorAt(field, StrCat("'", field.text, "' is nothing that a rule can ask about",
                               DidYouMean(field.text, names), "; there are ", all));
}

absl::Status Apply(const PlaceTerm& term, Rule* rule) {
  const std::string_view field = term.field.text;
  if (Bounds* bounds = FindBounds(field, rule)) return SetBounds(term, bounds);
  if (field == "name" && term.cmp == "~") return SetRegex(term, &rule->node_regex);
  if (field == "name") return SetText(term, &rule->node);
  if (field == "op") return SetText(term, &rule->op);
  if (field == "scope") return SetText(term, &rule->scope);
  if (field == "type" || field == "weight_type") return SetText(term, &rule->weight_type);
  if (field == "phase") return SetPhase(term, &rule->phase);
  return UnknownField(term.field);
}

// The one term without which CheckRule has nothing to say is the one to point at.
absl::Status CheckTerms(const std::vector<Part>& parts, const std::vector<PlaceTerm>& terms,
                        const Rule& rule) {
  const absl::Status whole = CheckRule(rule);
  if (whole.ok()) return whole;
  Rule so_far;
  so_far.targets = rule.targets;
  for (size_t i = 0; i < terms.size(); ++i) {
    RETURN_IF_ERROR(Apply(terms[i], &so_far));
    if (!CheckRule(so_far).ok())
      return ErrorAt(parts[i], StrCat("the rule ", ToStd(whole.message())));
  }
  return whole;
}

absl::StatusOr<Rule> Parse(const Part& whole) {
  const size_t equals = whole.text.rfind('=');
  Rule rule;
  rule.is_override = true;
  const bool has_terms = equals != std::string_view::npos;
  const Part targets = has_terms ? whole.Sub(equals + 1) : whole;
  if (targets.text.empty()) return ErrorAt(targets, "a target is missing, such as =simd");
  std::vector<Part> parts;
  std::vector<PlaceTerm> terms;
  if (has_terms && equals > 0) parts = Split(whole.Sub(0, equals), ',');
  for (const Part& part : parts) {
    ASSIGN_OR_RETURN(PlaceTerm term, SplitTerm(part));
    RETURN_IF_ERROR(Apply(term, &rule));
    terms.push_back(term);
  }
  ASSIGN_OR_RETURN(rule.targets, ParseTargets(targets));
  RETURN_IF_ERROR(CheckTerms(parts, terms, rule));
  return rule;
}

}  // namespace

std::vector<std::string_view> SplitOutsideBrackets(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  size_t begin = 0;
  int depth = 0;
  bool in_class = false;  // of characters: [(] is no group
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '\\') {
      ++i;
    } else if (in_class) {
      in_class = c != ']';
    } else if (c == '[') {
      in_class = true;
    } else if (c == '(' || c == '{') {
      ++depth;
    } else if (c == ')' || c == '}') {
      depth = std::max(0, depth - 1);
    } else if (c == separator && depth == 0) {
      parts.push_back(text.substr(begin, i - begin));
      begin = i + 1;
    }
  }
  parts.push_back(text.substr(begin));
  return parts;
}

absl::StatusOr<Rule> ParsePlaceRule(std::string_view text) {
  absl::StatusOr<Rule> rule = Parse({text});
  if (!rule.ok()) {
    return absl::InvalidArgumentError(
        StrCat("--place '", text, "': ", ToStd(rule.status().message())));
  }
  rule->name = StrCat("--place ", text);
  return rule;
}

}  // namespace infer
