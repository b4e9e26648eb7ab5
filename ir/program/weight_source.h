// SPDX-License-Identifier: Apache-2.0
//
// The interface through which passes and runtime get weights. frontends/gguf implements it over a
// mapped file; tests implement it over vectors.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "ir/graph/dtype.h"
#include "ir/graph/value_type.h"
#include "ir/program/file_stamp.h"
#include "ir/program/model_ref.h"

namespace infer {

// A tensor of a model file, without its bytes.
struct WeightInfo {
  std::string name;
  DType dtype = DType::kF32;
  std::vector<int64_t> dims;  // outermost first: a matrix is [rows, columns], one row per output
  int file = 0;               // index into ModelRef::files
  uint64_t offset = 0;        // of the first byte, from the start of that file
  uint64_t bytes = 0;
};

inline TensorType TypeOf(const WeightInfo& weight) {
  TensorType type{weight.dtype, {}};
  for (int64_t dim : weight.dims) type.shape.Append(dim);
  return type;
}

class WeightSource {
 public:
  virtual ~WeightSource() = default;

  virtual const ModelRef& model_ref() const = 0;
  virtual std::span<const WeightInfo> weights() const = 0;
  // Returns nullptr if there is no such weight.
  virtual const WeightInfo* Find(std::string_view name) const = 0;

  // Returns the bytes of a weight, without a copy. Valid as long as the source lives.
  virtual std::span<const std::byte> Data(const WeightInfo& weight) const = 0;
  // Returns how many bytes Data would return, without reading or copying any.
  virtual uint64_t DataBytes(const WeightInfo& weight) const { return Data(weight).size(); }
  // Returns matrix `number` of a weight of rank 3, or all of another weight for number 0.
  virtual std::span<const std::byte> Matrix(const WeightInfo& weight, int64_t number) const {
    const uint64_t matrices = weight.dims.size() == 3 ? static_cast<uint64_t>(weight.dims[0]) : 1;
    const uint64_t matrix_bytes = weight.bytes / matrices;
    return Data(weight).subspan(static_cast<uint64_t>(number) * matrix_bytes, matrix_bytes);
  }
  // Returns all memory that Data points into: the mapped files, or one piece for each weight. A
  // device that shares the cpu's memory maps it in whole pages.
  virtual std::vector<std::span<const std::byte>> Mappings() const {
    std::vector<std::span<const std::byte>> pieces;
    for (const WeightInfo& weight : weights()) pieces.push_back(Data(weight));
    return pieces;
  }
  // Says that the bytes of the weight are not needed for now, so that memory that holds them may be
  // freed. They can still be read, at the cost of reading the file again.
  virtual void Release(const WeightInfo&) const {}
  // The same for a part of Data. May be called from several threads at once.
  virtual void ReleasePart(std::span<const std::byte>) const {}
  // Starts reading a part of Data that is needed soon, and does not wait for it. May be called from
  // several threads at once.
  virtual void Prefetch(std::span<const std::byte>) const {}
  // Returns the current stamps of the files, in the order of ModelRef::files; none if the weights
  // are not in files.
  virtual std::vector<FileStamp> FileStamps() const { return {}; }
  // Returns the xxh3-64 of four 4 KiB pages (first, last, two between), which detects a different
  // or damaged weight in microseconds. Weights of up to 16 KiB are hashed completely.
  virtual uint64_t SampleHash(const WeightInfo& weight) const = 0;
  // Returns the xxh3-64 of all bytes.
  virtual uint64_t FullHash(const WeightInfo& weight) const = 0;

  // Returns an error once the file has been truncated or could not be read while it was mapped:
  // anything read since then is zeros. The executor checks this after each run.
  virtual absl::Status Check() const = 0;
};

}  // namespace infer
