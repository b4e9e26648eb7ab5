// SPDX-License-Identifier: Apache-2.0
#include "absl/strings/numbers.h"
#include "ir/base/status_macros.h"
#include "ir/base/strings.h"
#include "ir/graph/attr.h"
#include "ir/proto/graph_proto.h"

namespace infer {
namespace {

proto::Range RangeToProto(const Range& range) {
  proto::Range out;
  out.set_min(range.min);
  out.set_max(range.max);
  return out;
}

}  // namespace

std::optional<Dim> ParseDim(const std::string& text) {
  if (std::optional<Symbol> symbol = FindSymbol(text)) return Dim(*symbol);
  int64_t value = 0;
  if (!absl::SimpleAtoi(text, &value) || value < 1 || value > kMaxDim ||
      ToString(Dim(value)) != text) {
    return std::nullopt;
  }
  return Dim(value);
}

void TypeToProto(const ValueType& type, proto::Type* out) {
  out->set_kind(EnumToProto<proto::Type::Kind>(type.kind));
  if (type.kind == TypeKind::kBatch) return;
  out->set_dtype(std::string(Name(type.tensor.dtype)));
  for (Dim dim : type.tensor.shape) out->add_dims(ToString(dim));
}

absl::StatusOr<ValueType> TypeFromProto(const proto::Type& in) {
  ASSIGN_OR_RETURN(TypeKind kind, EnumFromProto(in.kind(), TypeKind::kKv, "the kind of a type"));
  if (kind == TypeKind::kBatch) {
    if (in.dtype().empty() && in.dims().empty()) return ValueType::Batch();
    return absl::InvalidArgumentError("a batch has no element type and no dimensions");
  }
  std::optional<DType> dtype = FindDType(in.dtype());
  if (!dtype) {
    return absl::InvalidArgumentError(StrCat("unknown element type ", Quote(in.dtype())));
  }
  if (in.dims_size() > Shape::kMaxRank) {
    return absl::InvalidArgumentError(
        StrCat("a type has ", in.dims_size(), " dimensions, expected at most ", Shape::kMaxRank));
  }
  ValueType type = {kind, {*dtype, {}}};
  for (const std::string& text : in.dims()) {
    std::optional<Dim> dim = ParseDim(text);
    if (!dim) {
      return absl::InvalidArgumentError(StrCat("a type has the dimension ", Quote(text),
                                               ", expected T, R, S or a number from 1 to ",
                                               kMaxDim));
    }
    type.tensor.shape.Append(*dim);
  }
  return type;
}

void SymbolsToProto(const SymbolRanges& symbols, proto::Symbols* out) {
  *out->mutable_t() = RangeToProto(symbols[Symbol::kT]);
  *out->mutable_r() = RangeToProto(symbols[Symbol::kR]);
  *out->mutable_s() = RangeToProto(symbols[Symbol::kS]);
}

SymbolRanges SymbolsFromProto(const proto::Symbols& in) {
  SymbolRanges symbols;
  symbols[Symbol::kT] = {in.t().min(), in.t().max()};
  symbols[Symbol::kR] = {in.r().min(), in.r().max()};
  symbols[Symbol::kS] = {in.s().min(), in.s().max()};
  return symbols;
}

}  // namespace infer
