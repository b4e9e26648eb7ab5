// SPDX-License-Identifier: Apache-2.0
//
// A model file with everything that running it takes, for tests of whole models.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "runtime/kernel_registry.h"
#include "runtime/session.h"
#include "tools/api/compile_model.h"
#include "tools/api/model_file.h"

namespace infer::test {

// Fails the running test and ends the process if something does not work: there is no test without
// a model. Must outlive its sessions.
class LoadedModel {
 public:
  // A file of tests/data, or any with a full path. Empty: the bundled model.
  explicit LoadedModel(const std::string& file);
  LoadedModel(const std::string& file, std::unique_ptr<KernelRegistry> registry);

  Program Compile(const CompileModelOptions& options) const;
  std::unique_ptr<Session> NewSession(const CompileModelOptions& options,
                                      SessionOptions session = {}) const;

  const ModelFile& file() const { return file_; }
  const GgufWeights& weights() const { return file_.weights(); }
  const KernelRegistry& registry() const { return *registry_; }

 private:
  ModelFile file_;
  std::unique_ptr<KernelRegistry> registry_;
};

// The prompt's greedy continuation. `margins`, if given, gets the lead of each chosen logit over
// the second.
std::vector<int32_t> ContinueGreedily(Session& session, std::span<const int32_t> prompt, int tokens,
                                      std::vector<float>* margins = nullptr);

// logits() of a session as a vector that outlives the next call.
std::vector<float> LogitsOf(const Session& session);

// Sum of ln p of every token but the first, after RunWithAllLogits of `ids`.
double LogLikelihood(const Session& session, std::span<const int32_t> ids);

}  // namespace infer::test
