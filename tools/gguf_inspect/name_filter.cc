// SPDX-License-Identifier: Apache-2.0
#include "tools/gguf_inspect/name_filter.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include <array>
#include <utility>

#include "absl/status/status.h"
#include "ir/base/strings.h"

namespace infer {
namespace {

// Enough for any reasonable pattern on a name, and at most a few milliseconds for the others.
constexpr uint32_t kMatchLimit = 100000;

PCRE2_SPTR Units(std::string_view text) { return reinterpret_cast<PCRE2_SPTR>(text.data()); }

}  // namespace

struct NameFilter::Code {
  pcre2_code* code = nullptr;
  pcre2_match_data* match = nullptr;
  pcre2_match_context* context = nullptr;

  ~Code() {
    pcre2_match_context_free(context);
    pcre2_match_data_free(match);
    pcre2_code_free(code);
  }
};

NameFilter::NameFilter(std::unique_ptr<Code> code) : code_(std::move(code)) {}
NameFilter::NameFilter(NameFilter&&) noexcept = default;
NameFilter::~NameFilter() = default;

absl::StatusOr<NameFilter> NameFilter::Make(std::string_view pattern) {
  if (pattern.empty()) return NameFilter(nullptr);
  auto code = std::make_unique<Code>();
  int error = 0;
  PCRE2_SIZE error_at = 0;
  code->code = pcre2_compile(Units(pattern), pattern.size(), PCRE2_UTF | PCRE2_MATCH_INVALID_UTF,
                             &error, &error_at, nullptr);
  if (code->code == nullptr) {
    std::array<PCRE2_UCHAR, 256> message = {};
    pcre2_get_error_message(error, message.data(), message.size());
    return absl::InvalidArgumentError(
        StrCat("pattern '", pattern, "': position ", error_at, ": ",
               std::string_view(reinterpret_cast<const char*>(message.data()))));
  }
  code->match = pcre2_match_data_create_from_pattern(code->code, nullptr);
  code->context = pcre2_match_context_create(nullptr);
  if (code->match == nullptr || code->context == nullptr) {
    return absl::ResourceExhaustedError("out of memory for the pattern");
  }
  pcre2_set_match_limit(code->context, kMatchLimit);
  pcre2_set_depth_limit(code->context, kMatchLimit);
  return NameFilter(std::move(code));
}

bool NameFilter::Matches(std::string_view name) const {
  if (code_ == nullptr) return true;
  return pcre2_match(code_->code, Units(name), name.size(), 0, 0, code_->match, code_->context) >=
         0;
}

}  // namespace infer
