// SPDX-License-Identifier: Apache-2.0
//
// str.split and its relatives. A negative `limit` is none; otherwise there are at most this many
// cuts.
#pragma once

#include <cstdint>

#include "frontends/chat/heap.h"
#include "frontends/chat/value.h"

namespace infer::chat {

// Splits at white space; pieces are never empty.
List* SplitSpaces(const MarkedText& text, int64_t limit, Heap& heap);

List* SplitAt(const MarkedText& text, const MarkedText& separator, int64_t limit, Heap& heap);
List* SplitAtFromRight(const MarkedText& text, const MarkedText& separator, int64_t limit,
                       Heap& heap);

// str.splitlines without the line ends.
List* SplitLines(const MarkedText& text, Heap& heap);

}  // namespace infer::chat
