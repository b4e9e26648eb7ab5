// SPDX-License-Identifier: Apache-2.0
#include "tools/serve/model_server.h"

#include <algorithm>
#include <chrono>
#include <thread>
#include <utility>
#include <vector>

#include "backends/backends.h"
#include "ir/base/status_macros.h"
#include "ir/base/strings.h"
#include "ir/policy/machine_text.h"
#include "passes/estimate.h"
#include "runtime/draft_length.h"
#include "tools/api/input.h"
#include "tools/api/machine_memory.h"
#include "tools/cli/build_info.h"
#include "tools/flags/console_load.h"
#include "tools/flags/rank_run.h"
#include "tools/report/program_view.h"
#include "tools/serve/cache_tokens.h"
#include "tools/serve/hang_up.h"
#include "tools/serve/metrics/exposition.h"
#include "tools/serve/page/page.h"
#include "tools/viz/html.h"

namespace infer::serve {
namespace {

constexpr int32_t kBlockPositions = 64;
constexpr int64_t kTextsInCall = 32;
constexpr int64_t kDraftingRequests = 2;  // requests that may have drafts at the same time
constexpr uint64_t kMaxTemplateBytes = uint64_t{1} << 20;
constexpr auto kSignalPoll = std::chrono::milliseconds(20);

// Returns the estimate of a call, with the machine description parsed once.
std::function<double(const SymbolValues&)> EstimateOf(std::shared_ptr<const Engine> engine) {
  absl::StatusOr<MachineDescription> machine =
      ParseMachine(engine->program().machine.text, "machine");
  if (!machine.ok()) return {};
  return [engine = std::move(engine), machine = *std::move(machine)](const SymbolValues& at) {
    for (const Regime& regime : engine->program().regimes) {
      if (at.t < regime.min_tokens || at.t > regime.max_tokens) continue;
      return EstimateCall(regime.graph, machine, at).ns() / 1e6;
    }
    return 0.0;
  };
}

std::vector<RegimeSummary> RegimesOf(const Program& program) {
  std::vector<RegimeSummary> regimes;
  for (const RegimeView& view : ViewRegimes(program)) {
    RegimeSummary& regime = regimes.emplace_back();
    regime.min_tokens = view.tokens().min;
    regime.max_tokens = view.tokens().max;
    for (size_t i = 0; i < view.totals.nodes_on.size(); ++i) {
      if (view.totals.nodes_on[i] == 0) continue;
      regime.targets.emplace_back(Name(static_cast<Target>(i)), view.totals.nodes_on[i]);
    }
  }
  return regimes;
}

http::Response Html(std::string body, std::string_view policy) {
  http::Response response;
  response.content_type = "text/html; charset=utf-8";
  response.body = std::move(body);
  response.headers.emplace_back("content-security-policy", policy);
  return response;
}

// The page of infer-viz has its script and style in it, and needs nothing else.
constexpr std::string_view kPlacementPolicy =
    "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data:; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

}  // namespace

ModelServer::ModelServer(const ServeOptions& options, ToolContext* context)
    : options_(options),
      context_(*context),
      threads_(ChooseThreadsWithConsole(options.model.threads, &context->console())) {}

ModelServer::~ModelServer() {
  // The runner reports to the API, whose worker uses the runner: it goes last, but falls silent
  // first.
  if (runner_ != nullptr) runner_->Stop();
}

absl::StatusOr<std::unique_ptr<ModelServer>> ModelServer::Create(const ServeOptions& options,
                                                                 ToolContext* context) {
  auto server = std::unique_ptr<ModelServer>(new ModelServer(options, context));
  RETURN_IF_ERROR(server->OpenModel());
  RETURN_IF_ERROR(server->Load());
  RETURN_IF_ERROR(server->Listen());
  server->WarnAboutExposure();
  return server;
}

absl::Status ModelServer::OpenModel() {
  ASSIGN_OR_RETURN(registry_, MakeKernelRegistry(threads_));
  ASSIGN_OR_RETURN(ModelFile file, ModelFile::Open(options_.model.model));
  file_ = std::make_unique<ModelFile>(std::move(file));
  return absl::OkStatus();
}

absl::StatusOr<EngineOptions> ModelServer::EngineFor(const Program& program,
                                                     int64_t context) const {
  EngineOptions engine;
  engine.context = context != 0 ? context : program.symbols[Symbol::kS].max / program.sequences;
  engine.sequences = options_.runner.max_running;
  engine.block_positions = kBlockPositions;
  engine.cache_positions = options_.cache_tokens;
  if (engine.cache_positions != 0) return engine;
  ASSIGN_OR_RETURN(const uint64_t context_bytes,
                   PredictCacheBytes(program, {.context = engine.context}));
  const MachineMemory memory = ReadMachineMemory();
  std::optional<uint64_t> available = memory.available_bytes;
  if (available && memory.limit_bytes) available = std::min(*available, *memory.limit_bytes);
  engine.cache_positions =
      DefaultCacheTokens(engine.context, engine.sequences,
                         context_bytes / static_cast<uint64_t>(engine.context), available);
  return engine;
}

// The runner for text exists beside it, without work: its engine shares the weights.
absl::Status ModelServer::LoadVectors(Pooling pooling) {
  std::optional<Reranker> reranker;
  if (pooling == Pooling::kRank) {
    ASSIGN_OR_RETURN(reranker, Reranker::Create(*file_, &model_->tokenizer()));
  }
  ASSIGN_OR_RETURN(
      std::shared_ptr<Engine> engine,
      Engine::Create(engine_->shared_executable(), EmbeddingEngine(engine_->program())));
  vectors_ = std::make_unique<EmbedderRunner>(std::move(engine), pooling, std::move(reranker));
  return absl::OkStatus();
}

absl::Status ModelServer::Load() {
  CompileModelOptions compile = options_.model.compile;
  ASSIGN_OR_RETURN(const ModelConfig config, file_->ReadConfig());
  const Pooling pooling = options_.pooling != Pooling::kNone ? options_.pooling : config.pooling;
  const bool gives_vectors = pooling != Pooling::kNone;
  if (gives_vectors) {
    RETURN_IF_ERROR(RefuseRanks("a server of embeddings or relevances", compile.shard));
    compile = ForEmbedding(std::move(compile), pooling, kTextsInCall);
  } else {
    compile.sequences = options_.runner.max_running;
    compile.logit_rows = compile.sequences;
    if (options_.runner.drafts) {
      compile.logit_rows = std::max(compile.logit_rows, kDraftingRequests * (kMaxDraft + 1));
    }
  }
  ASSIGN_OR_RETURN(Program program, CompileWithConsole(*file_, *registry_, compile, &context_));
  EngineOptions engine = EmbeddingEngine(program);
  if (!gives_vectors) {
    ASSIGN_OR_RETURN(engine, EngineFor(program, compile.context));
  }

  ServedModelOptions served;
  served.names = options_.names;
  served.context = engine.context;
  served.max_choices = options_.runner.max_running;
  if (!options_.chat_template.empty()) {
    ASSIGN_OR_RETURN(served.chat_template, ReadInput(options_.chat_template, kMaxTemplateBytes));
    RETURN_IF_ERROR(ChatTemplate::Compile(served.chat_template).status());
  }
  ASSIGN_OR_RETURN(model_, ServedModel::Create(*file_, served));
  if (!gives_vectors && !model_->chat().warning().empty()) {
    context_.console().Warning(model_->chat().warning());
  }

  ASSIGN_OR_RETURN(engine_, LoadEngineWithConsole(std::move(program), *file_, *registry_, engine,
                                                  options_.model.pack_cache, &context_));
  RunnerOptions runner = options_.runner;
  runner.max_running = std::min(runner.max_running, engine.sequences);
  runner.estimate_ms = EstimateOf(engine_);
  ASSIGN_OR_RETURN(runner_, RequestRunner::Create(engine_, runner));
  token_runner_ = std::make_unique<EngineTokenRunner>(runner_.get());
  return gives_vectors ? LoadVectors(pooling) : absl::OkStatus();
}

absl::Status ModelServer::Listen() {
  std::unique_ptr<metrics::AccessLog> log;
  if (!options_.access_log.empty()) {
    metrics::AccessLogOptions log_options;
    log_options.path = options_.access_log;
    log_options.warn = [this](const std::string& text) { context_.console().Warning(text); };
    ASSIGN_OR_RETURN(log, metrics::AccessLog::Open(log_options));
  }
  metrics_ = std::make_unique<ServeMetrics>(model_->name(), GitRevision(), std::move(log));

  ApiServerOptions api;
  api.model = model_.get();
  api.runner = token_runner_.get();
  api.vectors = vectors_.get();
  api.new_observers = [this](const std::string& id, size_t prompts) {
    return metrics_->NewObservers(id, prompts);
  };
  api.regimes = RegimesOf(engine_->program());
  api.version = GitRevision();
  api.ping_seconds = options_.ping_seconds;
  api.page = [] { return Html(std::string(PageHtml()), PagePolicy()); };
  api.placement = [this] { return PlacementPage(); };
  api.metrics = [this] {
    http::Response response;
    response.content_type = metrics::kExpositionType;
    response.body = metrics_->Page(*token_runner_, http_->counts());
    return response;
  };
  api_ = std::make_unique<ApiServer>(std::move(api));

  http::ServerOptions http = options_.http;
  http.on_access = [this](const http::AccessRecord& record) { metrics_->OnAccess(record); };
  absl::StatusOr<std::unique_ptr<http::Server>> listening = http::Server::Create(http, api_.get());
  // A port in use is no missing device, which is what this code means to the tools.
  if (absl::IsUnavailable(listening.status())) {
    return absl::FailedPreconditionError(listening.status().message());
  }
  ASSIGN_OR_RETURN(http_, std::move(listening));
  return absl::OkStatus();
}

http::Response ModelServer::PlacementPage() const {
  NamedProgram named;
  named.name = file_->gguf().path();
  named.program = &engine_->program();
  return Html(HtmlText({named}), kPlacementPolicy);
}

void ModelServer::WarnAboutExposure() const {
  const http::ServerOptions& http = options_.http;
  if (!IsReachableFromOutside(http)) return;
  if (http.keys_file.empty()) {
    context_.console().Warning(StrCat("--host ", http.host,
                                      ": anybody who reaches this address can use the model; "
                                      "ask for keys with --keys"));
  } else if (http.tls_certificate.empty()) {
    context_.console().Warning(
        "keys travel readable for everybody on the way; use --tls-cert and --tls-key, or a proxy");
  }
}

std::string ModelServer::url() const {
  const http::ServerOptions& http = options_.http;
  if (!http.unix_socket.empty()) return StrCat("unix:", http.unix_socket);
  const bool is_v6 = http.host.find(':') != std::string::npos;
  return StrCat(http.tls_certificate.empty() ? "http" : "https", "://", is_v6 ? "[" : "", http.host,
                is_v6 ? "]" : "", ":", http_->port(), "/");
}

void ModelServer::OnHangUp() {
  metrics_->ReopenLog();
  const http::ServerOptions& http = options_.http;
  if (!http.keys_file.empty()) SayReloaded(http_->ReloadKeys(), "keys", http.keys_file);
  if (!http.tls_certificate.empty()) {
    SayReloaded(http_->ReloadCertificate(), "certificate", http.tls_certificate);
  }
}

void ModelServer::SayReloaded(const absl::Status& status, std::string_view what,
                              const std::string& path) const {
  if (status.ok()) {
    context_.console().Info(StrCat(what, " read from ", path));
  } else {
    context_.console().Error(
        absl::Status(status.code(), StrCat(what, " not changed: ", ToStd(status.message()))));
  }
}

absl::Status ModelServer::Run() {
  HangUp hang_up;
  absl::Status status;
  std::atomic<bool> is_done = false;
  std::thread io([&] {
    status = http_->Run();
    is_done = true;
  });
  const bool is_drained = ObeySignals(&hang_up, is_done);
  io.join();
  if (is_drained && status.ok()) context_.interrupt().Obeyed();
  return status;
}

// noexcept: an exception here, where memory runs out, ends the process with its error line. It
// cannot be passed on to where the thread of the connections would have to be stopped first.
bool ModelServer::ObeySignals(HangUp* hang_up, const std::atomic<bool>& is_done) noexcept {
  bool is_draining = false;
  while (!is_done) {
    if (hang_up->Take()) OnHangUp();
    if (!is_draining && context_.interrupt().requested()) {
      is_draining = true;
      context_.console().Info("finishing the running answers; a second signal ends at once");
      api_->StopAccepting();
      runner_->StopAccepting();
      http_->Drain(options_.drain_seconds);
    }
    std::this_thread::sleep_for(kSignalPoll);
  }
  return is_draining;
}

}  // namespace infer::serve
