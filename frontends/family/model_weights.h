// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "ir/graph/builder.h"
#include "ir/program/weight_source.h"

namespace infer {

// Declares the weights of a model in a graph, each checked against the shape that the model
// requires. A weight that does not fit fails the builder.
class ModelWeights {
 public:
  ModelWeights(GraphBuilder& builder, const WeightSource& source)
      : builder_(builder), source_(source) {}

  Value Matrix(const std::string& name, int64_t rows, int64_t columns);
  // `count` matrices in one tensor.
  Value Matrices(const std::string& name, int64_t count, int64_t rows, int64_t columns);
  Value Vector(const std::string& name, int64_t elements);  // f32
  // Returns the numbers of a small f32 vector that becomes attributes of nodes.
  std::vector<double> Numbers(const std::string& name, int64_t elements);
  // Counts a tensor as used that the graph leaves out.
  void Skip(const std::string& name) { used_.insert(name); }

  // Returns an error if the file has tensors that were not declared, because their effect on the
  // result would be lost silently. `model` names the kind of model: "dense Qwen3".
  absl::Status CheckAllUsed(std::string_view model) const;

 private:
  Value MatrixOf(const std::string& name, const Shape& shape);
  const WeightInfo* Find(const std::string& name, const Shape& shape);

  GraphBuilder& builder_;
  const WeightSource& source_;
  std::set<std::string, std::less<>> used_;
};

}  // namespace infer
