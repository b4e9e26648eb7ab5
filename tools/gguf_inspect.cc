// SPDX-License-Identifier: Apache-2.0
#include "tools/gguf_inspect/gguf_inspect.h"

#include <memory>
#include <string>

#include "ir/base/status_macros.h"
#include "ir/base/strings.h"
#include "tools/cli/exit_code.h"
#include "tools/cli/progress.h"
#include "tools/cli/tool.h"
#include "tools/gguf_inspect/name_filter.h"

namespace infer {
namespace {

// Shows the bytes read so far.
InspectProgress ReadingProgress(ToolContext& context, std::unique_ptr<Progress>* progress) {
  return [&context, progress](uint64_t done, uint64_t total) {
    if (!*progress) {
      *progress = std::make_unique<Progress>(&context.console(), "reading", total, "bytes");
    }
    (*progress)->Update(done);
  };
}

struct InspectFlags {
  InspectOptions inspect;
  VerifyOptions verify;
  HashOptions hash;
  ReportFormat format = ReportFormat::kText;
};

void RegisterInspectFlags(Flags& flags, InspectFlags* options) {
  InspectOptions* inspect = &options->inspect;
  flags.Enum(
      "--format", &options->format,
      {{"text", ReportFormat::kText}, {"json", ReportFormat::kJson}, {"csv", ReportFormat::kCsv}},
      "format of the output");
  flags.Positional("FILE", &inspect->path, "GGUF file; any file of a split set").Required();
  flags.Bool("--metadata", &inspect->metadata, "the key/value pairs");
  flags.Bool("--tensors", &inspect->tensors, "the tensors");
  flags.Bool("--tokenizer", &inspect->tokenizer, "the vocabulary");
  flags.Bool("--template", &inspect->chat_template, "the chat template, unchanged");
  flags.Text("--key", &inspect->key, "KEY", "one value in full");
  flags.Text("--grep", &inspect->grep, "REGEX", "only keys, tensors and tokens that match");
  Flags& verify =
      flags.Mode("verify", "Check structure, bounds and overlap, and look for NaN and infinity.");
  verify.Positional("FILE", &options->verify.path, "GGUF file").Required();
  Flags& hash = flags.Mode("hash", "Hash the header and each tensor.");
  hash.Positional("FILE", &options->hash.path, "GGUF file").Required();
  hash.Bool("--full", &options->hash.full, "all bytes, not four pages of each tensor");
  flags.Example("gguf-inspect model.gguf --tensors --grep attn_q", "Some tensors.");
  flags.Example("gguf-inspect verify model.gguf", "Is the file valid?");
}

// Checks for errors that do not depend on the file.
absl::Status CheckInspect(const InspectOptions& inspect, ReportFormat format) {
  if (absl::StatusOr<NameFilter> filter = NameFilter::Make(inspect.grep); !filter.ok()) {
    return UsageError(StrCat("--grep: ", ToStd(filter.status().message())));
  }
  int tables = inspect.metadata + inspect.tensors + inspect.tokenizer;
  if (format == ReportFormat::kCsv && inspect.key.empty() && !inspect.chat_template &&
      tables != 1) {
    return UsageError(
        "--format csv holds one table; choose one of --metadata, --tensors and --tokenizer");
  }
  return absl::OkStatus();
}

absl::StatusOr<std::string> Report(const std::string& mode, const InspectFlags& options) {
  if (mode == "verify") return VerifyGguf(options.verify);
  if (mode == "hash") return HashGguf(options.hash);
  return InspectGguf(options.inspect);
}

absl::Status InspectMain(ToolContext& context) {
  InspectFlags options;
  Flags flags("gguf-inspect", "Look into a GGUF file, check it, or hash it.");
  RegisterInspectFlags(flags, &options);
  ASSIGN_OR_RETURN(bool proceed, context.Parse(flags));
  if (!proceed) return absl::OkStatus();
  RETURN_IF_ERROR(
      CheckInspect(options.inspect, flags.mode().empty() ? options.format : ReportFormat::kText));
  options.inspect.format = options.verify.format = options.hash.format = options.format;
  std::unique_ptr<Progress> progress;
  options.verify.progress = options.hash.progress = ReadingProgress(context, &progress);
  absl::StatusOr<std::string> report = Report(flags.mode(), options);
  progress.reset();
  RETURN_IF_ERROR(report.status());
  return context.out().Write(*report);
}

}  // namespace

extern const Tool kGgufInspect = {"gguf-inspect", "inspect", "Look into, check or hash a GGUF file",
                                  InspectMain};

}  // namespace infer
