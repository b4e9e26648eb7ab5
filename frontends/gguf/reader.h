// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "frontends/gguf/header.h"
#include "frontends/gguf/mapped_file.h"
#include "frontends/gguf/metadata.h"
#include "ir/program/file_stamp.h"
#include "ir/program/model_ref.h"
#include "ir/program/weight_source.h"

namespace infer {

// A GGUF model in one file or in a split set, opened and fully checked: every tensor lies inside
// its file, is aligned, and overlaps no other. The files stay mapped for the lifetime of the
// object; only keys and names are copied.
class GgufFile {
 public:
  // `path` may name any file of a split set; the others are searched next to it.
  static absl::StatusOr<std::shared_ptr<const GgufFile>> Open(const std::string& path);
  // The same for bytes in memory, which must outlive the result. Single files only.
  static absl::StatusOr<std::shared_ptr<const GgufFile>> FromBytes(
      std::string_view name, std::span<const std::byte> bytes);

  // The path given to Open(); for a split set, that of the first file.
  const std::string& path() const { return files_[0].path; }
  uint32_t version() const { return files_[0].header.version; }
  // For a split set, that of the first file.
  const Metadata& metadata() const { return files_[0].header.metadata; }
  const ModelRef& model_ref() const { return model_ref_; }

  std::span<const WeightInfo> tensors() const { return tensors_; }
  // Returns nullptr if there is no such tensor.
  const WeightInfo* Find(std::string_view name) const;
  // Returns the bytes that `tensor` describes; none if they do not lie inside the files.
  std::span<const std::byte> Data(const WeightInfo& tensor) const;

  // Frees the memory of the tensor's pages, if the file is mapped.
  void Release(const WeightInfo& tensor) const;

  void ReleasePart(std::span<const std::byte> part) const;
  // Starts reading a part of a tensor's bytes, if the file is mapped.
  void Prefetch(std::span<const std::byte> part) const;
  // Returns the current stamps of the files; none for a model in memory.
  std::vector<FileStamp> Stamps() const;

  struct File {
    std::string path;
    std::span<const std::byte> bytes;
    GgufHeader header;  // its tensors are moved to GgufFile::tensors()
  };
  std::span<const File> files() const { return files_; }

  // Returns kDataLoss once the length of a file has changed since it was opened, or a file could
  // not be read.
  absl::Status Check() const;

 private:
  GgufFile() = default;
  absl::Status AddMapped(const std::string& path);
  absl::Status AddSiblings(const std::string& path);
  absl::Status AddFile(std::string path, std::span<const std::byte> bytes);
  absl::Status IndexTensors();
  void Identify();

  std::vector<MappedFile> mappings_;
  std::vector<File> files_;
  std::vector<WeightInfo> tensors_;
  absl::flat_hash_map<std::string, size_t> index_;
  ModelRef model_ref_;
};

}  // namespace infer
