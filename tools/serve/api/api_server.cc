// SPDX-License-Identifier: Apache-2.0
#include "tools/serve/api/api_server.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "absl/strings/str_format.h"
#include "ir/base/json.h"
#include "ir/base/status_macros.h"
#include "ir/base/strings.h"
#include "tools/serve/api/api_error.h"
#include "tools/serve/api/api_route.h"
#include "tools/serve/api/prepared_request.h"
#include "tools/serve/api/read_content.h"
#include "tools/serve/api/request_json.h"

namespace infer::serve {

namespace {

http::Response JsonResponse(std::string body) {
  http::Response response;
  response.body = std::move(body);
  return response;
}

// Returns the number after "since=" in a query; 0 if there is none.
uint64_t SinceOf(std::string_view query) {
  constexpr std::string_view kName = "since=";
  while (!query.empty()) {
    const size_t end = std::min(query.find('&'), query.size());
    const std::string_view pair = query.substr(0, end);
    uint64_t number = 0;
    if (pair.starts_with(kName)) {
      std::from_chars(pair.data() + kName.size(), pair.data() + pair.size(), number);
      return number;
    }
    query.remove_prefix(std::min(end + 1, query.size()));
  }
  return 0;
}

absl::Status ModelNotFound(const ServedModel& model) {
  return WithPath(WithCode(absl::NotFoundError(StrCat("model: this server has no model of that "
                                                      "name; it serves ",
                                                      model.name())),
                           "model_not_found"),
                  "model");
}

absl::Status ShuttingDown() {
  return absl::UnavailableError("the server is shutting down; try another one");
}

}  // namespace

ApiServer::ApiServer(ApiServerOptions options)
    : options_(std::move(options)),
      start_(std::chrono::steady_clock::now()),
      sessions_(options_.ping_seconds),
      work_(options_.max_jobs, options_.max_job_bytes),
      vector_work_(options_.max_jobs, options_.max_job_bytes) {}

std::vector<std::string> ApiServer::Routes() {
  std::vector<std::string> paths;
  for (const Route& route : Route::All()) paths.emplace_back(route.path);
  return paths;
}

void ApiServer::Handle(http::Request request, Responder responder) {
  const Route* route = Route::Find(request.path);
  if (route == nullptr) return responder->Send(NotFound());
  if (!route->Allows(request.method)) return responder->Send(WrongMethod(*route));
  if (route->now != nullptr) return (this->*route->now)(request, *responder);
  if (route->about_text != nullptr) return Text(*route, std::move(request), std::move(responder));
  if (route->about_vectors != nullptr) {
    return Vectors(*route, std::move(request), std::move(responder));
  }
  if (route->read != nullptr) return Generate(*route, std::move(request), std::move(responder));
  Placement(std::move(request), std::move(responder));
}

http::Response ApiServer::Error(int status, std::string_view message) {
  // The HTTP layer may not know the path yet, so that both vendors' clients must understand this.
  Json body = ParseJsonOrThrow(ErrorJson(ErrorOf(status, message), ErrorDialect::kOpenAi));
  body["type"] = "error";
  http::Response response = ErrorResponse(ErrorOf(status, message), ErrorDialect::kOpenAi);
  response.body = JsonText(body);
  return response;
}

bool ApiServer::IsPublic(std::string_view method, std::string_view path) const {
  const Route* route = Route::Find(path);
  return route != nullptr && route->is_public && route->Allows(method);
}

void ApiServer::Health(const http::Request&, http::Responder& to) {
  const double age_ms = options_.runner->heartbeat_age_ms();
  const bool is_well = age_ms < options_.stall_seconds * 1000;
  http::Response response = JsonResponse(absl::StrFormat(
      "{\"status\":\"%s\",\"heartbeat_age_ms\":%.1f}", is_well ? "ok" : "stalled", age_ms));
  if (!is_well) response.status = 503;
  to.Send(std::move(response));
}

void ApiServer::Ready(const http::Request&, http::Responder& to) {
  http::Response response =
      JsonResponse(is_draining_ ? "{\"status\":\"draining\"}" : "{\"status\":\"ready\"}");
  if (is_draining_) response.status = 503;
  to.Send(std::move(response));
}

void ApiServer::Models(const http::Request& request, http::Responder& to) {
  std::string_view name = request.path;
  if (!name.starts_with(kModelsPrefix)) return to.Send(JsonResponse(ModelsJson(*options_.model)));
  name.remove_prefix(kModelsPrefix.size());
  if (options_.model->IsNamed(name)) {
    return to.Send(JsonResponse(ModelJson(*options_.model, name)));
  }
  to.Send(ErrorResponse(ErrorOf(ModelNotFound(*options_.model)), ErrorDialect::kOpenAi));
}

void ApiServer::Props(const http::Request&, http::Responder& to) {
  to.Send(JsonResponse(PropsJson(*options_.model, options_.version)));
}

void ApiServer::Live(const http::Request& request, http::Responder& to) {
  const std::chrono::duration<double, std::milli> uptime =
      std::chrono::steady_clock::now() - start_;
  to.Send(JsonResponse(LiveJson(*options_.model, *options_.runner, options_.regimes, uptime.count(),
                                SinceOf(request.query))));
}

void ApiServer::Page(const http::Request&, http::Responder& to) {
  to.Send(options_.page ? options_.page() : NotFound());
}

void ApiServer::Metrics(const http::Request&, http::Responder& to) {
  to.Send(options_.metrics ? options_.metrics() : NotFound());
}

void ApiServer::Work(WorkQueue& queue, size_t bytes, ErrorDialect dialect, Responder to,
                     std::function<void()> job) {
  if (queue.Post(bytes, std::move(job))) return;
  ApiError error = ErrorOf(absl::ResourceExhaustedError(
      "too many requests wait to be read; try again after the time in Retry-After"));
  error.retry_after_s = options_.runner->RetryAfterSeconds();
  to->Send(ErrorResponse(error, dialect));
}

void ApiServer::Placement(http::Request, Responder to) {
  if (!options_.placement) return to->Send(NotFound());
  Work(work_, 0, ErrorDialect::kOpenAi, to, [this, to] {
    if (placement_ == nullptr) placement_ = std::make_unique<http::Response>(options_.placement());
    to->Send(*placement_);
  });
}

void ApiServer::Text(const Route& route, http::Request request, Responder to) {
  const size_t bytes = request.body.size();
  Work(work_, bytes, route.dialect, to, [this, &route, request = std::move(request), to] {
    const auto answer = [&]() -> absl::StatusOr<std::string> {
      ASSIGN_OR_RETURN(const Json body, ParseBody(request.body));
      return route.about_text(body, *options_.model);
    }();
    to->Send(answer.ok() ? JsonResponse(*answer)
                         : ErrorResponse(ErrorOf(answer.status()), route.dialect));
  });
}

std::shared_ptr<AnswerSession> ApiServer::NewSession(const http::Request& request,
                                                     ErrorDialect dialect, Responder to) {
  SessionOptions options;
  options.model = options_.model;
  options.runner = options_.runner;
  options.new_observers = options_.new_observers;
  options.dialect = dialect;
  options.request_id = request.id;
  options.tenant = request.key_name.empty() ? request.peer : request.key_name;
  options.salt_prefix = request.key_name.empty() ? "" : StrCat(request.key_name, "\n");
  options.on_answered = [this](GenerationRequest of, ChoiceAnswer answer, std::string salt) {
    work_.PostIdle(
        [this, of = std::move(of), answer = std::move(answer), salt = std::move(salt)]() mutable {
          Prefetch(std::move(of), std::move(answer), std::move(salt));
        });
  };
  auto session = std::make_shared<AnswerSession>(std::move(options), std::move(to));
  sessions_.Add(session);
  return session;
}

void ApiServer::Vectors(const Route& route, http::Request request, Responder to) {
  if (is_draining_) return to->Send(ErrorResponse(ErrorOf(ShuttingDown()), route.dialect));
  const size_t bytes = request.body.size();
  Work(vector_work_, bytes, route.dialect, to, [this, &route, request = std::move(request), to] {
    const auto answer = [&]() -> absl::StatusOr<std::string> {
      if (options_.vectors == nullptr) {
        return absl::InvalidArgumentError(
            "this model generates text; start the server with an embedding model or a reranker, or "
            "with --pooling");
      }
      ASSIGN_OR_RETURN(const Json body, ParseBody(request.body));
      const Json& name = MemberOf(body, "model");
      if (name.is_string() && !name.get_ref<const std::string&>().empty() &&
          !options_.model->IsNamed(name.get_ref<const std::string&>())) {
        return ModelNotFound(*options_.model);
      }
      return route.about_vectors(body, *options_.model, *options_.vectors);
    }();
    to->Send(answer.ok() ? JsonResponse(*answer)
                         : ErrorResponse(ErrorOf(answer.status()), route.dialect));
  });
}

void ApiServer::Generate(const Route& route, http::Request request, Responder to) {
  if (options_.vectors != nullptr) {
    return to->Send(ErrorResponse(
        ErrorOf(absl::InvalidArgumentError("this model gives vectors and does not generate text; "
                                           "use /v1/embeddings or /v1/rerank")),
        route.dialect));
  }
  if (is_draining_) {
    return to->Send(ErrorResponse(ErrorOf(ShuttingDown()), route.dialect));
  }
  const std::shared_ptr<AnswerSession> session = NewSession(request, route.dialect, to);
  session->Watch();
  const size_t bytes = request.body.size();
  Work(work_, bytes, route.dialect, to,
       [this, &route, session, body = std::move(request.body)]() mutable {
         if (session->is_closed()) return;
         const auto start = [&]() -> absl::Status {
           ASSIGN_OR_RETURN(const Json json, ParseBody(body));
           std::string().swap(body);
           ASSIGN_OR_RETURN(GenerationRequest made, route.read(json));
           if (!made.model.empty() && !options_.model->IsNamed(made.model)) {
             return ModelNotFound(*options_.model);
           }
           ASSIGN_OR_RETURN(PreparedRequest prepared, Prepare(made, *options_.model));
           if (!session->is_closed()) session->Start(std::move(made), std::move(prepared));
           return absl::OkStatus();
         };
         if (const absl::Status status = start(); !status.ok()) session->Fail(status);
       });
}

void ApiServer::Prefetch(GenerationRequest request, ChoiceAnswer answer, std::string salt) {
  ChatMessage message;
  message.role = "assistant";
  message.content = std::move(answer.content);
  if (!answer.thought.empty()) message.reasoning_content = std::move(answer.thought);
  for (ToolCall& call : answer.calls) {
    message.tool_calls.push_back({std::move(call.name), std::move(call.arguments)});
  }
  absl::StatusOr<std::vector<int32_t>> tokens = HistoryTokens(request, message, *options_.model);
  if (!tokens.ok() || std::ssize(*tokens) >= options_.model->context()) return;
  options_.runner->Prefetch(*std::move(tokens), std::move(salt));
}

void ApiServer::OnDrainEnd() {
  for (const auto& session : sessions_.All()) session->Abandon();
}

}  // namespace infer::serve
