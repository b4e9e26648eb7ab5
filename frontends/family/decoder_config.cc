// SPDX-License-Identifier: Apache-2.0
#include "frontends/family/decoder_config.h"

#include <cstdint>
#include <iterator>

#include "frontends/gguf/printable.h"
#include "ir/base/status_macros.h"
#include "ir/base/strings.h"

namespace infer {
namespace {

constexpr int64_t kMaxLabels = 64;

// The keys of one architecture.
class Keys {
 public:
  Keys(const Metadata& metadata, std::string_view architecture)
      : metadata_(metadata), architecture_(architecture) {}

  std::string Key(std::string_view name) const { return StrCat(architecture_, ".", name); }
  bool Has(std::string_view name) const { return metadata_.Has(Key(name)); }
  absl::Status Invalid(std::string_view name, std::string_view message) const {
    return metadata_.InvalidValue(Key(name), message);
  }
  const Metadata& metadata() const { return metadata_; }

  absl::Status CheckArchitecture() const {
    ASSIGN_OR_RETURN(std::string_view found, metadata_.GetString("general.architecture"));
    if (found == architecture_) return absl::OkStatus();
    return metadata_.InvalidValue("general.architecture",
                                  StrCat("the model is of architecture ", Quoted(found),
                                         ", expected \"", architecture_, "\""));
  }

  absl::StatusOr<int64_t> Number(std::string_view name, int64_t max) const {
    ASSIGN_OR_RETURN(uint32_t value, metadata_.GetUint32(Key(name)));
    if (value < 1 || value > max) {
      return Invalid(name, StrCat("is ", value, ", expected 1 to ", max));
    }
    return value;
  }

  absl::StatusOr<int64_t> NumberOr(std::string_view name, int64_t max, int64_t fallback) const {
    if (!Has(name)) return fallback;
    return Number(name, max);
  }

  // Reads a number that must lie strictly between the limits.
  absl::StatusOr<double> Real(std::string_view name, double fallback, double above,
                              double below) const {
    ASSIGN_OR_RETURN(float value, metadata_.GetFloat32Or(Key(name), static_cast<float>(fallback)));
    if (!(value > above && value < below)) {
      return Invalid(name,
                     StrCat("is ", value, ", expected a number between ", above, " and ", below));
    }
    return value;
  }

