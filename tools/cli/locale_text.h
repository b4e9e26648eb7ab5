// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <string>

namespace infer {

// Returns whether the locale that the environment asks for has UTF-8: LC_ALL, else LC_CTYPE, else
// LANG, of which the first that is set and not empty counts. Without any it is "C", which has not.
bool LocaleIsUtf8(const std::function<std::optional<std::string>(const std::string&)>& env);

// Returns a text in which the characters that reports draw with (lines of trees, arrows, ×) are
// replaced by ASCII of the same width.
std::string InAscii(std::string text);

}  // namespace infer
