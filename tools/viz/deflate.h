// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace infer {

// Compresses to RFC 1951 with one block of fixed codes, as a browser's
// DecompressionStream("deflate-raw") reads it. Pages hold a megabyte of JSON in which layers
// repeat; this reduces it to a seventh.
std::string Deflate(std::string_view bytes);

}  // namespace infer
