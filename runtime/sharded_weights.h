// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "ir/program/program.h"
#include "ir/program/weight_source.h"
#include "runtime/collective.h"

namespace infer {

// Returns an error unless the Program is for as many ranks as `transport` connects: one if it is
// null.
absl::Status CheckRanks(const Program& program, const Collective* transport);

// The weights of a divided Program as one rank sees them: its parts under the names that the
// Program gives them. A part along the first axis is a part of the mapped file. Other parts lie in
// many places there: matrices of rank 3 are read one by one, and where a kernel needs more, a copy
// is made and kept until it is released. Thread-safe.
class ShardedWeights final : public WeightSource {
 public:
  // `whole` must outlive this object. Returns kInvalidArgument if it lacks a weight of the Program.
  static absl::StatusOr<std::unique_ptr<ShardedWeights>> Create(const WeightSource& whole,
                                                                const Program& program, int rank);

  const ModelRef& model_ref() const override { return whole_.model_ref(); }
  std::span<const WeightInfo> weights() const override { return infos_; }
  const WeightInfo* Find(std::string_view name) const override;
  std::span<const std::byte> Data(const WeightInfo& weight) const override;
  uint64_t DataBytes(const WeightInfo& weight) const override { return weight.bytes; }
  std::span<const std::byte> Matrix(const WeightInfo& weight, int64_t number) const override;
  std::vector<std::span<const std::byte>> Mappings() const override { return whole_.Mappings(); }
  void Release(const WeightInfo& weight) const override;
  void ReleasePart(std::span<const std::byte> part) const override;
  void Prefetch(std::span<const std::byte> part) const override;
  std::vector<FileStamp> FileStamps() const override { return whole_.FileStamps(); }
  uint64_t SampleHash(const WeightInfo& weight) const override;
  uint64_t FullHash(const WeightInfo& weight) const override;
  absl::Status Check() const override { return whole_.Check(); }

 private:
  struct Part {
    const WeightInfo* whole = nullptr;
    WeightSlice slice;
    std::unique_ptr<std::byte[]> copy;  // of a part that lies in many places
  };

  ShardedWeights(const WeightSource& whole, int rank) : whole_(whole), rank_(rank) {}
  Part& PartOf(const WeightInfo& weight) const { return parts_.find(weight.name)->second; }
  bool IsInFile(const Part& part) const { return part.slice.parts == 0 || part.slice.axis == 0; }
  std::span<const std::byte> InFile(const WeightInfo& weight, const Part& part) const;
  bool IsCopy(std::span<const std::byte> bytes) const;

  const WeightSource& whole_;
  const int rank_;
  std::vector<WeightInfo> infos_;  // ascending by name
  mutable std::mutex mutex_;       // of the copies
  mutable std::map<std::string, Part, std::less<>> parts_;
};

}  // namespace infer
