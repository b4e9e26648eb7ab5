// SPDX-License-Identifier: Apache-2.0
#include <optional>
#include <string>
#include <vector>

#include "frontends/tokenizer/from_gguf.h"
#include "ir/base/status_macros.h"
#include "ir/base/strings.h"
#include "tools/api/input.h"
#include "tools/api/model_file.h"
#include "tools/cli/exit_code.h"
#include "tools/cli/tool.h"
#include "tools/tokenize/accepts.h"
#include "tools/tokenize/render_chat.h"
#include "tools/tokenize/tokenize.h"

namespace infer {
namespace {

struct TokenizeFlags {
  std::string model;
  std::string input;
  std::optional<std::string> text;
  std::string file;
  std::optional<std::string> decode;
  std::string chat;
  std::string chat_template;
  std::vector<std::string> template_args;
  bool ids = false;
  bool no_special = false;
  std::string format = "text";
  AcceptsOptions accepts;
};

void RegisterTokenizeFlags(Flags& flags, TokenizeFlags* options) {
  flags.Text("-m,--model", &options->model, "FILE", "GGUF file").Default("the bundled model");
  flags.Text("-p,--prompt", &options->text, "TEXT", "text").Default("stdin");
  flags.Text("-f,--file", &options->file, "FILE", "file with the text; - is stdin");
  flags.Positional("FILE", &options->input, "file with the text; - is stdin");
  flags.Text("--decode", &options->decode, "ID,ID", "print the text of these ids instead");
  flags.Text("--chat", &options->chat, "FILE",
             "render a conversation with the model's template: a JSON object with messages, tools "
             "and other variables of the template, or an array of messages; - is stdin");
  flags.Text("--chat-template", &options->chat_template, "FILE", "template for --chat")
      .Default("the model's");
  flags.TextList("--template-arg", &options->template_args, "NAME=VALUE",
                 "variable of the template, such as add_generation_prompt=true");
  flags.Bool("--ids", &options->ids, "ids on one line, comma-separated");
  flags.Bool("--no-special", &options->no_special,
             "treat special tokens in the text as plain text");
  flags.Choice("--format", &options->format, {"text", "json"}, "format of the output");
  flags.Text("--json-schema", &options->accepts.json_schema, "FILE",
             "JSON schema for --accepts; - is stdin");
  flags.Text("--grammar", &options->accepts.grammar, "FILE",
             "grammar (GBNF) for --accepts; - is stdin");
  flags.Text("--accepts", &options->accepts.document, "FILE",
             "say whether the schema or grammar allows this document, and where not (exit code 6)");
  flags.Example("infer-tokenize -p 'Hello world'", "Each token with its piece.");
  flags.Example("echo 'Hello world' | infer-tokenize --ids -", "Ids only.");
  flags.Example("infer-tokenize --chat messages.json --template-arg add_generation_prompt=true",
                "What a model sees of a conversation.");
  flags.Example("infer-tokenize --decode 3302,847", "Back to text.");
}

absl::Status CheckOptions(const TokenizeFlags& options) {
  RETURN_IF_ERROR(CheckAccepts(options.accepts));
  int sources = (options.text ? 1 : 0) + (options.file.empty() ? 0 : 1) +
                (options.input.empty() ? 0 : 1) + (options.decode ? 1 : 0) +
                (options.chat.empty() ? 0 : 1);
  if (sources > 1) {
    return UsageError(
        "give the text with one of -p, -f and FILE, ids with --decode, or a conversation with "
        "--chat");
  }
  if (options.chat.empty() && (!options.chat_template.empty() || !options.template_args.empty())) {
    return UsageError("--chat-template and --template-arg need --chat");
  }
  if (!options.chat.empty() && options.no_special) {
    return UsageError("--no-special does not go with --chat, whose messages are never special");
  }
  for (const std::string& argument : options.template_args) {
    absl::Status valid = CheckTemplateArgument(argument);
    if (!valid.ok()) return UsageError(StrCat("--template-arg: ", ToStd(valid.message())));
  }
  if (!options.decode) return absl::OkStatus();
  absl::Status ids = ParseIdList(*options.decode).status();
  return ids.ok() ? ids : UsageError(StrCat("--decode: ", ToStd(ids.message())));
}

absl::StatusOr<std::string> ReadText(const TokenizeFlags& options) {
  if (options.text) return *options.text;
  const std::string& path = options.file.empty() ? options.input : options.file;
  return ReadInput(path.empty() ? "-" : path, Tokenizer::kMaxTextBytes);
}

// Returns the template that --chat renders with.
absl::StatusOr<std::string> ReadTemplate(const TokenizeFlags& options, const ModelFile& model) {
  constexpr uint64_t kMaxTemplateBytes = uint64_t{1} << 20;
  if (!options.chat_template.empty()) return ReadInput(options.chat_template, kMaxTemplateBytes);
  ASSIGN_OR_RETURN(std::string_view text,
                   model.gguf().metadata().GetStringOr("tokenizer.chat_template", ""));
  if (text.empty()) {
    return absl::InvalidArgumentError(
        "the model has no chat template (tokenizer.chat_template); give one with --chat-template");
  }
  return std::string(text);
}

absl::StatusOr<std::string> RenderChat(const TokenizeFlags& options, const ModelFile& model,
                                       const Tokenizer& tokenizer, TokenizeFormat format) {
  ASSIGN_OR_RETURN(std::string template_text, ReadTemplate(options, model));
  ASSIGN_OR_RETURN(std::string request, ReadInput(options.chat, Tokenizer::kMaxTextBytes));
  absl::StatusOr<MarkedText> text =
      RenderChatRequest(template_text, request, options.template_args, tokenizer.vocabulary());
  if (!text.ok()) {
    return absl::Status(text.status().code(),
                        StrCat(options.chat, ": ", ToStd(text.status().message())));
  }
  if (format == TokenizeFormat::kText) return text->text();
  ASSIGN_OR_RETURN(std::vector<int32_t> ids, tokenizer.EncodeMarked(*text));
  return FormatTokens(tokenizer.vocabulary(), ids, format);
}

absl::Status TokenizeMain(ToolContext& context) {
  TokenizeFlags options;
  Flags flags("infer-tokenize", "Turn text into token ids and back.");
  RegisterTokenizeFlags(flags, &options);
  ASSIGN_OR_RETURN(bool proceed, context.Parse(flags));
  if (!proceed) return absl::OkStatus();
  RETURN_IF_ERROR(CheckOptions(options));
  if (options.accepts.IsAsked()) return RunAccepts(options.accepts);
  TokenizeFormat format = options.format == "json" ? TokenizeFormat::kJson
                          : options.ids            ? TokenizeFormat::kIds
                                                   : TokenizeFormat::kText;
  ASSIGN_OR_RETURN(ModelFile model, ModelFile::Open(options.model));
  // Not checked against the token matrix, which a vocabulary-only file does not have.
  ASSIGN_OR_RETURN(Tokenizer tokenizer, LoadTokenizer(model.gguf()));
  std::string output;
  if (options.decode) {
    ASSIGN_OR_RETURN(output, DetokenizeIds(tokenizer, *options.decode, format, {}));
    return context.out().Write(output);
  }
  if (!options.chat.empty()) {
    ASSIGN_OR_RETURN(output, RenderChat(options, model, tokenizer, format));
    return context.out().Write(output);
  }
  ASSIGN_OR_RETURN(std::string text, ReadText(options));
  EncodeOptions encode;
  encode.parse_special = !options.no_special;
  ASSIGN_OR_RETURN(output, TokenizeText(tokenizer, text, format, encode));
  return context.out().Write(output);
}

}  // namespace

extern const Tool kInferTokenize = {"infer-tokenize", "tokenize",
                                    "Turn text into token ids and back", TokenizeMain};

}  // namespace infer
