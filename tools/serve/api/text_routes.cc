// SPDX-License-Identifier: Apache-2.0
#include "tools/serve/api/text_routes.h"

#include <vector>

#include "frontends/tokenizer/utf8.h"
#include "ir/base/json.h"
#include "ir/base/status_macros.h"
#include "ir/base/strings.h"
#include "tools/serve/api/api_error.h"
#include "tools/serve/api/parameter.h"
#include "tools/serve/api/prepared_request.h"
#include "tools/serve/api/read_content.h"
#include "tools/serve/api/read_request.h"
#include "tools/serve/api/request_json.h"

namespace infer::serve {
namespace {

absl::StatusOr<std::vector<int32_t>> ChatTokens(const GenerationRequest& request,
                                                const ServedModel& model) {
  ASSIGN_OR_RETURN(MarkedText text, RenderPrompt(request, model));
  return model.tokenizer().EncodeMarked(text);
}

absl::StatusOr<bool> FlagMember(const Json& body, const char* name, bool otherwise) {
  const Json& value = MemberOf(body, name);
  if (value.is_null()) return otherwise;
  if (value.is_boolean()) return value.get<bool>();
  return WrongValue(name, StrCat("expected true or false, got ", ShownJson(value)));
}

absl::StatusOr<std::vector<int32_t>> TextTokens(const Json& body, const ServedModel& model) {
  const char* name = MemberOf(body, "content").is_null() ? "prompt" : "content";
  const Json& text = MemberOf(body, name);
  if (!text.is_string()) {
    return WrongValue(
        text.is_null() ? "content" : name,
        StrCat("expected a string, got ", text.is_null() ? "nothing" : KindOfJson(text)));
  }
  EncodeOptions options;
  ASSIGN_OR_RETURN(options.parse_special, FlagMember(body, "parse_special", true));
  return model.tokenizer().Encode(text.get_ref<const std::string&>(), options);
}

}  // namespace

absl::StatusOr<std::string> Tokenize(const Json& body, const ServedModel& model) {
  std::vector<int32_t> tokens;
  if (MemberOf(body, "messages").is_null()) {
    ASSIGN_OR_RETURN(tokens, TextTokens(body, model));
  } else {
    ASSIGN_OR_RETURN(const GenerationRequest request, ReadChatRequest(body));
    ASSIGN_OR_RETURN(tokens, ChatTokens(request, model));
  }
  Json answer = {{"tokens", tokens}, {"count", tokens.size()}, {"max_model_len", model.context()}};
  ASSIGN_OR_RETURN(const bool with_pieces, FlagMember(body, "with_pieces", false));
  if (with_pieces) {
    Json pieces = Json::array();
    for (const int32_t id : tokens) {
      std::string bytes, storage;
      model.tokenizer().AppendTokenBytes(id, {}, &bytes);
      pieces.push_back({{"id", id}, {"piece", ReplaceInvalidUtf8(bytes, &storage)}});
    }
    answer["pieces"] = std::move(pieces);
  }
  return JsonText(answer);
}

absl::StatusOr<std::string> Detokenize(const Json& body, const ServedModel& model) {
  const Json& tokens = MemberOf(body, "tokens");
  if (!tokens.is_array() || tokens.size() > kMaxIds) {
    return WrongValue("tokens", StrCat("expected an array of at most ", kMaxIds, " token ids, got ",
                                       tokens.is_null() ? "nothing" : KindOfJson(tokens)));
  }
  std::vector<int32_t> ids;
  for (size_t i = 0; i < tokens.size(); ++i) {
    const bool is_id = tokens[i].is_number_unsigned() &&
                       tokens[i].get<uint64_t>() <
                           static_cast<uint64_t>(model.tokenizer().vocabulary().token_count());
    if (!is_id) {
      return WrongValue(
          StrCat("tokens[", i, "]"),
          StrCat("expected a token id below ", model.tokenizer().vocabulary().token_count(),
                 ", got ", ShownJson(tokens[i])));
    }
    ids.push_back(tokens[i].get<int32_t>());
  }
  ASSIGN_OR_RETURN(const std::string text, model.tokenizer().Decode(ids));
  std::string storage;
  const std::string_view valid = ReplaceInvalidUtf8(text, &storage);
  return JsonText({{"content", valid}, {"prompt", valid}});
}

absl::StatusOr<std::string> ApplyTemplate(const Json& body, const ServedModel& model) {
  ASSIGN_OR_RETURN(const GenerationRequest request, ReadChatRequest(body));
  ASSIGN_OR_RETURN(const MarkedText text, RenderPrompt(request, model));
  return JsonText({{"prompt", text.text()}});
}

absl::StatusOr<std::string> CountTokens(const Json& body, const ServedModel& model) {
  ASSIGN_OR_RETURN(const GenerationRequest request,
                   ReadMessagesRequest(body, /*needs_max_tokens=*/false));
  ASSIGN_OR_RETURN(const std::vector<int32_t> tokens, ChatTokens(request, model));
  return JsonText({{"input_tokens", tokens.size()}});
}

}  // namespace infer::serve
