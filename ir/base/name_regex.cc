// SPDX-License-Identifier: Apache-2.0
#include "ir/base/name_regex.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include <array>
#include <utility>

#include "ir/base/strings.h"

namespace infer {
namespace {

// A reasonable pattern takes a few steps per character of a name; kMaxSteps take a millisecond.
// PCRE2 does not say how many steps a search took, so one that exceeds the first limit is repeated
// with the second, and counts as having used it up.
constexpr uint32_t kFirstLimit = 64;
constexpr int64_t kFewSteps = 8;  // what most searches within kFirstLimit cost at most
constexpr uint32_t kMaxSteps = 10000;
constexpr size_t kMaxPatternBytes = 1000;

struct MatchDataDeleter {
  void operator()(pcre2_match_data* match) const { pcre2_match_data_free(match); }
};

PCRE2_SPTR Units(std::string_view text) { return reinterpret_cast<PCRE2_SPTR>(text.data()); }

}  // namespace

struct NameRegex::Code {
  pcre2_code* code = nullptr;
  pcre2_match_context* few = nullptr;
  pcre2_match_context* many = nullptr;
  std::shared_ptr<RegexSteps> steps;

  Code() = default;
  Code(const Code&) = delete;
  Code& operator=(const Code&) = delete;
  ~Code() {
    pcre2_match_context_free(few);
    pcre2_match_context_free(many);
    pcre2_code_free(code);
  }
};

bool RegexSteps::Take(int64_t steps, std::string_view pattern) {
  if (failed_.load(std::memory_order_relaxed)) return false;
  if (left_.fetch_sub(steps, std::memory_order_relaxed) >= steps) return true;
  Fail(pattern,
       "was being searched for when the patterns together had taken more steps than a check may; "
       "use fewer or simpler patterns");
  return false;
}

void RegexSteps::Fail(std::string_view pattern, std::string_view why) {
  const std::lock_guard lock(mutex_);
  if (failed_) return;
  pattern_ = std::string(pattern);
  status_ = absl::InvalidArgumentError(StrCat("the pattern '", pattern, "' ", why));
  failed_ = true;
}

absl::Status RegexSteps::StatusOf(std::string_view pattern) const {
  if (!failed_) return absl::OkStatus();
  const std::lock_guard lock(mutex_);
  return pattern_ == pattern ? status_ : absl::OkStatus();
}

namespace {

// Returns null if memory is exhausted.
pcre2_match_context* Limited(uint32_t steps) {
  pcre2_match_context* limits = pcre2_match_context_create(nullptr);
  if (limits == nullptr) return nullptr;
  pcre2_set_match_limit(limits, steps);
  pcre2_set_depth_limit(limits, steps);
  return limits;
}

bool GaveUp(int result) {
  return result == PCRE2_ERROR_MATCHLIMIT || result == PCRE2_ERROR_DEPTHLIMIT ||
         result == PCRE2_ERROR_HEAPLIMIT || result == PCRE2_ERROR_NOMEMORY;
}

}  // namespace

absl::StatusOr<NameRegex> NameRegex::Compile(std::string_view text,
                                             std::shared_ptr<RegexSteps> steps) {
  NameRegex regex;
  if (text.empty()) return regex;
  if (text.size() > kMaxPatternBytes) {
    return absl::InvalidArgumentError(StrCat("a pattern may have at most ", kMaxPatternBytes,
                                             " characters, this one has ", text.size()));
  }
  auto code = std::make_shared<Code>();
  int error = 0;
  PCRE2_SIZE error_at = 0;
  code->code =
      pcre2_compile(Units(text), text.size(), PCRE2_NEVER_BACKSLASH_C, &error, &error_at, nullptr);
  if (code->code == nullptr) {
    std::array<PCRE2_UCHAR, 256> message = {};
    pcre2_get_error_message(error, message.data(), message.size());
    return absl::InvalidArgumentError(
        StrCat("the pattern '", text, "' is invalid at character ", error_at + 1, ": ",
               std::string_view(reinterpret_cast<const char*>(message.data()))));
  }
  code->few = Limited(kFirstLimit);
  code->many = Limited(kMaxSteps);
  if (code->few == nullptr || code->many == nullptr) {
    return absl::ResourceExhaustedError("out of memory for a pattern");
  }
  code->steps = steps != nullptr ? std::move(steps) : std::make_shared<RegexSteps>();
  regex.text_ = std::string(text);
  regex.code_ = std::move(code);
  return regex;
}

absl::Status NameRegex::status() const {
  return code_ == nullptr ? absl::OkStatus() : code_->steps->StatusOf(text_);
}

bool NameRegex::FoundIn(std::string_view name) const {
  if (code_ == nullptr) return true;
  RegexSteps* const steps = code_->steps.get();
  // One per thread, because threads share a compiled pattern.
  static thread_local const std::unique_ptr<pcre2_match_data, MatchDataDeleter> match(
      pcre2_match_data_create(1, nullptr));
  if (match == nullptr) {
    steps->Fail(text_, "cannot be searched for: out of memory");
    return false;
  }
  const auto search = [&](pcre2_match_context* limits) {
    return pcre2_match(code_->code, Units(name), name.size(), 0, 0, match.get(), limits);
  };
  if (!steps->Take(kFewSteps, text_)) return false;
  int result = search(code_->few);
  if (GaveUp(result)) {
    if (!steps->Take(kMaxSteps, text_)) return false;
    result = search(code_->many);
  }
  if (GaveUp(result)) {
    steps->Fail(text_, StrCat("takes more than ", kMaxSteps, " steps in the name '", name,
                              "'; avoid repetitions within repetitions"));
  }
  return result >= 0;
}

}  // namespace infer
