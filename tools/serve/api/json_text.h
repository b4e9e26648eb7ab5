// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace infer::serve {

// Appends `text` in quotes with the escapes of JSON. `text` must be valid UTF-8. The events of
// tokens are written with this, on the runner's thread, without a tree of values for each.
void AppendJsonString(std::string_view text, std::string* out);

// Appends a finite number, with as many digits as a float needs; others become -9999, as clients
// expect of probabilities of zero.
void AppendJsonNumber(float number, std::string* out);

}  // namespace infer::serve
