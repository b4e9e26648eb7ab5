// SPDX-License-Identifier: Apache-2.0
#include "tools/cli/locale_text.h"

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_replace.h"

namespace infer {

bool LocaleIsUtf8(const std::function<std::optional<std::string>(const std::string&)>& env) {
  for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    const std::string locale = absl::AsciiStrToLower(env(name).value_or(""));
    if (locale.empty()) continue;
    return absl::StrContains(locale, "utf-8") || absl::StrContains(locale, "utf8");
  }
  return false;
}

std::string InAscii(std::string text) {
  return absl::StrReplaceAll(
      text, {{"├", "|"}, {"└", "`"}, {"│", "|"}, {"─", "-"}, {"→", ">"}, {"×", "x"}});
}

}  // namespace infer
