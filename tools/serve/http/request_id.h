// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace infer::http {

// Returns `proposed` if it is safe to repeat in headers and logs (1 to 64 letters, digits, '.', '_'
// and '-'), a new id otherwise.
std::string RequestId(std::string_view proposed);

}  // namespace infer::http
