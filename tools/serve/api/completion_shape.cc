// SPDX-License-Identifier: Apache-2.0
//
// Completions: text only. Choices of several prompts are numbered through.
#include <algorithm>
#include <vector>

#include "ir/base/strings.h"
#include "tools/serve/api/answer_json.h"
#include "tools/serve/api/answer_shape.h"
#include "tools/serve/api/json_text.h"

namespace infer::serve {
namespace {

// Clients index strings by characters.
size_t CharactersOf(std::string_view text) {
  return static_cast<size_t>(std::ranges::count_if(
      text, [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

class CompletionShape final : public AnswerShape {
 public:
  explicit CompletionShape(const GenerationRequest& request)
      : logprobs_(request.logprobs), include_usage_(request.include_usage) {}

  std::string Body(const Answer& answer) override {
    std::string body = StrCat(Head(answer), ",\"choices\":[");
    for (size_t i = 0; i < answer.choices.size(); ++i) {
      const ChoiceAnswer& choice = answer.choices[i];
      if (i > 0) body += ',';
      Choice(i, choice.content, choice.logprobs, 0, StrCat("\"", FinishName(choice.finish), "\""),
             &body);
    }
    body += "],\"usage\":";
    AppendUsage(answer.usage, &body);
    body += ",\"infer\":";
    AppendServerFacts(answer.usage, &body);
    body += '}';
    return body;
  }

  void Begin(const Answer& answer, std::string*) override {
    head_ = Head(answer);
    sent_.resize(answer.choices.size());
  }
  void Add(const Answer&, size_t choice, const AnswerPiece& piece, std::string* out) override {
    if (piece.part != AnswerPart::kContent) return;
    Chunk(choice, piece.text, piece.logprobs, "null", out);
    sent_[choice] += CharactersOf(piece.text);
  }
  void EndChoice(const Answer& answer, size_t choice, std::string* out) override {
    Chunk(choice, "", {}, StrCat("\"", FinishName(answer.choices[choice].finish), "\""), out);
  }
  void End(const Answer& answer, std::string* out) override {
    if (include_usage_) {
      StrAppend(out, "data: ", head_, ",\"choices\":[],\"usage\":");
      AppendUsage(answer.usage, out);
      *out += ",\"infer\":";
      AppendServerFacts(answer.usage, out);
      *out += "}\n\n";
    }
    *out += "data: [DONE]\n\n";
  }
  void Fail(const ApiError& error, std::string* out) override {
    StrAppend(out, "data: ", ErrorJson(error, ErrorDialect::kOpenAi), "\n\n");
  }

 private:
  static std::string Head(const Answer& answer) {
    std::string head =
        StrCat("{\"id\":\"cmpl-", answer.id,
               "\",\"object\":\"text_completion\",\"created\":", answer.created, ",\"model\":");
    AppendJsonString(answer.model, &head);
    head += ",\"system_fingerprint\":\"infer\"";
    return head;
  }
  void Chunk(size_t choice, std::string_view text, const std::vector<LogprobEntry>& logprobs,
             std::string_view finish, std::string* out) const {
    StrAppend(out, "data: ", head_, ",\"choices\":[");
    Choice(choice, text, logprobs, sent_[choice], finish, out);
    StrAppend(out, "]", include_usage_ ? ",\"usage\":null" : "", "}\n\n");
  }
  void Choice(size_t index, std::string_view text, const std::vector<LogprobEntry>& logprobs,
              size_t offset, std::string_view finish, std::string* out) const {
    StrAppend(out, "{\"index\":", index, ",\"text\":");
    AppendJsonString(text, out);
    *out += ",\"logprobs\":";
    if (logprobs_ && !(text.empty() && logprobs.empty())) {
      Logprobs(logprobs, offset, out);
    } else {
      *out += "null";
    }
    StrAppend(out, ",\"finish_reason\":", finish, "}");
  }
  // Four lists side by side. `offset` is where the text of the first token begins.
  static void Logprobs(const std::vector<LogprobEntry>& entries, size_t offset, std::string* out) {
    std::string tokens, values, offsets, tops;
    for (const LogprobEntry& entry : entries) {
      const char* comma = tokens.empty() ? "" : ",";
      tokens += comma;
      AppendTokenText(entry.token, &tokens);
      values += comma;
      AppendJsonNumber(entry.token.logprob, &values);
      StrAppend(&offsets, comma, offset);
      offset += CharactersOf(entry.token.bytes);
      StrAppend(&tops, comma, "{");
      for (size_t i = 0; i < entry.top.size(); ++i) {
        if (i > 0) tops += ',';
        AppendTokenText(entry.top[i], &tops);
        tops += ':';
        AppendJsonNumber(entry.top[i].logprob, &tops);
      }
      tops += '}';
    }
    StrAppend(out, "{\"tokens\":[", tokens, "],\"token_logprobs\":[", values,
              "],\"top_logprobs\":[", tops, "],\"text_offset\":[", offsets, "]}");
  }

  const bool logprobs_;
  const bool include_usage_;
  std::string head_;
  std::vector<size_t> sent_;  // characters, by choice
};

}  // namespace

std::unique_ptr<AnswerShape> NewCompletionShape(const GenerationRequest& request) {
  return std::make_unique<CompletionShape>(request);
}

}  // namespace infer::serve
