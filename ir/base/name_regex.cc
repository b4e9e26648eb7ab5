// SPDX-License-Identifier: Apache-2.0
#include "ir/base/name_regex.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include <array>

#include "ir/base/strings.h"

namespace infer {
namespace {

// A reasonable pattern takes a few steps per character of a name; this many take a millisecond.
constexpr uint32_t kMaxSteps = 10000;
constexpr size_t kMaxPatternBytes = 1000;

struct MatchDataDeleter {
  void operator()(pcre2_match_data* match) const { pcre2_match_data_free(match); }
};

PCRE2_SPTR Units(std::string_view text) { return reinterpret_cast<PCRE2_SPTR>(text.data()); }

}  // namespace

struct NameRegex::Code {
  pcre2_code* code = nullptr;
  pcre2_match_context* limits = nullptr;

  Code() = default;
  Code(const Code&) = delete;
  Code& operator=(const Code&) = delete;
  ~Code() {
    pcre2_match_context_free(limits);
    pcre2_code_free(code);
  }
};

absl::StatusOr<NameRegex> NameRegex::Compile(std::string_view text) {
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
  code->limits = pcre2_match_context_create(nullptr);
  if (code->limits == nullptr) return absl::ResourceExhaustedError("out of memory for a pattern");
  pcre2_set_match_limit(code->limits, kMaxSteps);
  pcre2_set_depth_limit(code->limits, kMaxSteps);
  regex.text_ = std::string(text);
  regex.code_ = std::move(code);
  return regex;
}

bool NameRegex::FoundIn(std::string_view name) const {
  if (code_ == nullptr) return true;
  // One per thread, because threads share a compiled pattern.
  static thread_local const std::unique_ptr<pcre2_match_data, MatchDataDeleter> match(
      pcre2_match_data_create(1, nullptr));
  if (match == nullptr) return false;
  return pcre2_match(code_->code, Units(name), name.size(), 0, 0, match.get(), code_->limits) >= 0;
}

}  // namespace infer
