// SPDX-License-Identifier: Apache-2.0
#include "tools/bench/serve/request_text.h"

#include "ir/base/json.h"
#include "ir/base/strings.h"

namespace infer::load {
namespace {

std::string_view PathOf(Api api) {
  return api == Api::kChat ? "/v1/chat/completions" : "/v1/completions";
}

// What is wrong with the JSON of a request; "@" stands for the parts that are right.
constexpr std::string_view kBodies[] = {
    "",
    "{",
    "[]",
    "null",
    "{@,}",
    "{@} {@}",
    "{@,\"max_tokens\":-1}",
    "{@,\"max_tokens\":\"many\"}",
    "{@,\"max_tokens\":1e99}",
    "{@,\"temperature\":\"hot\"}",
    "{@,\"temperature\":-3}",
    "{@,\"top_p\":17}",
    "{@,\"stop\":{}}",
    "{@,\"n\":0}",
    "{@,\"n\":1000000}",
    "{@,\"stream\":7}",
    "{@,\"logit_bias\":[1]}",
    "{@,\"prompt\":{\"a\":[]},\"messages\":7}",
    "{@,\"prompt\":\"\xff\xfe\",\"messages\":\"\xff\"}",
    "{@,\"response_format\":{\"type\":\"json_schema\"},\"prompt\":3,\"messages\":[[]]}",
};

// Whole messages; "@" stands for the Host header.
constexpr std::string_view kMessages[] = {
    "GET / HTTP/9.9\r\n@\r\n",
    "POST /v1/completions HTTP/1.1\r\n@Content-Length: banana\r\n\r\n",
    "POST /v1/completions HTTP/1.1\r\n@Content-Length: 5\r\nContent-Length: 6\r\n\r\n{}{}{}",
    "POST /v1/completions HTTP/1.1\r\n@Transfer-Encoding: chunked\r\n\r\nzz\r\n",
    "DELETE /v1/completions HTTP/1.1\r\n@\r\n",
    "GET /no/such/path HTTP/1.1\r\n@\r\n",
    "GET /v1/models HTTP/1.1\r\nHost: evil.example\r\nHost: other.example\r\n\r\n",
    "POST /v1/completions HTTP/1.1\r\n@Content-Type: text/plain\r\nContent-Length: 2\r\n\r\n{}",
    "\x16\x03\x01\x02\x05\x01\x03\x03 this is no HTTP\r\n\r\n",
    "hello\r\n\r\n",
};

std::string Filled(std::string_view form, const std::string& part) {
  std::string text;
  for (const char c : form) {
    if (c == '@') {
      text += part;
    } else {
      text += c;
    }
  }
  return text;
}

}  // namespace

std::string HttpText(const ServerUrl& url, const RequestForm& form, std::string_view method,
                     std::string_view path, const std::string& body) {
  std::string text = StrCat(method, " ", url.prefix, path, " HTTP/1.1\r\nHost: ", url.host,
                            "\r\nConnection: close\r\nAccept: */*\r\n");
  if (!form.api_key.empty()) StrAppend(&text, "Authorization: Bearer ", form.api_key, "\r\n");
  if (method != "GET") {
    StrAppend(&text, "Content-Type: application/json\r\nContent-Length: ", body.size(), "\r\n");
  }
  return StrCat(text, "\r\n", body);
}

std::string CompletionText(const ServerUrl& url, const RequestForm& form, const std::string& prompt,
                           int64_t output_tokens, bool stream) {
  Json body = {{"model", form.model}};
  if (form.api == Api::kChat) {
    body["messages"] = Json::array({{{"role", "user"}, {"content", prompt}}});
  } else {
    body["prompt"] = prompt;
  }
  body["max_tokens"] = output_tokens;
  body["temperature"] = 0;
  if (stream) {
    body["stream"] = true;
    body["stream_options"] = {{"include_usage", true}};
  }
  if (form.force_length) {
    body["ignore_eos"] = true;  // llama-server, vLLM and infer-serve
    body["min_tokens"] = output_tokens;
  }
  const Json extra = ParseJson(form.extra);
  if (extra.is_object()) body.update(extra);
  return HttpText(url, form, "POST", PathOf(form.api), JsonText(body));
}

int NumMalformedKinds() { return static_cast<int>(std::size(kBodies) + std::size(kMessages)); }

std::string MalformedText(const ServerUrl& url, const RequestForm& form, Random& random) {
  const size_t kind = random.Next() % (std::size(kBodies) + std::size(kMessages));
  if (kind >= std::size(kBodies)) {
    return Filled(kMessages[kind - std::size(kBodies)], StrCat("Host: ", url.host, "\r\n"));
  }
  const std::string right =
      form.api == Api::kChat
          ? R"("model":"x","messages":[{"role":"user","content":"Hello"}],"max_tokens":1)"
          : R"("model":"x","prompt":"Hello","max_tokens":1)";
  return HttpText(url, form, "POST", PathOf(form.api), Filled(kBodies[kind], right));
}

}  // namespace infer::load
