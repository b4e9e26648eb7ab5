// SPDX-License-Identifier: Apache-2.0
#include "frontends/gguf/tensor_index.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "frontends/gguf/limits.h"
#include "frontends/gguf/printable.h"
#include "ir/base/checked_math.h"
#include "ir/base/status_macros.h"
#include "ir/base/strings.h"
#include "ir/graph/dtype.h"

namespace infer {
namespace {

absl::StatusOr<std::string_view> ReadName(ByteCursor& cursor) {
  const uint64_t at = cursor.offset();
  ASSIGN_OR_RETURN(const std::string_view name,
                   cursor.ReadString("tensor name", gguf_limits::kMaxTensorNameBytes));
  if (name.empty()) return cursor.Invalid(at, "tensor name is empty, expected 1 to 64 bytes");
  if (const size_t nul = name.find('\0'); nul != std::string_view::npos) {
    return cursor.Invalid(at, StrCat("tensor name ", Quoted(name), " has a NUL at position ", nul,
                                     ", expected none"));
  }
  return name;
}

// Reads the dimensions outermost first, the reverse of the file's order. Sets `elements` to their
// product.
absl::StatusOr<std::vector<int64_t>> ReadDims(ByteCursor& cursor, uint64_t& elements) {
  const uint64_t at = cursor.offset();
  ASSIGN_OR_RETURN(const uint32_t count, cursor.Read<uint32_t>("number of dimensions"));
  if (count < 1 || count > gguf_limits::kMaxDims) {
    return cursor.Invalid(
        at, StrCat("number of dimensions is ", count, ", expected 1 to ", gguf_limits::kMaxDims));
  }
  std::vector<int64_t> dims(count);
  elements = 1;
  for (uint32_t i = 0; i < count; ++i) {
    const uint64_t dim_at = cursor.offset();
    ASSIGN_OR_RETURN(const uint64_t dim, cursor.Read<uint64_t>("dimension"));
    if (dim < 1 || dim > gguf_limits::kMaxDim) {
      return cursor.Invalid(
          dim_at, StrCat("dimension ", i, " is ", dim, ", expected 1 to ", gguf_limits::kMaxDim));
    }
    // Below 2^40 before and 2^31 each time, so it cannot wrap; checked nevertheless.
    const std::optional<uint64_t> product = CheckedMul(elements, dim);
    if (!product || *product > gguf_limits::kMaxElements) {
      return cursor.Invalid(at, StrCat("the dimensions have more than ", gguf_limits::kMaxElements,
                                       " elements, expected fewer"));
    }
    elements = *product;
    dims[count - 1 - i] = static_cast<int64_t>(dim);
  }
  return dims;
}

std::string KnownTypes() {
  std::string list;
  for (const DTypeInfo& info : AllDTypes()) {
    StrAppend(&list, list.empty() ? "" : ", ", info.name);
  }
  return list;
}

absl::StatusOr<DType> ReadDType(ByteCursor& cursor) {
  const uint64_t at = cursor.offset();
  ASSIGN_OR_RETURN(const uint32_t id, cursor.Read<uint32_t>("tensor type"));
  if (const std::optional<DType> dtype = DTypeFromGguf(id)) return *dtype;
  if (const char* removed = RemovedGgufTypeName(id)) {
    return cursor.Invalid(at, StrCat("tensor type is ", id, " (", removed,
                                     ", since removed from the format), expected one of ",
                                     KnownTypes(), "; convert the model again"));
  }
  return cursor.Invalid(at,
                        StrCat("tensor type id ", id, " is unknown, expected one of ", KnownTypes(),
                               "; the file is damaged or newer than this "
                               "program"));
}

absl::StatusOr<TensorEntry> ReadEntry(ByteCursor& cursor, uint64_t index, uint64_t count) {
  TensorEntry entry;
  entry.entry_offset = cursor.offset();
  cursor.set_place(StrCat("tensor entry ", index + 1, " of ", count));
  ASSIGN_OR_RETURN(const std::string_view name, ReadName(cursor));
  cursor.set_place(StrCat("tensor ", Quoted(name)));
  entry.info.name = std::string(name);
  uint64_t elements = 0;
  ASSIGN_OR_RETURN(entry.info.dims, ReadDims(cursor, elements));
  const uint64_t type_at = cursor.offset();
  ASSIGN_OR_RETURN(entry.info.dtype, ReadDType(cursor));
  const DTypeInfo& type = Info(entry.info.dtype);
  const auto row_elements = static_cast<uint64_t>(entry.info.dims.back());
  if (row_elements % type.block_elements != 0) {
    return cursor.Invalid(type_at,
                          StrCat("rows have ", row_elements, " elements of type ", type.name,
                                 ", expected a multiple of its block of ", type.block_elements));
  }
  const std::optional<uint64_t> bytes = BytesFor(entry.info.dtype, elements);
  if (!bytes) return cursor.Invalid(type_at, "the number of bytes does not fit in 64 bits");
  entry.info.bytes = *bytes;
  entry.offset_field = cursor.offset();
  ASSIGN_OR_RETURN(entry.info.offset, cursor.Read<uint64_t>("data offset"));
  return entry;
}

absl::Status TensorError(const DataSection& section, const TensorEntry& entry,
                         std::string_view message) {
  return absl::InvalidArgumentError(StrCat(Printable(section.file), ": byte ", entry.offset_field,
                                           ": tensor ", Quoted(entry.info.name), ": ", message));
}

// The data extends past the end of the file: nearly always an interrupted download.
absl::Status CutShortError(const DataSection& section, const TensorEntry& entry,
                           uint64_t needed_bytes) {
  return absl::DataLossError(
      StrCat(Printable(section.file), ": byte ", entry.offset_field, ": tensor ",
             Quoted(entry.info.name), ": its ", entry.info.bytes, " bytes at byte ",
             entry.info.offset, " need a file of ", needed_bytes, " bytes, but it has ",
             section.file_bytes, "; the download was interrupted or the file is damaged"));
}

absl::Status RefuseOverlap(const DataSection& section, const std::vector<TensorEntry>& entries) {
  std::vector<const TensorEntry*> by_offset;
  by_offset.reserve(entries.size());
  for (const TensorEntry& entry : entries) by_offset.push_back(&entry);
  std::sort(by_offset.begin(), by_offset.end(), [](const TensorEntry* a, const TensorEntry* b) {
    return std::pair(a->info.offset, a->entry_offset) < std::pair(b->info.offset, b->entry_offset);
  });
  for (size_t i = 1; i < by_offset.size(); ++i) {
    const WeightInfo& before = by_offset[i - 1]->info;
    const WeightInfo& after = by_offset[i]->info;
    if (after.offset >= before.offset + before.bytes) continue;
    return TensorError(
        section, *by_offset[i],
        StrCat("its data at byte ", after.offset, " overlaps tensor ", Quoted(before.name),
               ", which ends at byte ", before.offset + before.bytes, "; expected no overlap"));
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::vector<TensorEntry>> ReadTensorIndex(ByteCursor& cursor, uint64_t count) {
  std::vector<TensorEntry> entries;
  absl::flat_hash_map<std::string, uint64_t> first_seen;
  for (uint64_t i = 0; i < count; ++i) {
    ASSIGN_OR_RETURN(TensorEntry entry, ReadEntry(cursor, i, count));
    const auto [found, is_new] = first_seen.try_emplace(entry.info.name, entry.entry_offset);
    if (!is_new) {
      return cursor.Invalid(entry.entry_offset, StrCat("name appears twice, first at byte ",
                                                       found->second, "; expected each once"));
    }
    entries.push_back(std::move(entry));
  }
  return entries;
}

absl::Status PlaceTensors(const DataSection& section, std::vector<TensorEntry>& entries) {
  const TensorEntry* last = nullptr;
  uint64_t needed_bytes = 0;
  for (TensorEntry& entry : entries) {
    if (entry.info.offset % section.alignment != 0) {
      return TensorError(section, entry,
                         StrCat("data offset ", entry.info.offset,
                                " is not a multiple of the alignment ", section.alignment));
    }
    const std::optional<uint64_t> begin = CheckedAdd(section.offset, entry.info.offset);
    const std::optional<uint64_t> end = begin ? CheckedAdd(*begin, entry.info.bytes) : std::nullopt;
    if (!end) {
      return TensorError(
          section, entry,
          StrCat("data offset ", entry.info.offset,
                 " is out of range, expected less than the file's ", section.file_bytes, " bytes"));
    }
    entry.info.offset = *begin;
    if (*end > needed_bytes) {
      needed_bytes = *end;
      last = &entry;
    }
  }
  if (needed_bytes > section.file_bytes) return CutShortError(section, *last, needed_bytes);
  return RefuseOverlap(section, entries);
}

}  // namespace infer
