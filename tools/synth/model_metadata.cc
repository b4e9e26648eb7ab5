// SPDX-License-Identifier: Apache-2.0
#include "tools/synth/model_metadata.h"

#include "absl/strings/str_format.h"

namespace infer {

std::string SizeLabel(uint64_t parameters) {
  const auto count = static_cast<double>(parameters);
  if (count >= 1e9) return absl::StrFormat("%.*f%s", count < 1e10 ? 1 : 0, count / 1e9, "B");
  if (count >= 1e6) return absl::StrFormat("%.*f%s", count < 1e7 ? 1 : 0, count / 1e6, "M");
  return absl::StrFormat("%.*f%s", count < 1e4 ? 1 : 0, count / 1e3, "K");
}

std::vector<GgufEntry> ModelEntries(const SynthOptions& options, uint64_t parameters) {
  const Qwen3Shape& shape = options.shape;
  return {
      StringEntry("general.architecture", "qwen3"),
      StringEntry("general.type", "model"),
      StringEntry("general.name", options.name),
      StringEntry("general.size_label", SizeLabel(parameters)),
      Uint32Entry("qwen3.block_count", shape.layers),
      Uint32Entry("qwen3.context_length", shape.context_tokens),
      Uint32Entry("qwen3.embedding_length", shape.hidden),
      Uint32Entry("qwen3.feed_forward_length", shape.feed_forward),
      Uint32Entry("qwen3.attention.head_count", shape.heads),
      Uint32Entry("qwen3.attention.head_count_kv", shape.kv_heads),
      Float32Entry("qwen3.rope.freq_base", shape.rope_base),
      Float32Entry("qwen3.attention.layer_norm_rms_epsilon", shape.rms_epsilon),
      Uint32Entry("qwen3.attention.key_length", shape.head_dim),
      Uint32Entry("qwen3.attention.value_length", shape.head_dim),
      Uint32Entry("general.file_type", options.type.file_type),
      Uint32Entry("general.quantization_version", 2),
  };
}

}  // namespace infer
