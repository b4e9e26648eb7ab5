// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tools/synth/gguf_entry.h"
#include "tools/synth/synth.h"

namespace infer {

// Returns the general.* and qwen3.* entries, in the order of llama.cpp's converter.
std::vector<GgufEntry> ModelEntries(const SynthOptions& options, uint64_t parameters);

// Returns a parameter count in the converter's short form: 541K, 5.8M, 752M, 8.2B.
std::string SizeLabel(uint64_t parameters);

}  // namespace infer
