// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace infer {

// RFC 1951, one block of fixed codes: what a browser's DecompressionStream("deflate-raw") reads.
// Pages hold a megabyte of JSON in which layers repeat; this makes a seventh of it.
std::string Deflate(std::string_view bytes);

}  // namespace infer
