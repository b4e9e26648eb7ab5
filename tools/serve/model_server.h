// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "runtime/kernel_registry.h"
#include "runtime/serving/request_runner.h"
#include "tools/api/model_file.h"
#include "tools/api/thread_choice.h"
#include "tools/cli/tool.h"
#include "tools/serve/api/api_server.h"
#include "tools/serve/embedder_runner.h"
#include "tools/serve/hang_up.h"
#include "tools/serve/http/server.h"
#include "tools/serve/serve_metrics.h"
#include "tools/serve/serve_options.h"

namespace infer::serve {

// A model with everything that serves it: engine, runner, APIs, HTTP.
class ModelServer {
 public:
  // Compiles and loads the model, and listens. `context` must outlive it.
  static absl::StatusOr<std::unique_ptr<ModelServer>> Create(const ServeOptions& options,
                                                             ToolContext* context);
  ~ModelServer();

  // Serves until a signal arrives and the drain that follows has ended. SIGHUP reads the keys and
  // the certificate again and reopens the log.
  absl::Status Run();

  // "http://127.0.0.1:8080/", or the path of the socket.
  std::string url() const;

 private:
  ModelServer(const ServeOptions& options, ToolContext* context);
  absl::Status OpenModel();
  absl::Status Load();
  absl::StatusOr<EngineOptions> EngineFor(const Program& program, int64_t context) const;
  absl::Status LoadVectors(Pooling pooling);
  absl::Status Listen();
  http::Response PlacementPage() const;
  void WarnAboutExposure() const;
  void OnHangUp();
  // Obeys signals until the connections have ended. Returns whether a signal asked the server to
  // end.
  bool ObeySignals(HangUp* hang_up, const std::atomic<bool>& is_done) noexcept;
  void SayReloaded(const absl::Status& status, std::string_view what,
                   const std::string& path) const;

  const ServeOptions options_;
  ToolContext& context_;
  ThreadChoice threads_;
  std::unique_ptr<KernelRegistry> registry_;
  std::unique_ptr<ModelFile> file_;
  std::unique_ptr<ServedModel> model_;
  std::shared_ptr<Engine> engine_;
  std::unique_ptr<ServeMetrics> metrics_;
  std::unique_ptr<RequestRunner> runner_;
  std::unique_ptr<TokenRunner> token_runner_;
  std::unique_ptr<VectorRunner> vectors_;  // null if the model generates text
  std::unique_ptr<ApiServer> api_;
  std::unique_ptr<http::Server> http_;
};

}  // namespace infer::serve