 private:
  const Metadata& metadata_;
  std::string_view architecture_;
};

absl::Status ReadHeads(const Keys& keys, DecoderConfig* config) {
  constexpr int64_t kMaxHeads = 1024, kMaxHeadDim = 1024;
  ASSIGN_OR_RETURN(config->heads, keys.Number("attention.head_count", kMaxHeads));
  ASSIGN_OR_RETURN(config->kv_heads,
                   keys.NumberOr("attention.head_count_kv", kMaxHeads, config->heads));
  if (config->heads % config->kv_heads != 0) {
    return keys.Invalid("attention.head_count_kv",
                        StrCat("is ", config->kv_heads, ", which does not divide the ",
                               config->heads, " query heads"));
  }
  bool has_key_length = keys.Has("attention.key_length");
  if (!has_key_length && config->hidden % config->heads != 0) {
    return keys.Invalid(
        "attention.head_count",
        StrCat("is ", config->heads, ", which does not divide the embedding length ",
               config->hidden, ", and there is no attention.key_length"));
  }
  ASSIGN_OR_RETURN(config->head_dim, keys.NumberOr("attention.key_length", kMaxHeadDim,
                                                   config->hidden / config->heads));
  if (config->head_dim < 2 || config->head_dim > kMaxHeadDim || config->head_dim % 2 != 0) {
    return keys.Invalid("attention.key_length", StrCat("gives a head size of ", config->head_dim,
                                                       ", expected an even number from 2 to 1024"));
  }
  for (std::string_view same : {"attention.value_length", "rope.dimension_count"}) {
    ASSIGN_OR_RETURN(int64_t value, keys.NumberOr(same, kMaxHeadDim, config->head_dim));
    if (value != config->head_dim) {
      return keys.Invalid(same, StrCat("is ", value, ", but the head size is ", config->head_dim));
    }
  }
  return absl::OkStatus();
}

// The keys that llama.cpp's converter writes for `rope_scaling` of types linear and yarn.
absl::Status ReadRope(const Keys& keys, DecoderConfig* config) {
  constexpr double kMax = 1e30;
  ops::RopeParams& rope = config->rope;
  ASSIGN_OR_RETURN(rope.base, keys.Real("rope.freq_base", 10000.0, 0, kMax));
  // A factor without a type is linear scaling; without either, linear scaling by 1 means no
  // scaling.
  ASSIGN_OR_RETURN(std::string_view type,
                   keys.metadata().GetStringOr(keys.Key("rope.scaling.type"), "linear"));
  if (type == "none") return absl::OkStatus();
  if (type != "linear" && type != "yarn") {
    return keys.Invalid("rope.scaling.type",
                        StrCat("is ", Quoted(type), ", expected none, linear or yarn"));
  }
  ASSIGN_OR_RETURN(double factor, keys.Real("rope.scaling.factor", 1.0, 0, kMax));
  rope.freq_scale = 1.0 / factor;
  if (type == "linear") return absl::OkStatus();
  ASSIGN_OR_RETURN(rope.original_context, keys.NumberOr("rope.scaling.original_context_length",
                                                        INT32_MAX, config->context));
  ASSIGN_OR_RETURN(rope.ext_factor, keys.Real("rope.scaling.yarn_ext_factor", 1.0, -kMax, kMax));
  ASSIGN_OR_RETURN(double attn, keys.Real("rope.scaling.attn_factor", 1.0, 0, kMax));
  ASSIGN_OR_RETURN(double yarn_attn, keys.Real("rope.scaling.yarn_attn_factor", 1.0, 0, kMax));
  rope.attn_factor = attn * yarn_attn;
  ASSIGN_OR_RETURN(rope.beta_fast, keys.Real("rope.scaling.yarn_beta_fast", 32.0, 0, kMax));
  ASSIGN_OR_RETURN(rope.beta_slow, keys.Real("rope.scaling.yarn_beta_slow", 1.0, 0, kMax));
  return absl::OkStatus();
}

// pooling_type and the names of a classifier's outputs.
absl::Status ReadPooling(const GgufFile& file, const Keys& keys, DecoderConfig* config) {
  if (keys.Has("pooling_type")) {
    ASSIGN_OR_RETURN(uint32_t type, keys.metadata().GetUint32(keys.Key("pooling_type")));
    if (type > static_cast<uint32_t>(Pooling::kRank)) {
      return keys.Invalid("pooling_type",
                          StrCat("is ", type, ", expected 0 to 4 (none, mean, cls, last, rank)"));
    }
    config->pooling = static_cast<Pooling>(type);
  }
  const WeightInfo* classifier = file.Find("cls.output.weight");
  if (classifier == nullptr) return absl::OkStatus();
  ASSIGN_OR_RETURN(std::vector<std::string_view> labels,
                   keys.metadata().GetStrings(keys.Key("classifier.output_labels")));
  if (labels.empty() || std::ssize(labels) > kMaxLabels) {
    return keys.Invalid("classifier.output_labels",
                        StrCat("has ", labels.size(), " labels, expected 1 to ", kMaxLabels));
  }
  for (std::string_view label : labels) config->labels.push_back(Printable(label));
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<DecoderConfig> ReadDecoderConfig(const GgufFile& file,
                                                std::string_view architecture) {
  const Metadata& metadata = file.metadata();
  const Keys keys(metadata, architecture);
  RETURN_IF_ERROR(keys.CheckArchitecture());
  DecoderConfig config;
  ASSIGN_OR_RETURN(std::string_view name,
                   metadata.GetStringOr("general.name", file.model_ref().files[0].name));
  config.name = Printable(name);  // it is shown in messages
  ASSIGN_OR_RETURN(config.layers, keys.Number("block_count", 1024));
  ASSIGN_OR_RETURN(config.context, keys.Number("context_length", INT32_MAX));
  ASSIGN_OR_RETURN(config.hidden, keys.Number("embedding_length", 1 << 20));
  ASSIGN_OR_RETURN(config.feed_forward, keys.Number("feed_forward_length", 1 << 22));
  RETURN_IF_ERROR(ReadHeads(keys, &config));
  constexpr std::string_view kEps = "attention.layer_norm_rms_epsilon";
  RETURN_IF_ERROR(metadata.GetFloat32(keys.Key(kEps)).status());
  ASSIGN_OR_RETURN(config.eps, keys.Real(kEps, 0, 0, 1));
  RETURN_IF_ERROR(ReadRope(keys, &config));
  RETURN_IF_ERROR(ReadPooling(file, keys, &config));
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

ModelConfig PublicPart(const DecoderConfig& config) {
  return {.name = config.name,
          .layers = config.layers,
          .vocabulary = config.vocabulary,
          .context = config.context,
          .hidden = config.hidden,
          .pooling = config.pooling,
          .labels = config.labels};
}

}  // namespace infer
