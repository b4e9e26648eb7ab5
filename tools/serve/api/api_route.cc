// SPDX-License-Identifier: Apache-2.0
#include "tools/serve/api/api_route.h"

#include <algorithm>

#include "ir/base/strings.h"
#include "tools/serve/api/read_request.h"
#include "tools/serve/api/text_routes.h"
#include "tools/serve/api/vector_routes.h"

namespace infer::serve {

std::span<const Route> Route::All() {
  static constexpr Route kRoutes[] = {
      {.method = "POST", .path = "/v1/chat/completions", .read = &ReadChatRequest},
      {.method = "POST", .path = "/v1/completions", .read = &ReadCompletionRequest},
      {.method = "POST", .path = "/v1/responses", .read = &ReadResponsesRequest},
      {.method = "POST",
       .path = "/v1/messages",
       .read = [](const Json& body) { return ReadMessagesRequest(body, true); },
       .dialect = ErrorDialect::kAnthropic},
      {.method = "POST",
       .path = "/v1/messages/count_tokens",
       .about_text = &CountTokens,
       .dialect = ErrorDialect::kAnthropic},
      {.method = "POST", .path = "/v1/embeddings", .about_vectors = &Embeddings},
      {.method = "POST", .path = "/v1/rerank", .about_vectors = &Rerank},
      {.method = "GET", .path = "/v1/models", .now = &ApiServer::Models},
      {.method = "POST", .path = "/tokenize", .about_text = &Tokenize},
      {.method = "POST", .path = "/detokenize", .about_text = &Detokenize},
      {.method = "POST", .path = "/apply-template", .about_text = &ApplyTemplate},
      {.method = "GET", .path = "/health", .now = &ApiServer::Health, .is_public = true},
      {.method = "GET", .path = "/ready", .now = &ApiServer::Ready, .is_public = true},
      {.method = "GET", .path = "/metrics", .now = &ApiServer::Metrics},
      {.method = "GET", .path = "/props", .now = &ApiServer::Props},
      {.method = "GET", .path = "/live", .now = &ApiServer::Live},
      {.method = "GET", .path = "/placement"},
      {.method = "GET", .path = "/", .now = &ApiServer::Page, .is_public = true},
  };
  return kRoutes;
}

const Route* Route::Find(std::string_view path) {
  // The name of a model may contain slashes.
  if (path.starts_with(kModelsPrefix) && path.size() > kModelsPrefix.size()) path = "/v1/models";
  const auto found = std::ranges::find(All(), path, &Route::path);
  return found == All().end() ? nullptr : &*found;
}

http::Response NotFound() {
  ApiError error = ErrorOf(404, "there is nothing at this path; see the README for the routes");
  error.code = "not_found";
  return ErrorResponse(error, ErrorDialect::kOpenAi);
}

http::Response WrongMethod(const Route& route) {
  ApiError error = ErrorOf(405, StrCat("this path takes ", route.method));
  error.code = "method_not_allowed";
  http::Response response = ErrorResponse(error, route.dialect);
  response.headers.emplace_back("allow", route.method == "GET" ? "GET, HEAD" : "POST");
  return response;
}

}  // namespace infer::serve
