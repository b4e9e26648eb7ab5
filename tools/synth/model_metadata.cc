// SPDX-License-Identifier: Apache-2.0
#include "tools/synth/model_metadata.h"

#include <string>
#include <string_view>

#include "absl/strings/str_format.h"
#include "ir/base/strings.h"

namespace infer {

std::string SizeLabel(uint64_t parameters) {
  const auto count = static_cast<double>(parameters);
  if (count >= 1e9) return absl::StrFormat("%.*f%s", count < 1e10 ? 1 : 0, count / 1e9, "B");
  if (count >= 1e6) return absl::StrFormat("%.*f%s", count < 1e7 ? 1 : 0, count / 1e6, "M");
  return absl::StrFormat("%.*f%s", count < 1e4 ? 1 : 0, count / 1e3, "K");
}

namespace {

std::string_view Architecture(const ModelShape& shape) {
  switch (shape.family) {
    case SynthFamily::kQwen3:
      return shape.experts == 0 ? "qwen3" : "qwen3moe";
    case SynthFamily::kQwen2:
      return "qwen2";
    case SynthFamily::kLlama:
      return "llama";
  }
  return "";
}

}  // namespace

std::vector<GgufEntry> ModelEntries(const SynthOptions& options, uint64_t parameters) {
  const ModelShape& shape = options.shape;
  const std::string_view architecture = Architecture(shape);
  auto key = [&](std::string_view name) { return StrCat(architecture, ".", name); };
  std::vector<GgufEntry> entries = {
      StringEntry("general.architecture", architecture),
      StringEntry("general.type", "model"),
      StringEntry("general.name", options.name),
      StringEntry("general.size_label", SizeLabel(parameters)),
      Uint32Entry(key("block_count"), shape.layers),
      Uint32Entry(key("context_length"), shape.context_tokens),
      Uint32Entry(key("embedding_length"), shape.hidden),
      Uint32Entry(key("feed_forward_length"), shape.feed_forward),
      Uint32Entry(key("attention.head_count"), shape.heads),
      Uint32Entry(key("attention.head_count_kv"), shape.kv_heads),
      Float32Entry(key("rope.freq_base"), shape.rope_base),
      Float32Entry(key("attention.layer_norm_rms_epsilon"), shape.rms_epsilon),
      Uint32Entry(key("attention.key_length"), shape.head_dim),
      Uint32Entry(key("attention.value_length"), shape.head_dim),
  };
  if (shape.family == SynthFamily::kLlama) {
    entries.push_back(Uint32Entry(key("rope.dimension_count"), shape.head_dim));
  }
  if (shape.experts > 0) {
    entries.push_back(Uint32Entry(key("expert_used_count"), shape.experts_used));
    entries.push_back(Uint32Entry(key("expert_count"), shape.experts));
    entries.push_back(Uint32Entry(key("expert_feed_forward_length"), shape.expert_feed_forward));
  }
  entries.push_back(Uint32Entry("general.file_type", options.type.file_type));
  entries.push_back(Uint32Entry("general.quantization_version", 2));
  return entries;
}

}  // namespace infer
