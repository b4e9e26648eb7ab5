// SPDX-License-Identifier: Apache-2.0
#include "frontends/gguf/header.h"

#include <bit>
#include <optional>
#include <utility>

#include "frontends/gguf/byte_cursor.h"
#include "frontends/gguf/file_kind.h"
#include "frontends/gguf/limits.h"
#include "frontends/gguf/tensor_index.h"
#include "ir/base/checked_math.h"
#include "ir/base/status_macros.h"
#include "ir/base/strings.h"

namespace infer {
namespace {

// Key length, a key of one byte, value type, a value of one byte.
constexpr uint64_t kMinMetadataBytes = 8 + 1 + 4 + 1;
// Name length, a name of one byte, dimension count, one dimension, type, offset.
constexpr uint64_t kMinTensorEntryBytes = 8 + 1 + 4 + 8 + 4 + 8;

struct Counts {
  uint64_t tensors = 0;
  uint64_t metadata = 0;
};

absl::Status CheckCount(const ByteCursor& cursor, uint64_t at, std::string_view what,
                        uint64_t count, uint64_t max_count) {
  if (count <= max_count) return absl::OkStatus();
  return cursor.Invalid(at, StrCat(what, " is ", count, ", expected at most ", max_count));
}

absl::StatusOr<Counts> ReadCounts(ByteCursor& cursor) {
  Counts counts;
  const uint64_t tensors_at = cursor.offset();
  ASSIGN_OR_RETURN(counts.tensors, cursor.Read<uint64_t>("tensor count"));
  const uint64_t metadata_at = cursor.offset();
  ASSIGN_OR_RETURN(counts.metadata, cursor.Read<uint64_t>("metadata count"));
  RETURN_IF_ERROR(
      CheckCount(cursor, tensors_at, "tensor count", counts.tensors, gguf_limits::kMaxTensorCount));
  RETURN_IF_ERROR(CheckCount(cursor, metadata_at, "metadata count", counts.metadata,
                             gguf_limits::kMaxMetadataCount));
  // Cannot overflow: both counts are now below 2^17.
  const uint64_t min_bytes =
      counts.metadata * kMinMetadataBytes + counts.tensors * kMinTensorEntryBytes;
  if (min_bytes > cursor.bytes_left()) {
    return cursor.CutShort(min_bytes, StrCat("a header with ", counts.metadata, " keys and ",
                                             counts.tensors, " tensors"));
  }
  return counts;
}

absl::StatusOr<uint64_t> ReadAlignment(const Metadata& metadata) {
  constexpr std::string_view kKey = "general.alignment";
  ASSIGN_OR_RETURN(const uint64_t alignment,
                   metadata.GetUint32Or(kKey, gguf_limits::kDefaultAlignment));
  if (!std::has_single_bit(alignment) || alignment < gguf_limits::kMinAlignment ||
      alignment > gguf_limits::kMaxAlignment) {
    return metadata.InvalidValue(
        kKey, StrCat("is ", alignment, ", expected a power of two from ",
                     gguf_limits::kMinAlignment, " to ", gguf_limits::kMaxAlignment));
  }
  return alignment;
}

}  // namespace

absl::StatusOr<GgufHeader> ParseGgufHeader(std::string_view file,
                                           std::span<const std::byte> bytes) {
  RETURN_IF_ERROR(CheckFileKind(file, bytes));
  GgufHeader header;
  ByteCursor cursor(file, bytes);
  cursor.LimitTo(gguf_limits::kMaxHeaderBytes);
  cursor.set_place("header");
  RETURN_IF_ERROR(cursor.Read<uint32_t>("magic").status());
  ASSIGN_OR_RETURN(header.version, cursor.Read<uint32_t>("version"));
  ASSIGN_OR_RETURN(const Counts counts, ReadCounts(cursor));
  ASSIGN_OR_RETURN(header.metadata, Metadata::Read(cursor, counts.metadata));
  ASSIGN_OR_RETURN(header.alignment, ReadAlignment(header.metadata));
  ASSIGN_OR_RETURN(std::vector<TensorEntry> entries, ReadTensorIndex(cursor, counts.tensors));
  header.header_bytes = cursor.offset();
  const std::optional<uint64_t> data_offset = CheckedAlignUp(header.header_bytes, header.alignment);
  if (!data_offset) return cursor.Invalid(header.header_bytes, "the header is too long");
  RETURN_IF_ERROR(PlaceTensors({file, header.alignment, *data_offset, bytes.size()}, entries));
  header.tensors.reserve(entries.size());
  for (TensorEntry& entry : entries) header.tensors.push_back(std::move(entry.info));
  return header;
}

}  // namespace infer
