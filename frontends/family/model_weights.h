// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <set>
#include <string>
#include <string_view>

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
