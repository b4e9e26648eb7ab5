// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace infer {

// Compresses to RFC 1951, as a browser's DecompressionStream("deflate-raw") reads it. Pages hold
// megabytes of JSON in which layers repeat.
std::string Deflate(std::string_view bytes);

}  // namespace infer
