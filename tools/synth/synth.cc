// SPDX-License-Identifier: Apache-2.0
#include "tools/synth/synth.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "absl/status/statusor.h"
#include "ir/base/status_macros.h"
#include "ir/base/strings.h"
#include "tools/synth/gguf_stream_writer.h"
#include "tools/synth/model_metadata.h"
#include "tools/synth/random_blocks.h"
#include "tools/synth/synthetic_vocabulary.h"
#include "tools/synth/tensor_plan.h"
#include "tools/synth/vocabulary.h"
#include "tools/synth/vocabulary_file.h"

namespace infer {
namespace {

// Large enough that system calls cost nothing, small enough to stay in the last-level cache until
// written.
constexpr uint64_t kChunkBytes = 4u << 20;

uint32_t VocabularyTokens(const SynthOptions& options) {
  if (options.vocabulary_tokens != 0) return options.vocabulary_tokens;
  switch (options.vocabulary_kind) {
    case VocabularyKind::kOwn:
      return options.shape.vocabulary_tokens;
    case VocabularyKind::kSmall:
      return kSmallVocabularyTokens;
    case VocabularyKind::kQwen3:
      return ModelShape().vocabulary_tokens;
  }
  return 0;
}

struct ValueRange {
  std::string_view flag;
  uint32_t value;
  uint32_t max;
};

absl::Status CheckRange(const ValueRange& range) {
  if (range.value >= 1 && range.value <= range.max) return absl::OkStatus();
  return absl::InvalidArgumentError(
      StrCat(range.flag, " is ", range.value, "; it must be from 1 to ", range.max));
}

absl::Status CheckExperts(const ModelShape& shape) {
  if (shape.family != SynthFamily::kQwen3) {
    return absl::InvalidArgumentError(
        StrCat("--experts is ", shape.experts, "; only the shapes of Qwen3 can have experts"));
  }
  RETURN_IF_ERROR(CheckRange({"--experts", shape.experts, 1024}));
  RETURN_IF_ERROR(CheckRange({"--experts-used", shape.experts_used, shape.experts}));
  return CheckRange({"--expert-ff", shape.expert_feed_forward, 1u << 22});
}

// The maxima are tens of times beyond any published shape and keep a single row or the tensor list
// from exhausting memory.
absl::Status CheckRanges(const SynthOptions& options) {
  const ModelShape& shape = options.shape;
  const ValueRange ranges[] = {
      {"--layers", shape.layers, 4096},
      {"--hidden", shape.hidden, 1u << 20},
      {"--heads", shape.heads, 4096},
      {"--kv-heads", shape.kv_heads, 4096},
      {"--head-dim", shape.head_dim, 8192},
      {"--ff", shape.feed_forward, 1u << 22},
      {"--context", shape.context_tokens, 1u << 30},
      {"--vocab-size", VocabularyTokens(options), 1u << 24},
  };
  if (shape.experts > 0) RETURN_IF_ERROR(CheckExperts(shape));
  for (const ValueRange& range : ranges) RETURN_IF_ERROR(CheckRange(range));
  return absl::OkStatus();
}

absl::StatusOr<std::vector<GgufTensor>> CheckedPlan(const SynthOptions& options) {
  const ModelShape& shape = options.shape;
  RETURN_IF_ERROR(CheckRanges(options));
  if (shape.heads % shape.kv_heads != 0) {
    return absl::InvalidArgumentError(StrCat("--heads is ", shape.heads,
                                             "; it must be a multiple of --kv-heads, which is ",
                                             shape.kv_heads));
  }
  if (shape.head_dim % 2 != 0) {
    return absl::InvalidArgumentError(
        StrCat("--head-dim is ", shape.head_dim, "; rope rotates pairs, so it must be even"));
  }
  if (!std::isfinite(shape.rope_base) || shape.rope_base <= 0) {
    return absl::InvalidArgumentError(
        StrCat("--rope-base is ", shape.rope_base, "; it must be a finite number above 0"));
  }
  if (!std::isfinite(shape.rms_epsilon) || shape.rms_epsilon < 0) {
    return absl::InvalidArgumentError(
        StrCat("--eps is ", shape.rms_epsilon, "; it must be a finite number of at least 0"));
  }
  if (!options.vocabulary_file.empty() && options.vocabulary_kind == VocabularyKind::kSmall) {
    return absl::InvalidArgumentError("--vocab-file applies to --vocab own, not to small");
  }
  if (!SupportsRandomBlocks(options.type.dtype)) {
    return absl::InvalidArgumentError(
        StrCat("--type ", options.type.name, ": random blocks of this type are not supported"));
  }
  return PlanTensors(shape, options.type, VocabularyTokens(options));
}

absl::StatusOr<SynthVocabulary> MakeVocabulary(const SynthOptions& options) {
  std::unique_ptr<VocabularySource> source;
  if (options.vocabulary_kind == VocabularyKind::kSmall) {
    source = std::make_unique<SmallVocabulary>();
  } else if (!options.vocabulary_file.empty()) {
    source = std::make_unique<VocabularyFile>(options.vocabulary_file);
  } else if (options.vocabulary_kind == VocabularyKind::kOwn &&
             options.shape.family == SynthFamily::kLlama) {
    source = std::make_unique<Llama3SizedVocabulary>(options.seed);
  } else {
    source = std::make_unique<Qwen3SizedVocabulary>(options.seed);
  }
  ASSIGN_OR_RETURN(SynthVocabulary vocabulary, source->Load());
  RETURN_IF_ERROR(PadVocabulary(VocabularyTokens(options), &vocabulary));
  return vocabulary;
}

// Of all its matrices.
uint64_t RowsOf(const GgufTensor& tensor) {
  uint64_t rows = 1;
  for (size_t i = 1; i < tensor.dims.size(); ++i) rows *= tensor.dims[i];
  return rows;
}

class ModelWriter {
 public:
  ModelWriter(GgufStreamWriter& file, uint64_t seed, const SynthProgressFn& progress)
      : file_(file), seed_(seed), progress_(progress) {}

