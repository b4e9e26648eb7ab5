// SPDX-License-Identifier: Apache-2.0
#include "tools/serve/api/vector_routes.h"

#include <algorithm>
#include <vector>

#include "absl/strings/escaping.h"
#include "absl/strings/string_view.h"
#include "ir/base/json.h"
#include "ir/base/status_macros.h"
#include "ir/base/strings.h"
#include "tools/api/embedding_text.h"
#include "tools/api/rerank_prompt.h"
#include "tools/serve/api/api_error.h"
#include "tools/serve/api/limits.h"
#include "tools/serve/api/read_content.h"
#include "tools/serve/api/request_json.h"

namespace infer::serve {
namespace {

using Tokens = std::vector<int32_t>;

absl::StatusOr<Tokens> IdsOf(const Json& ids, const std::string& path, const ServedModel& model) {
  Tokens tokens;
  const auto count = static_cast<uint64_t>(model.tokenizer().vocabulary().token_count());
  for (size_t i = 0; i < ids.size(); ++i) {
    if (!ids[i].is_number_unsigned() || ids[i].get<uint64_t>() >= count) {
      return WrongValue(StrCat(path, "[", i, "]"),
                        StrCat("expected a token id below ", count, ", got ", ShownJson(ids[i])));
    }
    tokens.push_back(ids[i].get<int32_t>());
  }
  return tokens;
}

absl::Status CheckLength(const Tokens& tokens, const std::string& path,
                         const VectorRunner& runner) {
  if (tokens.empty()) return WrongValue(path, "expected a text that is not empty");
  if (std::ssize(tokens) <= runner.context()) return absl::OkStatus();
  return ContextLengthExceeded(path, std::ssize(tokens), runner.context());
}

// One input: a text or token ids.
absl::StatusOr<Tokens> InputTokens(const Json& input, const std::string& path,
                                   std::string_view instruction, const ServedModel& model) {
  if (input.is_string()) {
    return EmbeddingTokens(model.tokenizer(), input.get_ref<const std::string&>(), instruction);
  }
  if (input.is_array()) return IdsOf(input, path, model);
  return WrongValue(path, StrCat("expected a text or token ids, got ",
                                 input.is_null() ? "nothing" : KindOfJson(input)));
}

absl::StatusOr<std::vector<Tokens>> ReadInputs(const Json& input, std::string_view instruction,
                                               const ServedModel& model,
                                               const VectorRunner& runner) {
  // A list of numbers is one text.
  const bool is_list = input.is_array() && !(!input.empty() && input[0].is_number());
  if (is_list && (input.empty() || input.size() > kMaxTexts)) {
    return WrongValue("input", StrCat("expected 1 to ", kMaxTexts, " texts, got ", input.size()));
  }
  std::vector<Tokens> texts;
  for (size_t i = 0; i < (is_list ? input.size() : 1); ++i) {
    const std::string path = is_list ? StrCat("input[", i, "]") : "input";
    ASSIGN_OR_RETURN(Tokens tokens,
                     InputTokens(is_list ? input[i] : input, path, instruction, model));
    RETURN_IF_ERROR(CheckLength(tokens, path, runner));
    texts.push_back(std::move(tokens));
  }
  return texts;
}

absl::StatusOr<std::string> TextMember(const Json& body, const char* name) {
  const Json& value = MemberOf(body, name);
  if (value.is_null()) return std::string();
  if (value.is_string()) return value.get<std::string>();
  return WrongValue(name, StrCat("expected a string, got ", KindOfJson(value)));
}

absl::StatusOr<int64_t> NumberMember(const Json& body, const char* name, int64_t max,
                                     int64_t otherwise) {
  const Json& value = MemberOf(body, name);
  if (value.is_null()) return otherwise;
  if (value.is_number_unsigned() && value.get<uint64_t>() >= 1 &&
      value.get<uint64_t>() <= static_cast<uint64_t>(max)) {
    return value.get<int64_t>();
  }
  return WrongValue(name, StrCat("expected a number from 1 to ", max, ", got ", ShownJson(value)));
}

std::string EncodedVector(std::span<const float> vector, bool base64) {
  if (!base64) return StrCat("[", JoinNumbers(vector, "null"), "]");
  const absl::string_view bytes(reinterpret_cast<const char*>(vector.data()), vector.size_bytes());
  return StrCat("\"", absl::Base64Escape(bytes), "\"");
}

std::string UsageText(int64_t tokens) {
  return StrCat("{\"prompt_tokens\":", tokens, ",\"total_tokens\":", tokens, "}");
}

int64_t CountTokens(std::span<const Tokens> texts) {
  int64_t count = 0;
  for (const Tokens& text : texts) count += std::ssize(text);
  return count;
}

// A document is a string or an object with a member text.
absl::StatusOr<std::string> DocumentText(const Json& document, const std::string& path) {
  const Json& text = document.is_object() ? MemberOf(document, "text") : document;
  if (text.is_string()) return text.get<std::string>();
  return WrongValue(path,
                    StrCat("expected a string or an object with a text, got ",
                           document.is_object() ? "an object without one" : KindOfJson(document)));
}

struct RerankRequest {
  std::string query;
  std::string instruction;
  std::vector<std::string> documents;
  int64_t top = 0;
  bool with_text = false;
};

absl::StatusOr<RerankRequest> ReadRerankRequest(const Json& body) {
  RerankRequest request;
  ASSIGN_OR_RETURN(request.query, TextMember(body, "query"));
  if (request.query.empty()) return WrongValue("query", "expected a text that is not empty");
  ASSIGN_OR_RETURN(request.instruction, TextMember(body, "instruction"));
  const Json& documents = MemberOf(body, "documents");
  if (!documents.is_array() || documents.empty() || documents.size() > kMaxTexts) {
    return WrongValue("documents",
                      StrCat("expected an array of 1 to ", kMaxTexts, " texts, got ",
                             documents.is_array()  ? StrCat(documents.size())
                             : documents.is_null() ? "nothing"
                                                   : std::string(KindOfJson(documents))));
  }
  for (size_t i = 0; i < documents.size(); ++i) {
    ASSIGN_OR_RETURN(request.documents.emplace_back(),
                     DocumentText(documents[i], StrCat("documents[", i, "]")));
  }
  ASSIGN_OR_RETURN(request.top, NumberMember(body, "top_n", INT32_MAX, std::ssize(documents)));
  const Json& with_text = MemberOf(body, "return_documents");
  if (!with_text.is_null() && !with_text.is_boolean()) {
    return WrongValue("return_documents",
                      StrCat("expected true or false, got ", ShownJson(with_text)));
  }
  request.with_text = with_text == true;
  return request;
}

}  // namespace

absl::StatusOr<std::string> Embeddings(const Json& body, const ServedModel& model,
                                       VectorRunner& runner) {
  if (runner.pooling() == Pooling::kRank) {
    return absl::InvalidArgumentError("this model is a reranker; use /v1/rerank");
  }
  ASSIGN_OR_RETURN(const std::string format, TextMember(body, "encoding_format"));
  if (!format.empty() && format != "float" && format != "base64") {
    return WrongValue("encoding_format", StrCat("expected float or base64, got ",
                                                ShownJson(MemberOf(body, "encoding_format"))));
  }
  ASSIGN_OR_RETURN(const int64_t dimensions,
                   NumberMember(body, "dimensions", runner.dimensions(), 0));
  ASSIGN_OR_RETURN(const std::string instruction, TextMember(body, "instruction"));
  ASSIGN_OR_RETURN(const std::vector<Tokens> texts,
                   ReadInputs(MemberOf(body, "input"), instruction, model, runner));
  std::string answer = "{\"object\":\"list\",\"data\":[";
  RETURN_IF_ERROR(runner.Run(texts, [&](size_t text, std::span<const float> vector) {
    StrAppend(
        &answer, text == 0 ? "" : ",", "{\"object\":\"embedding\",\"index\":", text,
        ",\"embedding\":",
        EncodedVector(FinishEmbedding(vector, dimensions, /*normalize=*/true), format == "base64"),
        "}");
    return absl::OkStatus();
  }));
  StrAppend(&answer, "],\"model\":", JsonText(model.name()),
            ",\"usage\":", UsageText(CountTokens(texts)), "}");
  return answer;
}

absl::StatusOr<std::string> Rerank(const Json& body, const ServedModel& model,
                                   VectorRunner& runner) {
  if (runner.pooling() != Pooling::kRank) {
    return absl::InvalidArgumentError(
        "this model is no reranker; start the server with one, or with --pooling rank");
  }
  ASSIGN_OR_RETURN(const RerankRequest request, ReadRerankRequest(body));
  std::vector<Tokens> prompts;
  for (size_t i = 0; i < request.documents.size(); ++i) {
    ASSIGN_OR_RETURN(prompts.emplace_back(),
                     runner.RerankTokens(request.query, request.documents[i], request.instruction));
    RETURN_IF_ERROR(CheckLength(prompts.back(), StrCat("documents[", i, "]"), runner));
  }
  std::vector<double> scores;
  RETURN_IF_ERROR(runner.Run(prompts, [&](size_t, std::span<const float> vector) {
    scores.push_back(runner.Score(vector));
    return absl::OkStatus();
  }));
  std::vector<size_t> order = BestFirst(scores);
  order.resize(std::min(order.size(), static_cast<size_t>(request.top)));
  Json results = Json::array();
  for (size_t i : order) {
    Json result = {{"index", i}, {"relevance_score", scores[i]}};
    if (request.with_text) result["document"] = {{"text", request.documents[i]}};
    results.push_back(std::move(result));
  }
  const int64_t tokens = CountTokens(prompts);
  return JsonText({{"object", "list"},
                   {"model", model.name()},
                   {"results", std::move(results)},
                   {"usage", {{"prompt_tokens", tokens}, {"total_tokens", tokens}}}});
}

}  // namespace infer::serve
