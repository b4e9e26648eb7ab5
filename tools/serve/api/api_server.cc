// SPDX-License-Identifier: Apache-2.0
#include "tools/serve/api/api_server.h"

#include <algorithm>
#include <charconv>
#include <nlohmann/json.hpp>
#include <utility>

#include "absl/strings/str_format.h"
#include "ir/base/status_macros.h"
#include "ir/base/strings.h"
#include "tools/serve/api/api_error.h"
#include "tools/serve/api/prepared_request.h"
#include "tools/serve/api/read_request.h"
#include "tools/serve/api/request_json.h"
#include "tools/serve/api/text_routes.h"

namespace infer::serve {

using Json = nlohmann::ordered_json;

// A path and what answers it: one of the three functions.
struct Route {
  using Now = void (ApiServer::*)(const http::Request&, http::Responder&);
  using Later = void (ApiServer::*)(http::Request, std::shared_ptr<http::Responder>);
  using AboutText = absl::StatusOr<std::string> (*)(const Json&, const ServedModel&);
  using Read = absl::StatusOr<GenerationRequest> (*)(const Json&);

  std::string_view method;
  std::string_view path;
  Now now = nullptr;
  AboutText about_text = nullptr;
  Read read = nullptr;
  bool is_public = false;
  ErrorDialect dialect = ErrorDialect::kOpenAi;

  static std::span<const Route> All();
};

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

namespace {

constexpr std::string_view kModelsPrefix = "/v1/models/";

const Route* FindRoute(std::string_view path) {
  // The name of a model may contain slashes.
  if (path.starts_with(kModelsPrefix) && path.size() > kModelsPrefix.size()) path = "/v1/models";
  const auto found = std::ranges::find(Route::All(), path, &Route::path);
  return found == Route::All().end() ? nullptr : &*found;
}

bool Allows(const Route& route, std::string_view method) {
  return method == route.method || (method == "HEAD" && route.method == "GET");
}

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

}  // namespace

ApiServer::ApiServer(ApiServerOptions options)
    : options_(std::move(options)),
      start_(std::chrono::steady_clock::now()),
      keep_alive_([this] { KeepAlive(); }),
      work_(options_.max_jobs, options_.max_job_bytes) {}

ApiServer::~ApiServer() {
  {
    std::lock_guard<std::mutex> lock(mutex_);
    stop_ = true;
  }
  wake_.notify_all();
  keep_alive_.join();
}

std::vector<std::string> ApiServer::Routes() {
  std::vector<std::string> paths;
  for (const Route& route : Route::All()) paths.emplace_back(route.path);
  return paths;
}

void ApiServer::Handle(http::Request request, Responder responder) {
  const Route* route = FindRoute(request.path);
  if (route == nullptr) return responder->Send(NotFound());
  if (!Allows(*route, request.method)) return responder->Send(WrongMethod(*route));
  if (route->now != nullptr) return (this->*route->now)(request, *responder);
  if (route->about_text != nullptr) return Text(*route, std::move(request), std::move(responder));
  if (route->read != nullptr) return Generate(*route, std::move(request), std::move(responder));
  Placement(std::move(request), std::move(responder));
}

http::Response ApiServer::Error(int status, std::string_view message) {
  // The HTTP layer may not know the path yet, so that both vendors' clients must understand this.
  Json body = Json::parse(ErrorJson(ErrorOf(status, message), ErrorDialect::kOpenAi));
  body["type"] = "error";
  http::Response response = ErrorResponse(ErrorOf(status, message), ErrorDialect::kOpenAi);
  response.body = JsonText(body);
  return response;
}

bool ApiServer::IsPublic(std::string_view method, std::string_view path) const {
  const Route* route = FindRoute(path);
  return route != nullptr && route->is_public && Allows(*route, method);
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

void ApiServer::Work(size_t bytes, ErrorDialect dialect, Responder to, std::function<void()> job) {
  if (work_.Post(bytes, std::move(job))) return;
  ApiError error = ErrorOf(absl::ResourceExhaustedError(
      "too many requests wait to be read; try again after the time in Retry-After"));
  error.retry_after_s = options_.runner->RetryAfterSeconds();
  to->Send(ErrorResponse(error, dialect));
}

void ApiServer::Placement(http::Request, Responder to) {
  if (!options_.placement) return to->Send(NotFound());
  Work(0, ErrorDialect::kOpenAi, to, [this, to] {
    if (placement_ == nullptr) placement_ = std::make_unique<http::Response>(options_.placement());
    to->Send(*placement_);
  });
}

void ApiServer::Text(const Route& route, http::Request request, Responder to) {
  const size_t bytes = request.body.size();
  Work(bytes, route.dialect, to, [this, &route, request = std::move(request), to] {
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
  options.new_observer = options_.new_observer;
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
  std::lock_guard<std::mutex> lock(mutex_);
  std::erase_if(sessions_, [](const auto& weak) { return weak.expired(); });
  sessions_.push_back(session);
  return session;
}

void ApiServer::Generate(const Route& route, http::Request request, Responder to) {
  if (is_draining_) {
    return to->Send(ErrorResponse(
        ErrorOf(absl::UnavailableError("the server is shutting down; try another one")),
        route.dialect));
  }
  const std::shared_ptr<AnswerSession> session = NewSession(request, route.dialect, to);
  session->Watch();
  const size_t bytes = request.body.size();
  Work(bytes, route.dialect, to, [this, &route, session, body = std::move(request.body)]() mutable {
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

std::vector<std::shared_ptr<AnswerSession>> ApiServer::LiveSessions() {
  std::vector<std::shared_ptr<AnswerSession>> live;
  std::lock_guard<std::mutex> lock(mutex_);
  for (const auto& weak : sessions_) {
    if (auto session = weak.lock()) live.push_back(std::move(session));
  }
  return live;
}

void ApiServer::OnDrainEnd() {
  for (const auto& session : LiveSessions()) session->Abandon();
}

void ApiServer::KeepAlive() {
  const auto quiet = std::chrono::duration_cast<AnswerSession::Clock::duration>(
      std::chrono::duration<double>(options_.ping_seconds));
  std::unique_lock<std::mutex> lock(mutex_);
  while (!wake_.wait_for(lock, quiet / 4, [&] { return stop_; })) {
    lock.unlock();
    for (const auto& session : LiveSessions()) {
      session->KeepAlive(AnswerSession::Clock::now(), quiet);
    }
    lock.lock();
  }
}

}  // namespace infer::serve
