// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "frontends/gguf/reader.h"
#include "ir/program/weight_source.h"

namespace infer {

// The tensors of a GGUF model as weights. Shares the opened file with its other users.
class GgufWeights : public WeightSource {
 public:
  explicit GgufWeights(std::shared_ptr<const GgufFile> file) : file_(std::move(file)) {}

  const ModelRef& model_ref() const override { return file_->model_ref(); }
  std::span<const WeightInfo> weights() const override { return file_->tensors(); }
  const WeightInfo* Find(std::string_view name) const override { return file_->Find(name); }
  std::span<const std::byte> Data(const WeightInfo& weight) const override {
    return file_->Data(weight);
  }
  std::vector<std::span<const std::byte>> Mappings() const override {
    std::vector<std::span<const std::byte>> files;
    for (const GgufFile::File& file : file_->files()) files.push_back(file.bytes);
    return files;
  }
  void Release(const WeightInfo& weight) const override { file_->Release(weight); }
  void ReleasePart(std::span<const std::byte> part) const override { file_->ReleasePart(part); }
  void Prefetch(std::span<const std::byte> part) const override { file_->Prefetch(part); }
  std::vector<FileStamp> FileStamps() const override { return file_->Stamps(); }
  uint64_t SampleHash(const WeightInfo& weight) const override;
  uint64_t FullHash(const WeightInfo& weight) const override;
  absl::Status Check() const override { return file_->Check(); }

 private:
  std::shared_ptr<const GgufFile> file_;
};

}  // namespace infer
