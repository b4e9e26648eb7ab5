// SPDX-License-Identifier: Apache-2.0
#include "ir/policy/place_rule.h"

#include <algorithm>

#include "ir/base/control_chars.h"
#include "ir/base/nearest.h"
#include "ir/base/status_macros.h"
#include "ir/base/strings.h"
#include "ir/graph/attr.h"
#include "ir/policy/place_term.h"

namespace infer {
namespace {

std::vector<PlacePart> Split(const PlacePart& part, char separator) {
  std::vector<PlacePart> parts;
  for (std::string_view text : SplitOutsideBrackets(part.text, separator)) {
    parts.push_back(part.Sub(static_cast<size_t>(text.data() - part.text.data()), text.size()));
  }
  return parts;
}

// Appends the cpu targets to fall back to if `last` cannot run a node: only the slower ones if
// `last` is a cpu target itself.
void AppendFallbacks(Target last, std::vector<Target>* targets) {
  const std::vector<Target> cpu = TargetsOn(Device::kCpu);
  auto from = std::ranges::find(cpu, last);
  if (from == cpu.end()) from = cpu.begin();
  for (auto target = from; target != cpu.end(); ++target) {
    if (std::ranges::find(*targets, *target) == targets->end()) targets->push_back(*target);
  }
}

absl::StatusOr<Target> ParseTarget(const PlacePart& part) {
  if (std::optional<Target> target = FindTarget(part.text)) return *target;
  return ErrorAt(part, UnknownTarget(part.text));
}

absl::StatusOr<std::vector<Target>> ParseTargets(const PlacePart& part) {
  std::vector<Target> targets;
  for (const PlacePart& name : Split(part, '|')) {
    ASSIGN_OR_RETURN(Target target, ParseTarget(name));
    if (std::ranges::find(targets, target) != targets.end()) {
      return ErrorAt(name, StrCat(name.text, " is named twice"));
    }
    targets.push_back(target);
  }
  AppendFallbacks(targets.back(), &targets);
  return targets;
}

// The error points at the first term whose addition makes CheckRule fail.
absl::Status CheckTerms(const std::vector<PlacePart>& parts, const std::vector<PlaceTerm>& terms,
                        const Rule& rule) {
  const absl::Status whole = CheckRule(rule);
  if (whole.ok()) return whole;
  Rule so_far;
  so_far.targets = rule.targets;
  for (size_t i = 0; i < terms.size(); ++i) {
    RETURN_IF_ERROR(ApplyTerm(terms[i], &so_far));
    if (!CheckRule(so_far).ok())
      return ErrorAt(parts[i], StrCat("the rule ", ToStd(whole.message())));
  }
  return whole;
}

// Returns whether the last part is not a target but the value of a predicate: op=linear, rows>=8.
bool LacksTarget(const PlacePart& whole, const PlacePart& last) {
  if (whole.text.size() == last.text.size()) {
    return whole.text.find_first_of("<>~") != std::string_view::npos;
  }
  if (FindTarget(last.text.substr(0, last.text.find('|')))) return false;
  const absl::StatusOr<PlaceTerm> term = SplitTerm(Split(whole, ',').back());
  Rule rule;
  return term.ok() && term->value.at == last.at && ApplyTerm(*term, &rule).ok();
}

absl::StatusOr<Rule> Parse(const PlacePart& whole) {
  const size_t equals = whole.text.rfind('=');
  Rule rule;
  rule.is_override = true;
  const bool has_terms = equals != std::string_view::npos;
  const PlacePart targets = has_terms ? whole.Sub(equals + 1) : whole;
  if (targets.text.empty() || LacksTarget(whole, targets)) {
    return ErrorAt(whole.Sub(whole.text.size()),
                   StrCat("a target is missing after the predicates, such as '",
                          whole.text.substr(0, whole.text.find_last_not_of('=') + 1), "=simd'"));
  }
  std::vector<PlacePart> parts;
  std::vector<PlaceTerm> terms;
  if (has_terms && equals > 0) parts = Split(whole.Sub(0, equals), ',');
  for (const PlacePart& part : parts) {
    ASSIGN_OR_RETURN(PlaceTerm term, SplitTerm(part));
    RETURN_IF_ERROR(ApplyTerm(term, &rule));
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
  bool in_class = false;  // inside a character class: [(] does not open a group
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
  if (HasControl(text)) {
    return absl::InvalidArgumentError(
        StrCat("rule ", Quote(text), " has a control character, which is not allowed"));
  }
  absl::StatusOr<Rule> rule = Parse({text});
  if (!rule.ok()) {
    return absl::InvalidArgumentError(
        StrCat("rule '", text, "': ", ToStd(rule.status().message())));
  }
  rule->name = StrCat(kPlacePrefix, text);
  return rule;
}

}  // namespace infer
