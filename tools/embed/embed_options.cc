// SPDX-License-Identifier: Apache-2.0
#include "tools/embed/embed_options.h"

#include "ir/base/strings.h"
#include "tools/cli/exit_code.h"

namespace infer {

namespace {
constexpr int64_t kMaxSequences = 256;
}  // namespace

void RegisterFlags(Flags& flags, EmbedOptions* options) {
  RegisterModelFlags(flags, &options->model);
  RegisterPolicy(flags, &options->model);
  RegisterCallSizes(flags, &options->model);
  RegisterPackCache(flags, &options->model);
  RegisterThreads(flags, &options->model.threads);

  flags.Section("Texts");
  flags.TextList("-p,--prompt", &options->texts, "TEXT", "text");
  flags.Text("-f,--file", &options->file, "FILE", "file with a text on each line; - is stdin")
      .Default("stdin");
  flags.Bool("--jsonl", &options->jsonl,
             "each line is JSON: a string, or an object with a member text");
  flags.Text("--instruct", &options->instruction, "TEXT",
             "what the texts are searched for; makes each a query in the form of Qwen3-Embedding");

  flags.Section("Result");
  flags.Enum("--pooling", &options->pooling,
             {{"file", Pooling::kNone},
              {"last", Pooling::kLast},
              {"mean", Pooling::kMean},
              {"cls", Pooling::kCls}},
             "how the vectors of a text become one; file: as the model's file says");
  flags.Int("--dimensions", &options->dimensions, "N", "keep only the first N numbers of a vector")
      .Min(1)
      .Default("all");
  flags.Bool("--normalize", &options->normalize, "scale vectors to length 1");
  flags.Text("--rerank", &options->rerank, "QUERY",
             "score the texts as documents for this query instead");
  flags.Enum("--format", &options->format,
             {{"json", EmbedFormat::kJson}, {"csv", EmbedFormat::kCsv}, {"raw", EmbedFormat::kRaw}},
             "json as the server answers, csv lines, or raw little-endian f32");
  flags.Text("-o,--output", &options->output, "FILE", "file for the result; - is stdout");
  flags.Int("--parallel", &options->sequences, "N", "texts in a call at most").Min(1).Default("32");
  flags.Example("infer-embed -m embedding.gguf -p 'a text' --format csv", "One vector.");
  flags.Example("infer-embed -m embedding.gguf -f lines.txt --format raw -o vectors.f32",
                "A file of vectors.");
  flags.Example("infer-embed -m reranker.gguf --rerank 'who lives here?' -f lines.txt",
                "Documents by relevance.");
}

absl::Status CheckOptions(const Flags& flags, const EmbedOptions& options) {
  if (!options.texts.empty() && !options.file.empty()) {
    return UsageError("give the texts with one of -p and -f");
  }
  if (!options.texts.empty() && options.jsonl) {
    return UsageError("--jsonl is about lines of a file; remove it or -p");
  }
  if (options.sequences > kMaxSequences) {
    return UsageError(StrCat("--parallel ", options.sequences, ": at most ", kMaxSequences));
  }
  if (!options.rerank) return absl::OkStatus();
  for (const char* flag : {"--pooling", "--dimensions", "--normalize"}) {
    if (flags.Given(flag)) {
      return UsageError(std::string(flag) + " is about vectors; remove it or --rerank");
    }
  }
  return absl::OkStatus();
}

}  // namespace infer
