// SPDX-License-Identifier: Apache-2.0
#include "ir/proto/serialize_weights.h"

#include <optional>
#include <string>

#include "ir/base/status_macros.h"
#include "ir/base/strings.h"
#include "ir/graph/attr.h"
#include "ir/proto/graph_proto.h"

namespace infer {

void WeightToProto(const Weight& weight, proto::Weight* out) {
  out->set_name(weight.name);
  TypeToProto({TypeKind::kTensor, weight.type}, out->mutable_type());
  out->set_file(weight.file);
  out->set_offset(weight.offset);
  out->set_bytes(weight.bytes);
  out->set_sample_hash(weight.sample_hash);
  if (weight.full_hash) out->set_full_hash(*weight.full_hash);
  out->set_axis(weight.slice.axis);
  out->set_parts(weight.slice.parts);
  for (const std::string& layout : weight.layouts) out->add_layouts(layout);
  for (Device space : weight.spaces) out->add_spaces(EnumToProto<proto::Device>(space));
}

absl::StatusOr<Weight> WeightFromProto(const proto::Weight& in) {
  Weight weight;
  weight.name = in.name();
  absl::StatusOr<ValueType> type = TypeFromProto(in.type());
  if (!type.ok() || !type->is_tensor()) {
    return absl::InvalidArgumentError(
        StrCat("weight ", Quote(in.name()), ": ",
               type.ok() ? "is not a tensor" : std::string(ToStd(type.status().message()))));
  }
  weight.type = type->tensor;
  weight.file = in.file();
  weight.offset = in.offset();
  weight.bytes = in.bytes();
  weight.sample_hash = in.sample_hash();
  if (in.has_full_hash()) weight.full_hash = in.full_hash();
  weight.slice = {in.axis(), in.parts()};
  weight.layouts.assign(in.layouts().begin(), in.layouts().end());
  for (int space : in.spaces()) {
    ASSIGN_OR_RETURN(Device read,
                     DeviceFromProto(static_cast<proto::Device>(space), "a space of a weight"));
    weight.spaces.push_back(read);
  }
  return weight;
}

void StateToProto(const State& state, proto::State* out) {
  out->set_id(state.id);
  out->set_kind(proto::State::KV);
  out->set_layer(state.layer);
  out->set_kv_heads(state.kv_heads);
  out->set_head_dim(state.head_dim);
  out->set_dtype(std::string(Name(state.dtype)));
  out->set_layout(state.layout);
  out->set_home_space(EnumToProto<proto::Device>(state.home_space));
}

absl::StatusOr<State> StateFromProto(const proto::State& in) {
  State state;
  std::optional<DType> dtype = FindDType(in.dtype());
  if (in.kind() != proto::State::KV || !dtype) {
    return absl::InvalidArgumentError(StrCat("state ", in.id(), " has the unknown kind ",
                                             static_cast<int>(in.kind()), " or element type ",
                                             Quote(in.dtype())));
  }
  state.id = in.id();
  state.layer = in.layer();
  state.kv_heads = in.kv_heads();
  state.head_dim = in.head_dim();
  state.dtype = *dtype;
  state.layout = in.layout();
  ASSIGN_OR_RETURN(state.home_space, DeviceFromProto(in.home_space(), "the space of a state"));
  return state;
}

}  // namespace infer
