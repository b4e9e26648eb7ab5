// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <span>
#include <string_view>
#include <vector>

#include "ir/graph/graph.h"
#include "ir/program/weight_source.h"

namespace infer::test {

// Returns `elements` numbers between -1 and 1 encoded as f32, f16, bf16 or q8_0; the same seed
// gives the same bytes on every machine. For any other type, fails the running test and returns
// zeros.
std::vector<std::byte> RandomBytesOf(DType dtype, int64_t elements, uint64_t seed);

// The weights that some graphs name, without a file behind them. The bytes of a weight depend on
// its name, its type and the seed, so that two graphs that name it read the same bytes.
class RandomWeights : public WeightSource {
 public:
  explicit RandomWeights(uint64_t seed);
  // Adds those weights of the graph that are missing.
  void AddWeightsOf(const Graph& graph);

  const ModelRef& model_ref() const override { return ref_; }
  std::span<const WeightInfo> weights() const override { return infos_; }
  const WeightInfo* Find(std::string_view name) const override;
  std::span<const std::byte> Data(const WeightInfo& weight) const override;
  uint64_t SampleHash(const WeightInfo& weight) const override { return FullHash(weight); }
  uint64_t FullHash(const WeightInfo& weight) const override;
  absl::Status Check() const override { return absl::OkStatus(); }

 private:
  uint64_t seed_;
  ModelRef ref_;
  std::vector<WeightInfo> infos_;
  std::deque<std::vector<std::byte>> bytes_;  // of each weight
};

}  // namespace infer::test
