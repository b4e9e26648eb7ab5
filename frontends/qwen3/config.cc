// SPDX-License-Identifier: Apache-2.0
#include "frontends/qwen3/config.h"

#include <cstdint>
#include <string_view>

#include "frontends/gguf/printable.h"
#include "ir/base/status_macros.h"
#include "ir/base/strings.h"

namespace infer {
namespace {

absl::Status CheckArchitecture(const Metadata& metadata, std::string_view architecture) {
  ASSIGN_OR_RETURN(std::string_view found, metadata.GetString("general.architecture"));
  if (found == architecture) return absl::OkStatus();
  return metadata.InvalidValue(
      "general.architecture",
      StrCat("the model is of architecture ", Quoted(found),
             "; this runtime runs \"qwen3\" (dense Qwen3): convert or download such a file"));
}

// The name of a key of the file's architecture, which was checked.
std::string Key(const Metadata& metadata, std::string_view name) {
  return StrCat(metadata.GetString("general.architecture").value_or(""), ".", name);
}

absl::StatusOr<int64_t> Number(const Metadata& metadata, std::string_view name, int64_t max) {
  ASSIGN_OR_RETURN(uint32_t value, metadata.GetUint32(Key(metadata, name)));
  if (value < 1 || value > max) {
    return metadata.InvalidValue(Key(metadata, name),
                                 StrCat("is ", value, ", expected 1 to ", max));
  }
  return value;
}

absl::StatusOr<int64_t> NumberOr(const Metadata& metadata, std::string_view name, int64_t max,
                                 int64_t fallback) {
  if (!metadata.Has(Key(metadata, name))) return fallback;
  return Number(metadata, name, max);
}

// Reads a number that must lie strictly between the limits.
absl::StatusOr<double> Real(const Metadata& metadata, std::string_view name, double fallback,
                            double above, double below) {
  ASSIGN_OR_RETURN(float value,
                   metadata.GetFloat32Or(Key(metadata, name), static_cast<float>(fallback)));
  if (!(value > above && value < below)) {
    return metadata.InvalidValue(
        Key(metadata, name),
        StrCat("is ", value, ", expected a number between ", above, " and ", below));
  }
  return value;
}

absl::Status ReadHeads(const Metadata& metadata, Qwen3Config* config) {
  constexpr int64_t kMaxHeads = 1024, kMaxHeadDim = 1024;
  ASSIGN_OR_RETURN(config->heads, Number(metadata, "attention.head_count", kMaxHeads));
  ASSIGN_OR_RETURN(config->kv_heads,
                   NumberOr(metadata, "attention.head_count_kv", kMaxHeads, config->heads));
  if (config->heads % config->kv_heads != 0) {
    return metadata.InvalidValue(Key(metadata, "attention.head_count_kv"),
                                 StrCat("is ", config->kv_heads, ", which does not divide the ",
                                        config->heads, " query heads"));
  }
  bool has_key_length = metadata.Has(Key(metadata, "attention.key_length"));
  if (!has_key_length && config->hidden % config->heads != 0) {
    return metadata.InvalidValue(
        Key(metadata, "attention.head_count"),
        StrCat("is ", config->heads, ", which does not divide the embedding length ",
               config->hidden, ", and there is no attention.key_length"));
  }
  ASSIGN_OR_RETURN(config->head_dim, NumberOr(metadata, "attention.key_length", kMaxHeadDim,
                                              config->hidden / config->heads));
  if (config->head_dim < 2 || config->head_dim > kMaxHeadDim || config->head_dim % 2 != 0) {
    return metadata.InvalidValue(Key(metadata, "attention.key_length"),
                                 StrCat("gives a head size of ", config->head_dim,
                                        ", expected an even number from 2 to 1024"));
  }
  for (std::string_view same : {"attention.value_length", "rope.dimension_count"}) {
    ASSIGN_OR_RETURN(int64_t value, NumberOr(metadata, same, kMaxHeadDim, config->head_dim));
    if (value != config->head_dim) {
      return metadata.InvalidValue(
          Key(metadata, same), StrCat("is ", value, ", but the head size is ", config->head_dim));
    }
  }
  return absl::OkStatus();
}

// The keys that llama.cpp's converter writes for `rope_scaling` of types linear and yarn.
absl::Status ReadRope(const Metadata& metadata, Qwen3Config* config) {
  constexpr double kMax = 1e30;
  ops::RopeParams& rope = config->rope;
  ASSIGN_OR_RETURN(rope.base, Real(metadata, "rope.freq_base", 10000.0, 0, kMax));
  // A factor without a type is linear scaling; without either, linear scaling by 1 means no
  // scaling.
  ASSIGN_OR_RETURN(std::string_view type,
                   metadata.GetStringOr(Key(metadata, "rope.scaling.type"), "linear"));
  if (type == "none") return absl::OkStatus();
  if (type != "linear" && type != "yarn") {
    return metadata.InvalidValue(Key(metadata, "rope.scaling.type"),
                                 StrCat("is ", Quoted(type), ", expected none, linear or yarn"));
  }
  ASSIGN_OR_RETURN(double factor, Real(metadata, "rope.scaling.factor", 1.0, 0, kMax));
  rope.freq_scale = 1.0 / factor;
  if (type == "linear") return absl::OkStatus();
  ASSIGN_OR_RETURN(rope.original_context, NumberOr(metadata, "rope.scaling.original_context_length",
                                                   INT32_MAX, config->context));
  ASSIGN_OR_RETURN(rope.ext_factor,
                   Real(metadata, "rope.scaling.yarn_ext_factor", 1.0, -kMax, kMax));
  ASSIGN_OR_RETURN(double attn, Real(metadata, "rope.scaling.attn_factor", 1.0, 0, kMax));
  ASSIGN_OR_RETURN(double yarn_attn, Real(metadata, "rope.scaling.yarn_attn_factor", 1.0, 0, kMax));
  rope.attn_factor = attn * yarn_attn;
  ASSIGN_OR_RETURN(rope.beta_fast, Real(metadata, "rope.scaling.yarn_beta_fast", 32.0, 0, kMax));
  ASSIGN_OR_RETURN(rope.beta_slow, Real(metadata, "rope.scaling.yarn_beta_slow", 1.0, 0, kMax));
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<Qwen3Config> ReadQwen3Config(const GgufFile& file, std::string_view architecture) {
  const Metadata& metadata = file.metadata();
  RETURN_IF_ERROR(CheckArchitecture(metadata, architecture));
  Qwen3Config config;
  ASSIGN_OR_RETURN(std::string_view name,
                   metadata.GetStringOr("general.name", file.model_ref().files[0].name));
  config.name = Printable(name);  // it is shown in messages
  ASSIGN_OR_RETURN(config.layers, Number(metadata, "block_count", 1024));
  ASSIGN_OR_RETURN(config.context, Number(metadata, "context_length", INT32_MAX));
  ASSIGN_OR_RETURN(config.hidden, Number(metadata, "embedding_length", 1 << 20));
  ASSIGN_OR_RETURN(config.feed_forward, Number(metadata, "feed_forward_length", 1 << 22));
  RETURN_IF_ERROR(ReadHeads(metadata, &config));
  RETURN_IF_ERROR(metadata.GetFloat32(Key(metadata, "attention.layer_norm_rms_epsilon")).status());
  ASSIGN_OR_RETURN(config.eps, Real(metadata, "attention.layer_norm_rms_epsilon", 0, 0, 1));
  RETURN_IF_ERROR(ReadRope(metadata, &config));
  const WeightInfo* tokens = file.Find("token_embd.weight");
  if (tokens == nullptr) {
    return absl::InvalidArgumentError(
        StrCat(metadata.file(),
               ": tensor token_embd.weight is "
               "missing; the file does not contain a complete model"));
  }
  config.vocabulary = tokens->dims[0];
  config.tied = file.Find("output.weight") == nullptr;
  return config;
}

}  // namespace infer
