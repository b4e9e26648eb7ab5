// SPDX-License-Identifier: Apache-2.0
#include "frontends/chat/parser.h"

#include <utility>

#include "frontends/chat/statement_parser.h"
#include "frontends/chat/token_stream.h"
#include "frontends/tokenizer/utf8.h"
#include "ir/base/status_macros.h"
#include "ir/base/strings.h"

namespace infer::chat {
namespace {

// A downloaded template of more than this is not one.
constexpr size_t kMaxTemplateBytes = size_t{1} << 20;

// Line ends become \n, and one at the end of the template is dropped.
std::string NormalizeLines(std::string_view source) {
  std::string out;
  out.reserve(source.size());
  for (size_t i = 0; i < source.size(); ++i) {
    if (source[i] == '\r' && i + 1 < source.size() && source[i + 1] == '\n') continue;
    out += source[i] == '\r' ? '\n' : source[i];
  }
  if (out.ends_with('\n')) out.pop_back();
  return out;
}

}  // namespace

absl::StatusOr<std::unique_ptr<const TemplateTree>> ParseTemplate(std::string_view source) {
  if (source.size() > kMaxTemplateBytes) {
    return absl::InvalidArgumentError(StrCat("the chat template has ", source.size(),
                                             " bytes, at most ", kMaxTemplateBytes,
                                             " are supported"));
  }
  auto tree = std::make_unique<TemplateTree>();
  std::string storage;
  tree->source = NormalizeLines(ReplaceInvalidUtf8(source, &storage));
  ASSIGN_OR_RETURN(std::vector<Token> tokens, LexTemplate(tree->source));
  TokenStream stream(tree->source, std::move(tokens));
  tree->loop_id = stream.NameId("loop");
  tree->caller_id = stream.NameId("caller");
  tree->captured_id = stream.NameId(kCapturedName);
  RETURN_IF_ERROR(StatementParser(&stream).ParseBody({}, 0, &tree->body));
  tree->names = stream.TakeNames();
  return tree;
}

}  // namespace infer::chat
