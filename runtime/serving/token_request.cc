// SPDX-License-Identifier: Apache-2.0
#include "runtime/serving/token_request.h"

namespace infer {

std::string_view Name(ChoiceEnd end) {
  constexpr std::string_view kNames[] = {"end_token", "max_tokens", "context_full",
                                         "listener",  "cancelled",  "error"};
  return kNames[static_cast<int>(end)];
}

}  // namespace infer
