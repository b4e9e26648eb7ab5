// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "frontends/grammar/pattern_dfa.h"

namespace infer {

// Returns the strings of a `format` of JSON Schema, or null if it is not known. Made once per
// process.
const PatternDfa* FormatDfa(std::string_view format);

// The known formats, for error messages.
std::string_view KnownFormats();

}  // namespace infer
