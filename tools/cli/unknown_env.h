// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <set>
#include <string>
#include <vector>

namespace infer {

using EnvNames = std::set<std::string>;

// Returns the names of the environment's variables that begin with INFER_.
EnvNames ProcessEnvNames();

// Returns a line for each variable in `names` that neither a flag in `own` nor one in others() has,
// with the nearest name. `others` is called only if `own` does not explain all of them.
std::vector<std::string> UnknownEnvWarnings(const EnvNames& names, const EnvNames& own,
                                            const std::function<EnvNames()>& others);

}  // namespace infer
