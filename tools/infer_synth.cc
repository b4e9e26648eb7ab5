// SPDX-License-Identifier: Apache-2.0
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "ir/base/status_macros.h"
#include "ir/base/strings.h"
#include "tools/cli/exit_code.h"
#include "tools/cli/progress.h"
#include "tools/cli/tool.h"
#include "tools/synth/shapes.h"
#include "tools/synth/synth.h"
#include "tools/synth/weight_type.h"

namespace infer {
namespace {

struct SynthFlags {
  std::string shape = "0.6b";
  std::string type = "q8_0";
  std::optional<uint32_t> layers, hidden, heads, kv_heads, head_dim, feed_forward, context;
  std::optional<uint32_t> experts, experts_used, expert_feed_forward;
  std::optional<double> rope_base, eps;
  bool tied = false;
  bool untied = false;
};

std::vector<std::string> ShapeNames() {
  std::vector<std::string> names;
  for (const NamedShape& shape : AllShapes()) names.emplace_back(shape.name);
  return names;
}

std::vector<std::string> TypeNames() {
  std::vector<std::string> names;
  for (const WeightType& type : AllWeightTypes()) names.emplace_back(type.name);
  return names;
}

void RegisterSynthFlags(Flags& flags, SynthFlags* options, SynthOptions* synth) {
  flags.Text("-o,--output", &synth->output_path, "FILE", "GGUF file to write").Required();
  flags.Int("-s,--seed", &synth->seed, "N", "the same seed gives the same bytes");
  flags.Choice("--type", &options->type, TypeNames(), "type of the weights, or a mix");

  flags.Section("Shape");
  flags.Choice("--shape", &options->shape, ShapeNames(), "a published Qwen3, Qwen2.5 or Llama 3");
  flags.Int("--layers", &options->layers, "N", "layers").Default("the shape's");
  flags.Int("--hidden", &options->hidden, "N", "hidden size").Default("the shape's");
  flags.Int("--heads", &options->heads, "N", "query heads").Default("the shape's");
  flags.Int("--kv-heads", &options->kv_heads, "N", "key/value heads").Default("the shape's");
  flags.Int("--head-dim", &options->head_dim, "N", "size of a head").Default("the shape's");
  flags.Int("--ff", &options->feed_forward, "N", "feed-forward size").Default("the shape's");
  flags.Int("--experts", &options->experts, "N", "experts of a layer; 0: dense")
      .Default("the shape's");
  flags.Int("--experts-used", &options->experts_used, "N", "experts of a token")
      .Default("the shape's");
  flags.Int("--expert-ff", &options->expert_feed_forward, "N", "feed-forward size of an expert")
      .Default("the shape's");
  flags.Int("--context", &options->context, "N", "trained positions").Default("the shape's");
  flags.Float("--rope-base", &options->rope_base, "X", "rope base").Default("the shape's");
  flags.Float("--eps", &options->eps, "X", "norm epsilon").Default("the shape's");
  flags.Bool("--tied", &options->tied, "use the token matrix as the output matrix too");
  flags.Bool("--untied", &options->untied, "a separate output matrix");

  flags.Section("Vocabulary");
  flags.Enum("--vocab", &synth->vocabulary_kind,
             {{"own", VocabularyKind::kOwn},
              {"small", VocabularyKind::kSmall},
              {"qwen3", VocabularyKind::kQwen3}},
             "a vocabulary of the model's size, one token per byte, or of Qwen3's size");
  flags.Text("--vocab-file", &synth->vocabulary_file, "FILE",
             "GGUF file whose tokenizer is copied");
  flags.Int("--vocab-size", &synth->vocabulary_tokens, "N", "rows of the token matrix")
      .Default("512 or the shape's");
  flags.Example("infer-synth --shape 0.6b --type q8_0 -o q3-0.6b.gguf", "Qwen3-0.6B's shapes.");
  flags.Example("infer-synth --shape 30b-a3b --layers 4 --type q4_k_m -o a3b.gguf",
                "Four layers of Qwen3-30B-A3B.");
  flags.Example(
      "infer-synth --layers 2 --hidden 128 --heads 4 --kv-heads 2 --head-dim 32 --ff 320 "
      "--vocab small -o toy.gguf",
      "A toy.");
}

template <class T, class U>
void Override(const std::optional<T>& given, U* number) {
  if (given) *number = static_cast<U>(*given);
}

// Fills in the shape and type that the flags name; returns usage errors.
absl::Status CompleteOptions(const SynthFlags& options, SynthOptions* synth) {
  if (options.tied && options.untied)
    return UsageError("--tied and --untied contradict each other; give one of them");
  if (synth->output_path == "-")
    return UsageError("-o -: a model cannot be written to stdout; name a file");
  synth->name = StrCat("synth-", options.shape);
  synth->shape = *FindShape(options.shape);
  synth->type = *FindWeightType(options.type);
  Override(options.layers, &synth->shape.layers);
  Override(options.hidden, &synth->shape.hidden);
  Override(options.heads, &synth->shape.heads);
  Override(options.kv_heads, &synth->shape.kv_heads);
  Override(options.head_dim, &synth->shape.head_dim);
  Override(options.feed_forward, &synth->shape.feed_forward);
  Override(options.experts, &synth->shape.experts);
  Override(options.experts_used, &synth->shape.experts_used);
  Override(options.expert_feed_forward, &synth->shape.expert_feed_forward);
  Override(options.context, &synth->shape.context_tokens);
  Override(options.rope_base, &synth->shape.rope_base);
  Override(options.eps, &synth->shape.rms_epsilon);
  if (options.tied || options.untied) synth->shape.tied = options.tied;
  absl::Status valid = CheckSynthOptions(*synth);
  return AsUsageError(valid);
}

absl::Status SynthMain(ToolContext& context) {
  SynthFlags options;
  SynthOptions synth;
  Flags flags("infer-synth",
              "Write a model with random weights and the shapes of a published model.");
  RegisterSynthFlags(flags, &options, &synth);
  ASSIGN_OR_RETURN(bool proceed, context.Parse(flags));
  if (!proceed) return absl::OkStatus();
  RETURN_IF_ERROR(CompleteOptions(options, &synth));
  std::unique_ptr<Progress> progress;
  auto on_progress = [&](const SynthProgress& done) {
    if (!progress) {
      progress =
          std::make_unique<Progress>(&context.console(), "writing", done.file_bytes, "bytes");
    }
    progress->Update(done.written_bytes);
    return !context.interrupt().requested();
  };
  // From here on a signal is only noticed: the writer removes its unfinished file.
  RETURN_IF_ERROR(context.interrupt().Check());
  absl::Status written = WriteSynthModel(synth, on_progress);
  progress.reset();
  RETURN_IF_ERROR(written);
  context.console().Info(StrCat("wrote ", synth.output_path));
  return absl::OkStatus();
}

}  // namespace

extern const Tool kInferSynth = {"infer-synth", "synth", "Write a model with random weights",
                                 SynthMain};

}  // namespace infer
