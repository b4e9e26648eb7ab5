// SPDX-License-Identifier: Apache-2.0
#include "frontends/qwen3/experts.h"

#include <string_view>

#include "ir/base/status_macros.h"
#include "ir/base/strings.h"

namespace infer {
namespace {

std::string Key(std::string_view name) { return StrCat("qwen3moe.", name); }

absl::StatusOr<int64_t> Number(const Metadata& metadata, std::string_view name, int64_t max,
                               std::string_view what) {
  ASSIGN_OR_RETURN(uint32_t value, metadata.GetUint32(Key(name)));
  if (value < 1 || value > max) {
    return metadata.InvalidValue(Key(name), StrCat("is ", value, ", expected 1 to ", max, what));
  }
  return value;
}

// Keys of other models with experts, which change the result if they are not 0.
absl::Status CheckZero(const Metadata& metadata, std::string_view name) {
  if (!metadata.Has(Key(name))) return absl::OkStatus();
  ASSIGN_OR_RETURN(uint32_t value, metadata.GetUint32(Key(name)));
  if (value == 0) return absl::OkStatus();
  return metadata.InvalidValue(
      Key(name), StrCat("is ", value, ", expected 0: a Qwen3 MoE has experts of one kind"));
}

absl::Status CheckWeights(const Metadata& metadata) {
  if (metadata.Has(Key("expert_weights_norm"))) {
    ASSIGN_OR_RETURN(bool normed, metadata.GetBool(Key("expert_weights_norm")));
    if (!normed) {
      return metadata.InvalidValue(Key("expert_weights_norm"),
                                   "is false; this runtime runs Qwen3 MoE with weights of the "
                                   "chosen experts normed to sum 1");
    }
  }
  ASSIGN_OR_RETURN(float scale, metadata.GetFloat32Or(Key("expert_weights_scale"), 1.0f));
  // Converters write 0 for "no scale".
  if (scale == 1.0f || scale == 0.0f) return absl::OkStatus();
  return metadata.InvalidValue(Key("expert_weights_scale"), StrCat("is ", scale, ", expected 1"));
}

}  // namespace

absl::StatusOr<Qwen3Experts> ReadQwen3Experts(const GgufFile& file) {
  const Metadata& metadata = file.metadata();
  Qwen3Experts experts;
  ASSIGN_OR_RETURN(experts.count, Number(metadata, "expert_count", 1024, " experts"));
  ASSIGN_OR_RETURN(experts.used,
                   Number(metadata, "expert_used_count", experts.count, ", the number of experts"));
  ASSIGN_OR_RETURN(experts.feed_forward,
                   Number(metadata, "expert_feed_forward_length", 1 << 22, ""));
  for (std::string_view name :
       {"expert_shared_count", "expert_shared_feed_forward_length", "expert_group_count",
        "expert_group_used_count", "leading_dense_block_count"}) {
    RETURN_IF_ERROR(CheckZero(metadata, name));
  }
  RETURN_IF_ERROR(CheckWeights(metadata));
  if (file.Find("blk.0.ffn_gate_up_exps.weight") != nullptr) {
    return absl::InvalidArgumentError(
        StrCat(metadata.file(),
               ": tensor blk.0.ffn_gate_up_exps.weight joins the gate and up matrices of the "
               "experts; this runtime reads them apart, as ffn_gate_exps and ffn_up_exps: convert "
               "the model without merging them"));
  }
  return experts;
}

}  // namespace infer
