// SPDX-License-Identifier: Apache-2.0
//
// The types of values: tensors, the batch of a call, and the cache of a layer.
#pragma once

#include <optional>
#include <string>

#include "ir/graph/dtype.h"
#include "ir/graph/shape.h"

namespace infer {

struct TensorType {
  DType dtype = DType::kF32;
  Shape shape;

  int rank() const { return shape.rank(); }
  Dim dim(int axis) const { return shape.dim(axis); }
  bool operator==(const TensorType&) const = default;
};

enum class TypeKind : uint8_t {
  kTensor,
  kBatch,  // which sequence, position and cache slot each token of the call belongs to
  kKv,     // the key/value cache of one layer
};

// For kKv the tensor part holds the cache's element type and [kv_heads, head_dim].
struct ValueType {
  TypeKind kind = TypeKind::kTensor;
  TensorType tensor;

  static ValueType Tensor(DType dtype, Shape shape) { return {TypeKind::kTensor, {dtype, shape}}; }
  static ValueType F32(Shape shape) { return Tensor(DType::kF32, shape); }
  static ValueType Batch() { return {TypeKind::kBatch, {}}; }
  static ValueType Kv(DType dtype, int64_t kv_heads, int64_t head_dim) {
    return {TypeKind::kKv, {dtype, {kv_heads, head_dim}}};
  }

  bool is_tensor() const { return kind == TypeKind::kTensor; }
  bool is_tensor(DType dtype) const { return is_tensor() && tensor.dtype == dtype; }
  int rank() const { return tensor.rank(); }
  Dim dim(int axis) const { return tensor.dim(axis); }
  bool operator==(const ValueType&) const = default;
};

std::string ToString(const ValueType& type);  // "f32[T,1024]", "batch", "kv<f16[8,128]>"

// Returns the bytes of a tensor with its symbols bound; nullopt if a row is not whole blocks or the
// size overflows.
std::optional<uint64_t> BytesAt(const TensorType& type, const SymbolValues& values);

// Returns the bytes as a function of the symbols, for cost; zero for batch and kv.
SymbolicCount CountBytes(const ValueType& type);

}  // namespace infer
