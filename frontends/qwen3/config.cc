// SPDX-License-Identifier: Apache-2.0
#include "frontends/qwen3/config.h"

namespace infer {

absl::StatusOr<Qwen3Config> ReadQwen3Config(const GgufFile& file, std::string_view architecture) {
  return ReadDecoderConfig(file, architecture);
}

}  // namespace infer
