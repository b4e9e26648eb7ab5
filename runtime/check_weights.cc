// SPDX-License-Identifier: Apache-2.0
#include "runtime/check_weights.h"

#include "ir/base/advice.h"
#include "ir/base/status_macros.h"
#include "ir/base/strings.h"

namespace infer {
namespace {

absl::Status OtherModel(std::string_view what) {
  return WithAdvice(absl::InvalidArgumentError(
                        StrCat(what, "; give the file it was compiled from, or compile this one")),
                    {Advice::kModel, Advice::kCompile});
}

absl::Status CheckFiles(const ModelRef& expected, const ModelRef& found) {
  if (expected.files.size() != found.files.size()) {
    return OtherModel(StrCat("the program was compiled from ", expected.files.size(),
                             " model files, but got ", found.files.size()));
  }
  for (size_t i = 0; i < expected.files.size(); ++i) {
    if (expected.files[i].bytes == found.files[i].bytes) continue;
    return OtherModel(StrCat("model file ", found.files[i].name, " has ", found.files[i].bytes,
                             " bytes, but the program was compiled from ", expected.files[i].name,
                             " with ", expected.files[i].bytes));
  }
  if (expected.header_hash != found.header_hash) {
    return OtherModel(StrCat("model file ", found.files[0].name, " has a different header (hash ",
                             found.header_hash, ") from the one the program was compiled from (",
                             expected.header_hash, ")"));
  }
  return absl::OkStatus();
}

absl::Status CheckWeight(const Weight& expected, const WeightSource& weights, WeightCheck check) {
  const WeightInfo* found = weights.Find(expected.FileName());
  if (found == nullptr) {
    return OtherModel(StrCat("weight ", expected.name, " is not in the model file"));
  }
  TensorType type = TypeOf(*found);
  if (type != expected.WholeType() || found->bytes != expected.WholeBytes() ||
      found->file != expected.file || found->offset != expected.offset) {
    return OtherModel(StrCat("weight ", expected.name, " is ",
                             ToString(ValueType{TypeKind::kTensor, type}), " at byte ",
                             found->offset, ", the program expects ",
                             ToString(ValueType{TypeKind::kTensor, expected.WholeType()}),
                             " at byte ", expected.offset));
  }
  bool same = weights.SampleHash(*found) == expected.sample_hash;
  if (same && check == WeightCheck::kFull && expected.full_hash.has_value()) {
    same = weights.FullHash(*found) == *expected.full_hash;
  }
  if (!same) {
    return OtherModel(
        StrCat("weight ", expected.name, " has other values than the program was compiled from"));
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status CheckWeights(const Program& program, const WeightSource& weights, WeightCheck check) {
  RETURN_IF_ERROR(CheckFiles(program.model, weights.model_ref()));
  for (const Weight& weight : program.weights) {
    RETURN_IF_ERROR(CheckWeight(weight, weights, check));
  }
  return weights.Check();
}

}  // namespace infer
