// SPDX-License-Identifier: Apache-2.0
#include "tools/eval/eval_options.h"

#include "ir/base/strings.h"
#include "tools/cli/exit_code.h"
#include "tools/cli/flag_text.h"

namespace infer {

void RegisterFlags(Flags& flags, EvalOptions* options) {
  RegisterModelFlags(flags, &options->model);
  RegisterPolicy(flags, &options->model);
  RegisterPackCache(flags, &options->model);
  RegisterThreads(flags, &options->model.threads);

  Flags& logits = flags.Mode("logits", "Write the logits after a list of tokens.");
  logits
      .TextList("--ids", &options->id_texts, "ID,ID",
                "token ids; each further --ids starts again with an empty cache")
      .Required();
  logits.Bool("--all-positions", &options->all_positions,
              "a row for every token, not only the last");
  logits.Text("--hidden", &options->hidden, "LAYER",
              "hidden states instead: a layer's number, embedding or final_norm");
  logits.Int("-ub,--ubatch-size", &options->chunk, "N", "tokens in a call").Min(1).Default("64");
  logits.Int("-c,--ctx-size", &options->logits_context, "N", "entries of the cache")
      .Min(1)
      .Default("the number of ids");
  logits.Enum("--kv", &options->paged, {{"contiguous", false}, {"paged", true}},
              "layout of the KV cache");
  logits
      .Text("-o,--output", &options->output, "FILE",
            "raw little-endian f32, rows x columns; - is stdout")
      .Required();

  Flags& perplexity = flags.Mode("perplexity", "Measure how well the model predicts a text.");
  perplexity.Text("-f,--file", &options->text_file, "FILE", "text").Default("stdin");
  perplexity
      .Int("-c,--ctx-size", &options->context, "N", "tokens in a window; the second half is scored")
      .Alias("--ctx")
      .Min(4);
  perplexity.Choice("--format", &options->format, {"text", "json"}, "format of the result");
  Flags& kl = flags.Mode("kl", "Measure how far the model's probabilities are from others.");
  kl.Text("--against", &options->against, "reference|FILE",
          "the others: this model by policy reference, or a file that llama.cpp's perplexity tool "
          "wrote with --kl-divergence-base")
      .Required();
  kl.Text("--of", &options->of, "FILE", "measure the probabilities of such a file instead");
  kl.Text("-f,--file", &options->text_file, "FILE", "text").Default("stdin, or that of the files");
  kl.Int("-c,--ctx-size", &options->context, "N", "tokens in a window; the second half is compared")
      .Alias("--ctx")
      .Min(4);
  kl.Choice("--format", &options->format, {"text", "json"}, "format of the result");
  flags.Example("infer-eval kl -f text.txt --against reference", "What rounding costs.");
  flags.Example("infer-eval perplexity -f text.txt --ctx 512", "Score a text.");
  flags.Example("infer-eval logits --ids 1,2,3 --all-positions -o logits.f32",
                "Look at the logits.");
}

absl::Status ReadPrompts(EvalOptions* options) {
  for (const std::string& text : options->id_texts) {
    std::vector<int32_t> ids;
    for (const std::string& word : SplitWords(text, ',')) {
      absl::StatusOr<int32_t> id = ParseInt<int32_t>(word);
      if (!id.ok()) return UsageError(StrCat("--ids: ", ToStd(id.status().message())));
      ids.push_back(*id);
    }
    if (ids.empty()) return UsageError("--ids is empty; expected token ids, such as 1,2,3");
    options->prompts.push_back(std::move(ids));
  }
  return absl::OkStatus();
}

absl::StatusOr<std::string> HiddenOrigin(const std::string& hidden) {
  if (hidden.empty()) return hidden;
  if (hidden == "embedding") return std::string("embed");
  if (hidden == "final_norm") return std::string("output/norm");
  if (absl::StatusOr<uint32_t> layer = ParseInt<uint32_t>(hidden); layer.ok()) {
    return StrCat("layer.", *layer, "/ffn/residual");
  }
  return UsageError(StrCat("--hidden '", hidden,
                           "' is unknown; expected a layer number, embedding or final_norm"));
}

}  // namespace infer
