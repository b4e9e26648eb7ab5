// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <deque>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ir/program/weight_source.h"

namespace infer::test {

// Weights in memory, in a file that does not exist.
class VectorWeights : public WeightSource {
 public:
  VectorWeights() {
    ref_.files = {{"vector.gguf", 0}};
    ref_.header_hash = std::string(32, '0');
  }

  void Add(std::string name, std::vector<int64_t> dims, const std::vector<float>& values) {
    std::vector<std::byte>& bytes = bytes_.emplace_back(values.size() * sizeof(float));
    std::memcpy(bytes.data(), values.data(), bytes.size());
    infos_.push_back({.name = std::move(name),
                      .dtype = DType::kF32,
                      .dims = std::move(dims),
                      .file = 0,
                      .offset = ref_.files[0].bytes,
                      .bytes = bytes.size()});
    ref_.files[0].bytes += bytes.size();
  }
  // What Check() says from now on.
  void Fail(absl::Status status) { status_ = std::move(status); }
  WeightInfo& info(int i) { return infos_[i]; }

  const ModelRef& model_ref() const override { return ref_; }
  std::span<const WeightInfo> weights() const override { return infos_; }
  const WeightInfo* Find(std::string_view name) const override {
    for (const WeightInfo& info : infos_) {
      if (info.name == name) return &info;
    }
    return nullptr;
  }
  std::span<const std::byte> Data(const WeightInfo& weight) const override {
    return bytes_[&weight - infos_.data()];
  }
  uint64_t SampleHash(const WeightInfo& weight) const override {
    return sample_hash_.value_or(FullHash(weight));
  }
  // What SampleHash says from now on, whatever the bytes are.
  void SetSampleHash(uint64_t hash) { sample_hash_ = hash; }
  void SetValue(std::string_view name, size_t i, float value) {
    std::memcpy(bytes_[Find(name) - infos_.data()].data() + i * sizeof(float), &value,
                sizeof(float));
  }
  uint64_t FullHash(const WeightInfo& weight) const override {
    uint64_t hash = 1;
    for (std::byte byte : Data(weight)) hash = hash * 31 + static_cast<uint64_t>(byte);
    return hash;
  }
  void Release(const WeightInfo& weight) const override { released_.push_back(weight.name); }
  absl::Status Check() const override { return status_; }
  std::vector<FileStamp> FileStamps() const override { return {stamp_}; }
  // What the system says about the file from now on.
  void SetStamp(const FileStamp& stamp) { stamp_ = stamp; }
  // In the order in which they were given back.
  const std::vector<std::string>& released() const { return released_; }

 private:
  ModelRef ref_;
  std::vector<WeightInfo> infos_;
  std::deque<std::vector<std::byte>> bytes_;
  absl::Status status_;
  std::optional<uint64_t> sample_hash_;
  FileStamp stamp_ = {.bytes = 1, .inode = 2, .modified_ns = 3, .changed_ns = 4};
  mutable std::vector<std::string> released_;
};

}  // namespace infer::test
