// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace infer {

// Text as libedit has it, a wchar_t for each code point. What is not valid UTF-8 is replaced.
std::wstring Wide(std::string_view text);
std::string Narrow(std::wstring_view wide);

}  // namespace infer
