// SPDX-License-Identifier: Apache-2.0
#include <memory>

#include "ir/base/status_macros.h"
#include "ir/base/strings.h"
#include "tools/cli/tool.h"
#include "tools/flags/rank_run.h"
#include "tools/serve/model_server.h"
#include "tools/serve/serve_options.h"

namespace infer {
namespace {

absl::Status ServeMain(ToolContext& context) {
  serve::ServeOptions options;
  Flags flags("infer-serve", "Serve a model over HTTP.");
  serve::RegisterFlags(flags, &options);
  ASSIGN_OR_RETURN(bool proceed, context.Parse(flags));
  if (!proceed) return absl::OkStatus();
  RETURN_IF_ERROR(serve::CompleteOptions(flags, &options));
  RETURN_IF_ERROR(StartRanks(&context));
  ASSIGN_OR_RETURN(std::unique_ptr<serve::ModelServer> server,
                   serve::ModelServer::Create(options, &context));
  // The product: scripts wait for this line.
  RETURN_IF_ERROR(context.out().Stream(StrCat(server->url(), "\n")));
  return server->Run();
}

}  // namespace

extern const Tool kInferServe = {"infer-serve", "serve", "Serve a model over HTTP", ServeMain};

}  // namespace infer
