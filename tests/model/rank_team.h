// SPDX-License-Identifier: Apache-2.0
//
// The ranks of a divided model as threads of one process: rank 0 is the test, the others follow it.
#pragma once

#include <memory>
#include <optional>
#include <thread>
#include <vector>

#include "absl/status/status.h"
#include "runtime/collective.h"
#include "runtime/kernel_registry.h"
#include "runtime/session.h"
#include "tools/api/compile_model.h"
#include "tools/api/model_file.h"

namespace infer::test {

class RankTeam {
 public:
  // Whether ranks have the memory of their collectives' results in common, or send messages.
  enum class Exchange { kCommon, kSent };
  // Every rank compiles the model and loads its part, the others with `others` where that is given.
  // Each rank runs on one thread.
  RankTeam(const ModelFile& model, const CompileModelOptions& options,
           Exchange exchange = Exchange::kCommon,
           const std::optional<CompileModelOptions>& others = std::nullopt);
  ~RankTeam();

  const absl::Status& status() const { return status_; }
  Session& session() const { return *session_; }
  // That of rank 0.
  Engine& engine() const { return *engine_; }
  // Bytes of weights that rank 0 has packed.
  uint64_t packed_bytes() const { return session_->packed_weights().bytes(); }
  // What each follower returned; call it after the session has ended.
  const std::vector<absl::Status>& Finish();

 private:
  std::vector<std::unique_ptr<KernelRegistry>> registries_;
  std::shared_ptr<Engine> engine_;
  std::unique_ptr<Session> session_;
  std::vector<absl::Status> ended_;
  std::vector<std::thread> followers_;
  absl::Status status_;
};

}  // namespace infer::test
