// SPDX-License-Identifier: Apache-2.0
#include "frontends/tokenizer/merge_table.h"

#include <string>

#include "absl/status/status.h"
#include "absl/strings/escaping.h"
#include "absl/strings/str_format.h"
#include "frontends/tokenizer/byte_encoder.h"
#include "ir/base/status_macros.h"
#include "ir/base/strings.h"

namespace infer {
namespace {

absl::Status BadMerge(size_t rank, std::string_view merge, std::string_view problem) {
  constexpr size_t kShownBytes = 40;
  return absl::InvalidArgumentError(
      StrCat("tokenizer.ggml.merges[", rank, "] is \"",
             absl::CHexEscape(ToAbsl(merge.substr(0, kShownBytes))),
             merge.size() > kShownBytes ? "...\": " : "\": ", problem));
}

}  // namespace

absl::StatusOr<MergeTable> MergeTable::Create(const std::vector<std::string_view>& merges,
                                              const TokenIndex& index) {
  if (merges.size() > kMaxMerges) {
    return absl::InvalidArgumentError(
        StrCat("tokenizer.ggml.merges has ", merges.size(), " entries, the limit is ", kMaxMerges));
  }
  MergeTable table;
  RETURN_IF_ERROR(table.AddBytes(index));
  table.merges_.reserve(merges.size());
  for (size_t rank = 0; rank < merges.size(); ++rank) {
    RETURN_IF_ERROR(table.AddMerge(rank, merges[rank], index));
  }
  return table;
}

absl::Status MergeTable::AddBytes(const TokenIndex& index) {
  for (int byte = 0; byte < 256; ++byte) {
    std::string_view text = ByteToAlphabet(static_cast<uint8_t>(byte));
    auto it = index.find(ToAbsl(text));
    if (it == index.end()) {
      return absl::InvalidArgumentError(absl::StrFormat(
          "tokenizer.ggml.tokens has no token for the byte 0x%02X (text \"%s\"): byte-level BPE "
          "needs all 256",
          byte, text));
    }
    byte_tokens_[byte] = it->second;
  }
  return absl::OkStatus();
}

absl::Status MergeTable::AddMerge(size_t rank, std::string_view merge, const TokenIndex& index) {
  size_t space = merge.find(' ');
  if (space == std::string_view::npos || space == 0 || space + 1 == merge.size() ||
      merge.find(' ', space + 1) != std::string_view::npos) {
    return BadMerge(rank, merge, "expected two token texts with one space between them");
  }
  std::string_view left_text = merge.substr(0, space);
  std::string_view right_text = merge.substr(space + 1);
  std::string joined_text = StrCat(left_text, right_text);
  auto left = index.find(ToAbsl(left_text));
  if (left == index.end()) return BadMerge(rank, merge, "its left part is not a token");
  auto right = index.find(ToAbsl(right_text));
  if (right == index.end()) return BadMerge(rank, merge, "its right part is not a token");
  auto joined = index.find(joined_text);
  if (joined == index.end()) return BadMerge(rank, merge, "the joined text is not a token");
  auto [entry, is_new] = merges_.try_emplace(Key(left->second, right->second),
                                             Merge{static_cast<uint32_t>(rank), joined->second});
  if (!is_new) {
    return BadMerge(rank, merge, StrCat("the same merge as entry ", entry->second.rank));
  }
  return absl::OkStatus();
}

size_t MergeTable::memory_bytes() const {
  // One control byte per slot in addition to the entry.
  return merges_.capacity() * (sizeof(decltype(merges_)::value_type) + 1) + sizeof(byte_tokens_);
}

}  // namespace infer
