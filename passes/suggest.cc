// SPDX-License-Identifier: Apache-2.0
#include "passes/suggest.h"

#include <algorithm>
#include <numeric>
#include <vector>

#include "ir/base/nearest.h"
#include "ir/base/strings.h"

namespace infer {
namespace {

// Longer parts are not compared: patterns come from files, and there are thousands of names.
constexpr size_t kMaxLength = 64;

bool IsAlphanumeric(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

// Collects the runs of plain characters of a regular expression.
class PlainRuns {
 public:
  explicit PlainRuns(std::string_view pattern) : pattern_(pattern) {}

  std::string Longest() {
    while (at_ < pattern_.size()) Step();
    End();
    return longest_;
  }

 private:
  void Step() {
    const char c = pattern_[at_++];
    switch (c) {
      case '\\':  // \. is a character, \d stands for several
        if (IsAlphanumeric(Next()) || Next() == '\0') {
          End();
        } else {
          run_ += Next();
        }
        ++at_;
        return;
      case '.':
        if (std::string_view("*+?{").find(Next()) != std::string_view::npos) return End();
        run_ += c;
        return;
      case '*':
      case '?':
      case '{':  // the character before may be missing
        if (!run_.empty()) run_.pop_back();
        if (c == '{') SkipPast("}");
        return End();
      case '[':
        ++at_;  // []] contains a bracket
        SkipPast("]");
        return End();
      case '(':
        if (Next() == '?') SkipPast(":=!>)");
        return End();
      case ')':
      case '|':
      case '+':
      case '^':
      case '$':
        return End();
      default:
        run_ += c;
    }
  }

  char Next() const { return at_ < pattern_.size() ? pattern_[at_] : '\0'; }

  void SkipPast(std::string_view ends) {
    at_ = std::min(pattern_.find_first_of(ends, at_), pattern_.size() - 1) + 1;
  }

  void End() {
    if (run_.size() > longest_.size()) longest_ = run_;
    run_.clear();
  }

  std::string_view pattern_;
  size_t at_ = 0;
  std::string run_, longest_;
};

// Returns the fewest edits that turn `part` into a substring of `name`: the usual edit table,
// except that the match may begin and end anywhere in the name at no cost.
size_t EditsWithin(std::string_view part, std::string_view name) {
  std::vector<size_t> edits(part.size() + 1);  // edits of the first i characters, ending here
  std::iota(edits.begin(), edits.end(), 0);
  size_t fewest = edits.back();
  for (char c : name) {
    size_t diagonal = edits[0];
    for (size_t i = 1; i <= part.size(); ++i) {
      const size_t replaced = diagonal + (part[i - 1] == c ? 0 : 1);
      diagonal = edits[i];
      edits[i] = std::min({replaced, edits[i] + 1, edits[i - 1] + 1});
    }
    fewest = std::min(fewest, edits.back());
  }
  return fewest;
}

std::string Suggest(std::string_view pattern, std::string_view plain_part,
                    std::span<const std::string_view> names) {
  std::string hint = DidYouMean(pattern, names);
  if (!hint.empty()) return hint;
  std::vector<std::string_view> plain(names.begin(), names.end());
  std::erase_if(plain, [](std::string_view name) { return name.find('*') != name.npos; });
  const std::string_view nearest = NearestHolding(plain_part, plain);
  return nearest.empty() ? hint : StrCat(" (did you mean ", nearest, "?)");
}

}  // namespace

std::string SuggestForGlob(std::string_view glob, std::span<const std::string_view> names) {
  return Suggest(glob, PlainPartOfGlob(glob), names);
}

std::string SuggestForRegex(std::string_view regex, std::span<const std::string_view> names) {
  return Suggest(regex, PlainPartOfRegex(regex), names);
}

std::string PlainPartOfRegex(std::string_view regex) { return PlainRuns(regex).Longest(); }

std::string PlainPartOfGlob(std::string_view glob) {
  std::string_view longest;
  while (!glob.empty()) {
    const std::string_view run = glob.substr(0, glob.find_first_of("*?"));
    if (run.size() > longest.size()) longest = run;
    glob.remove_prefix(std::min(run.size() + 1, glob.size()));
  }
  return std::string(longest);
}

std::string_view NearestHolding(std::string_view part, std::span<const std::string_view> names) {
  // Any name contains something similar to two characters.
  if (part.size() < 3 || part.size() > kMaxLength) return {};
  size_t fewest = part.size() / 3 + 1;
  std::string_view nearest;
  for (std::string_view name : names) {
    const size_t edits = EditsWithin(part, name);
    if (edits >= fewest) continue;
    fewest = edits;
    nearest = name;
  }
  return nearest;
}

}  // namespace infer
