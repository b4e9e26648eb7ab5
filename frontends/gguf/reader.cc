// SPDX-License-Identifier: Apache-2.0
#include "frontends/gguf/reader.h"

#include <utility>

#include "frontends/gguf/header_hash.h"
#include "frontends/gguf/limits.h"
#include "frontends/gguf/printable.h"
#include "frontends/gguf/split.h"
#include "ir/base/status_macros.h"
#include "ir/base/strings.h"

namespace infer {
namespace {

std::string BaseName(const std::string& path) {
  const size_t slash = path.rfind('/');
  return slash == std::string::npos ? path : path.substr(slash + 1);
}

absl::Status MissingSibling(const std::string& opened, const SplitKeys& keys,
                            const std::string& missing) {
  return absl::NotFoundError(StrCat(Printable(opened), ": is file ", keys.index + 1, " of ",
                                    keys.count, ", but ", Printable(missing),
                                    " is missing; put all files of the set into one folder"));
}

}  // namespace

absl::StatusOr<std::shared_ptr<const GgufFile>> GgufFile::Open(const std::string& path) {
  std::shared_ptr<GgufFile> file(new GgufFile);
  RETURN_IF_ERROR(file->AddMapped(path));
  RETURN_IF_ERROR(file->AddSiblings(path));
  RETURN_IF_ERROR(file->IndexTensors());
  file->Identify();
  RETURN_IF_ERROR(file->Check());
  return file;
}

absl::StatusOr<std::shared_ptr<const GgufFile>> GgufFile::FromBytes(
    std::string_view name, std::span<const std::byte> bytes) {
  std::shared_ptr<GgufFile> file(new GgufFile);
  RETURN_IF_ERROR(file->AddFile(std::string(name), bytes));
  ASSIGN_OR_RETURN(const SplitKeys keys, ReadSplitKeys(file->metadata()));
  if (keys.count > 1) {
    return file->metadata().InvalidValue(
        "split.count", StrCat("is ", keys.count, ", expected 1 for a model in memory"));
  }
  RETURN_IF_ERROR(file->IndexTensors());
  file->Identify();
  return file;
}

absl::Status GgufFile::AddMapped(const std::string& path) {
  ASSIGN_OR_RETURN(MappedFile mapping, MappedFile::Open(path));
  const absl::Status added = AddFile(path, mapping.bytes());
  // A file that shrinks while it is parsed reads as zeros; report the shrinking as the cause.
  if (!added.ok()) RETURN_IF_ERROR(mapping.Check());
  RETURN_IF_ERROR(added);
  mappings_.push_back(std::move(mapping));
  return absl::OkStatus();
}

absl::Status GgufFile::AddFile(std::string path, std::span<const std::byte> bytes) {
  ASSIGN_OR_RETURN(GgufHeader header, ParseGgufHeader(path, bytes));
  files_.push_back({std::move(path), bytes, std::move(header)});
  return absl::OkStatus();
}

// Replaces the one opened file by all files of its set, in order.
absl::Status GgufFile::AddSiblings(const std::string& path) {
  ASSIGN_OR_RETURN(const SplitKeys keys, ReadSplitKeys(metadata()));
  if (keys.count == 1) return absl::OkStatus();
  const std::optional<SplitPath> split = ParseSplitPath(path);
  if (!split || split->count != keys.count) {
    return metadata().InvalidValue(
        "split.count", StrCat("is ", keys.count, ", expected a file name that ends in -00001-of-",
                              "0000N.gguf with that count; give the file its original name"));
  }
  RETURN_IF_ERROR(CheckSplitKeys(metadata(), keys, split->number, keys));
  mappings_.clear();
  files_.clear();
  SplitKeys first = keys;
  for (uint32_t number = 1; number <= keys.count; ++number) {
    const std::string sibling = SiblingPath(*split, number);
    const absl::Status added = AddMapped(sibling);
    if (absl::IsNotFound(added)) return MissingSibling(path, keys, sibling);
    RETURN_IF_ERROR(added);
    const Metadata& added_metadata = files_.back().header.metadata;
    ASSIGN_OR_RETURN(const SplitKeys found, ReadSplitKeys(added_metadata));
    if (number == 1) first = found;
    RETURN_IF_ERROR(CheckSplitKeys(added_metadata, found, number, first));
  }
  return absl::OkStatus();
}

absl::Status GgufFile::IndexTensors() {
  for (size_t i = 0; i < files_.size(); ++i) {
    for (WeightInfo& tensor : files_[i].header.tensors) {
      tensor.file = static_cast<int>(i);
      const auto [found, is_new] = index_.try_emplace(tensor.name, tensors_.size());
      if (!is_new) {
        return absl::InvalidArgumentError(StrCat(
            Printable(files_[i].path), ": byte ", tensor.offset, ": tensor ", Quoted(tensor.name),
            ": is also in ", Printable(files_[tensors_[found->second].file].path),
            "; expected each tensor once in a split set"));
      }
      tensors_.push_back(std::move(tensor));
    }
    files_[i].header.tensors.clear();
    if (tensors_.size() > gguf_limits::kMaxTensorCount) {
      return absl::InvalidArgumentError(StrCat(Printable(path()), ": the split set has more than ",
                                               gguf_limits::kMaxTensorCount,
                                               " tensors, which is the limit"));
    }
  }
  ASSIGN_OR_RETURN(const SplitKeys keys, ReadSplitKeys(metadata()));
  if (keys.tensors && static_cast<size_t>(*keys.tensors) != tensors_.size()) {
    return metadata().InvalidValue("split.tensors.count",
                                   StrCat("is ", *keys.tensors, ", but the files have ",
                                          tensors_.size(), " tensors; expected the same number"));
  }
  return absl::OkStatus();
}

void GgufFile::Identify() {
  HeaderHash hash;
  for (const File& file : files_) {
    model_ref_.files.push_back({BaseName(file.path), file.bytes.size()});
    hash.Add(file.bytes.first(file.header.header_bytes));
  }
  model_ref_.header_hash = hash.Hex();
}

const WeightInfo* GgufFile::Find(std::string_view name) const {
  const auto found = index_.find(ToAbsl(name));
  return found == index_.end() ? nullptr : &tensors_[found->second];
}

std::span<const std::byte> GgufFile::Data(const WeightInfo& tensor) const {
  if (tensor.file < 0 || static_cast<size_t>(tensor.file) >= files_.size()) return {};
  const std::span<const std::byte> bytes = files_[tensor.file].bytes;
  if (tensor.offset > bytes.size() || tensor.bytes > bytes.size() - tensor.offset) return {};
  return bytes.subspan(tensor.offset, tensor.bytes);
}

void GgufFile::Release(const WeightInfo& tensor) const {
  if (mappings_.empty() || Data(tensor).empty()) return;
  MappedFile::Release(Data(tensor));
}

void GgufFile::ReleasePart(std::span<const std::byte> part) const {
  if (!mappings_.empty()) MappedFile::Release(part);
}

void GgufFile::Prefetch(std::span<const std::byte> part) const {
  if (!mappings_.empty()) MappedFile::Prefetch(part);
}

std::vector<FileStamp> GgufFile::Stamps() const {
  std::vector<FileStamp> stamps;
  for (const MappedFile& mapping : mappings_) stamps.push_back(mapping.Stamp());
  return stamps;
}

absl::Status GgufFile::Check() const {
  for (const MappedFile& mapping : mappings_) RETURN_IF_ERROR(mapping.Check());
  return absl::OkStatus();
}

}  // namespace infer
