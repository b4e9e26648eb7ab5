// SPDX-License-Identifier: Apache-2.0
//
// Operations on marked text that filters and methods share.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "frontends/chat/heap.h"
#include "frontends/chat/value.h"

namespace infer::chat {

// Appends the lower case of the character at byte `pos`, which depends on its place for one letter:
// a capital sigma at the end of a word.
void AppendLowerAt(std::string_view text, size_t pos, std::string* out);

enum class Case { kLower, kUpper, kCapitalize, kTitle };

// Changes the case of letters. kTitle follows str.title: a letter after a non-letter is a capital.
Value WithCase(const MarkedText& text, Case wanted, Heap& heap);

// str.replace; a negative `count` replaces all.
Value Replace(const MarkedText& text, const MarkedText& from, const MarkedText& to, int64_t count,
              Heap& heap);

}  // namespace infer::chat
