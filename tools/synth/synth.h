// SPDX-License-Identifier: Apache-2.0
//
// infer-synth: a GGUF file with the shapes and metadata of a published model and random weights.
// Nobody can download weights in a test, and speed does not depend on their values.
//
//   flag                              field
//   --shape 0.6b|...|llama3.1-70b     shape (FindShape), name
//   --type q8_0|...|q4_k_m            type (FindWeightType)
//   --vocab own|small|qwen3           vocabulary_kind
//   --vocab-file F                    vocabulary_file
//   --vocab-size N                    vocabulary_tokens
//   --layers --hidden --heads --kv-heads --head-dim --ff N, --tied | --untied, --rope-base X,
//   --eps X, --context N              the fields of shape of those names
//   -s SEED, -o F                     seed, output_path
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "tools/synth/shapes.h"
#include "tools/synth/weight_type.h"

namespace infer {

enum class VocabularyKind : uint8_t {
  kOwn,    // vocabulary_file's tokenizer; without a file, a generated one of the family's size
  kSmall,  // one token for each byte and seven special ones
  kQwen3,  // as kOwn of Qwen3, whatever the family
};

inline constexpr uint32_t kSmallVocabularyTokens = 512;

struct SynthOptions {
  std::string name = "synth";  // general.name
  ModelShape shape;
  WeightType type;
  VocabularyKind vocabulary_kind = VocabularyKind::kOwn;
  uint32_t vocabulary_tokens = 0;  // rows of the token matrix; 0 means the number of the kind above
  std::string vocabulary_file;     // a GGUF file; not with kSmall
  uint64_t seed = 0;
  std::string output_path;
};

struct SynthProgress {
  uint64_t written_bytes = 0;
  uint64_t file_bytes = 0;
  std::string_view tensor;  // the one being written
};

// Called after each chunk of at most a few MiB; returning false stops the work.
using SynthProgressFn = std::function<bool(const SynthProgress&)>;

// Returns kInvalidArgument, naming the number or the tensor, if no model can have these numbers.
// Reads and writes nothing, so a command line can treat its error as a usage error.
absl::Status CheckSynthOptions(const SynthOptions& options);

// Writes options.output_path, complete or not at all. The same options give the same bytes on every
// machine. Returns kCancelled if `progress` (which may be empty) returned false,
// kFailedPrecondition if the file cannot be written, including a full disk.
absl::Status WriteSynthModel(const SynthOptions& options, const SynthProgressFn& progress = {});

}  // namespace infer
