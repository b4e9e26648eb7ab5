// SPDX-License-Identifier: Apache-2.0
#include "frontends/tokenizer/pretokenizer_pcre2.h"

#include <cstdint>
#include <string>
#include <utility>

#include "frontends/tokenizer/utf8.h"
#include "ir/base/strings.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

namespace infer {
namespace {

struct FreeCode {
  void operator()(pcre2_code* code) const { pcre2_code_free(code); }
};
struct FreeMatch {
  void operator()(pcre2_match_data* match) const { pcre2_match_data_free(match); }
};
using CodePtr = std::unique_ptr<pcre2_code, FreeCode>;
using MatchPtr = std::unique_ptr<pcre2_match_data, FreeMatch>;

std::string ErrorText(int error) {
  PCRE2_UCHAR buffer[256];
  int length = pcre2_get_error_message(error, buffer, sizeof(buffer));
  return length < 0 ? StrCat("PCRE2 error ", error)
                    : std::string(reinterpret_cast<const char*>(buffer), length);
}

class Pcre2Pretokenizer final : public Pretokenizer {
 public:
  explicit Pcre2Pretokenizer(CodePtr code) : code_(std::move(code)) {}

  absl::Status Split(std::string_view text,
                     absl::FunctionRef<void(std::string_view word)> emit) const override {
    MatchPtr match(pcre2_match_data_create_from_pattern(code_.get(), nullptr));
    if (match == nullptr)
      return absl::ResourceExhaustedError("out of memory while splitting text by regex");
    size_t emitted = 0;  // bytes
    for (size_t pos = 0; pos < text.size();) {
      int result = Match(text, pos, match.get());
      if (result == PCRE2_ERROR_NOMATCH) break;
      if (result < 0) {
        return absl::InvalidArgumentError(StrCat("splitting text at byte ", pos,
                                                 " by the tokenizer's regex: ", ErrorText(result)));
      }
      const PCRE2_SIZE* bounds = pcre2_get_ovector_pointer(match.get());
      size_t begin = bounds[0];
      size_t end = bounds[1];
      if (end <= begin) {  // an empty match, or \K in a look-ahead: not a word
        pos = begin < text.size() ? begin + DecodeValidUtf8(text, begin).bytes : text.size();
        continue;
      }
      if (begin > emitted) emit(text.substr(emitted, begin - emitted));
      emit(text.substr(begin, end - begin));
      emitted = pos = end;
    }
    if (emitted < text.size()) emit(text.substr(emitted));
    return absl::OkStatus();
  }

 private:
  int Match(std::string_view text, size_t pos, pcre2_match_data* match) const {
    auto subject = reinterpret_cast<PCRE2_SPTR>(text.data());
    // Without PCRE2_NO_UTF_CHECK each match would check the whole text again.
    int result =
        pcre2_match(code_.get(), subject, text.size(), pos, PCRE2_NO_UTF_CHECK, match, nullptr);
    if (result == PCRE2_ERROR_JIT_STACKLIMIT) {
      // The compiled code has a fixed stack; the interpreter allocates its own on the heap.
      result = pcre2_match(code_.get(), subject, text.size(), pos,
                           PCRE2_NO_UTF_CHECK | PCRE2_NO_JIT, match, nullptr);
    }
    return result;
  }

  CodePtr code_;
};

}  // namespace

#define INFER_SPACE \
  R"(\t-\r \x{85}\x{A0}\x{1680}\x{2000}-\x{200A}\x{2028}\x{2029}\x{202F}\x{205F}\x{3000})"
#define INFER_SPLIT(number)                                                                 \
  R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|)" number "| ?[^" INFER_SPACE    \
  R"(\p{L}\p{N}]+[\r\n]*|[)" INFER_SPACE R"(]*[\r\n]+|[)" INFER_SPACE "]+(?![^" INFER_SPACE \
  "])|[" INFER_SPACE "]+"
const std::string_view kQwen2SplitRegex = INFER_SPLIT(R"(\p{N})");
const std::string_view kLlama3SplitRegex = INFER_SPLIT(R"(\p{N}{1,3})");
#undef INFER_SPLIT
#undef INFER_SPACE

absl::StatusOr<std::unique_ptr<Pretokenizer>> MakePcre2Pretokenizer(std::string_view regex) {
  int error = 0;
  PCRE2_SIZE error_offset = 0;
  CodePtr code(pcre2_compile(reinterpret_cast<PCRE2_SPTR>(regex.data()), regex.size(),
                             PCRE2_UTF | PCRE2_UCP | PCRE2_NEVER_BACKSLASH_C, &error, &error_offset,
                             nullptr));
  if (code == nullptr) {
    return absl::InvalidArgumentError(
        StrCat("split regex, at byte ", error_offset, ": ", ErrorText(error)));
  }
  // Without JIT on this machine, or without permission for executable memory, the interpreter does
  // the same, only slower.
  pcre2_jit_compile(code.get(), PCRE2_JIT_COMPLETE);
  return std::make_unique<Pcre2Pretokenizer>(std::move(code));
}

}  // namespace infer
