// SPDX-License-Identifier: Apache-2.0
#include "tools/gguf_inspect/gguf_inspect.h"

#include <memory>
#include <string>

#include "ir/status_macros.h"
#include "tools/cli/progress.h"
#include "tools/cli/tool.h"

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

absl::Status InspectMain(ToolContext& context) {
  InspectOptions inspect;
  VerifyOptions verify;
  HashOptions hash;
  Flags flags("gguf-inspect", "Look into a GGUF file, check it, or hash it.");
  ReportFormat format = ReportFormat::kText;
  flags.Enum(
      "--format", &format,
      {{"text", ReportFormat::kText}, {"json", ReportFormat::kJson}, {"csv", ReportFormat::kCsv}},
      "form of the output");
  flags.Positional("FILE", &inspect.path, "GGUF file; any file of a split set").Required();
  flags.Bool("--metadata", &inspect.metadata, "the key/value pairs");
  flags.Bool("--tensors", &inspect.tensors, "the tensors");
  flags.Bool("--tokenizer", &inspect.tokenizer, "the vocabulary");
  flags.Bool("--template", &inspect.chat_template, "the chat template, unchanged");
  flags.Text("--key", &inspect.key, "KEY", "one value in full");
  flags.Text("--grep", &inspect.grep, "REGEX", "only keys, tensors and tokens that match");
  Flags& verify_mode =
      flags.Mode("verify", "Check structure, bounds, overlap and for NaN or infinity.");
  verify_mode.Positional("FILE", &verify.path, "GGUF file").Required();
  Flags& hash_mode = flags.Mode("hash", "Hash the header and each tensor.");
  hash_mode.Positional("FILE", &hash.path, "GGUF file").Required();
  hash_mode.Bool("--full", &hash.full, "all bytes, not four pages of each tensor");
  flags.Example("gguf-inspect model.gguf --tensors --grep attn_q", "Some tensors.");
  flags.Example("gguf-inspect verify model.gguf", "Is the file sound?");
  ASSIGN_OR_RETURN(bool proceed, context.Parse(flags));
  if (!proceed) return absl::OkStatus();
  inspect.format = verify.format = hash.format = format;
  std::unique_ptr<Progress> progress;
  verify.progress = hash.progress = ReadingProgress(context, &progress);
  absl::StatusOr<std::string> report = flags.mode() == "verify" ? VerifyGguf(verify)
                                       : flags.mode() == "hash" ? HashGguf(hash)
                                                                : InspectGguf(inspect);
  progress.reset();
  RETURN_IF_ERROR(report.status());
  return context.out().Write(*report);
}

}  // namespace

extern const Tool kGgufInspect = {"gguf-inspect", "inspect", "Look into, check or hash a GGUF file",
                                  InspectMain};

}  // namespace infer
