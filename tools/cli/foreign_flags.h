// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <string_view>

namespace infer {

// Returns what to use instead of a flag of llama.cpp that no tool here has: "-hf downloads models,
// which infer does not do; ...". Empty if the flag is unknown there too, or if the tool lacks the
// flag that the hint names. `has_flag` says whether the tool has a flag with this long name.
std::string ForeignFlagHint(std::string_view name,
                            const std::function<bool(std::string_view)>& has_flag);

}  // namespace infer