  absl::Status Write(const GgufTensor& tensor) {
    const uint64_t key = StreamKey(seed_, tensor.name);
    if (tensor.dims.size() == 1) {
      chunk_.resize(tensor.dims[0] * sizeof(float));
      if (tensor.name.ends_with(".bias")) {
        FillBias(key, chunk_);
      } else {
        FillNorm(key, chunk_);
      }
      return Append(tensor, chunk_);
    }
    const RandomRows rows(tensor.dtype, tensor.dims[0], key);
    const uint64_t row_bytes = rows.row_bytes();
    const uint64_t chunk_rows = std::max<uint64_t>(1, kChunkBytes / row_bytes);
    chunk_.resize(chunk_rows * row_bytes);
    const uint64_t num_rows = RowsOf(tensor);
    for (uint64_t first = 0; first < num_rows; first += chunk_rows) {
      const uint64_t count = std::min(chunk_rows, num_rows - first);
      const std::span<std::byte> bytes = std::span(chunk_).first(count * row_bytes);
      for (uint64_t i = 0; i < count; ++i) {
        rows.Fill(first + i, bytes.subspan(i * row_bytes, row_bytes));
      }
      RETURN_IF_ERROR(Append(tensor, bytes));
    }
    return absl::OkStatus();
  }

 private:
  absl::Status Append(const GgufTensor& tensor, std::span<const std::byte> bytes) {
    RETURN_IF_ERROR(file_.Append(bytes));
    if (!progress_ || progress_({file_.written_bytes(), file_.file_bytes(), tensor.name})) {
      return absl::OkStatus();
    }
    return absl::CancelledError("stopped before the file was complete; nothing was kept");
  }

  GgufStreamWriter& file_;
  uint64_t seed_;
  const SynthProgressFn& progress_;
  std::vector<std::byte> chunk_;
};

uint64_t CountParameters(std::span<const GgufTensor> tensors) {
  uint64_t parameters = 0;
  for (const GgufTensor& tensor : tensors) {
    parameters += tensor.dims[0] * RowsOf(tensor);
  }
  return parameters;
}

}  // namespace

absl::Status CheckSynthOptions(const SynthOptions& options) {
  return CheckedPlan(options).status();
}

absl::Status WriteSynthModel(const SynthOptions& options, const SynthProgressFn& progress) {
  ASSIGN_OR_RETURN(std::vector<GgufTensor> tensors, CheckedPlan(options));
  ASSIGN_OR_RETURN(SynthVocabulary vocabulary, MakeVocabulary(options));
  std::vector<GgufEntry> entries = ModelEntries(options, CountParameters(tensors));
  for (GgufEntry& entry : VocabularyEntries(vocabulary)) entries.push_back(std::move(entry));
  ASSIGN_OR_RETURN(std::unique_ptr<GgufStreamWriter> file,
                   GgufStreamWriter::Create(options.output_path, entries, tensors));
  ModelWriter writer(*file, options.seed, progress);
  for (const GgufTensor& tensor : tensors) RETURN_IF_ERROR(writer.Write(tensor));
  return file->Finish();
}

}  // namespace infer
