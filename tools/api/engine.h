// SPDX-License-Identifier: Apache-2.0
//
// The seam between the public classes (infer/infer.h) and the inner ones, which share their names:
// infer.cc sees the public header and this, engine.cc the inner headers and this.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace infer::engine {

struct ModelHandle;
struct ProgramHandle;
struct SessionHandle;

struct Failure {
  int code = 1;
  std::string message;
};
template <class T>
using Outcome = std::variant<T, Failure>;

using ModelPtr = std::shared_ptr<const ModelHandle>;
using ProgramPtr = std::shared_ptr<const ProgramHandle>;
using SessionPtr = std::shared_ptr<SessionHandle>;

struct GenerateParams {
  int64_t max_tokens;
  double temperature;
  int32_t top_k;
  double top_p;
  double min_p;
  double repeat_penalty;
  double presence_penalty;
  int32_t repeat_last_n;
  uint64_t seed;
  std::vector<std::string> stop;
  bool ignore_end;
};

Outcome<ModelPtr> LoadModel(const std::string& path);
std::string ModelName(const ModelHandle& model);
int64_t ModelVocabulary(const ModelHandle& model);
int64_t ModelContext(const ModelHandle& model);
Outcome<std::vector<int32_t>> Encode(const ModelHandle& model, std::string_view text);
Outcome<std::string> Decode(const ModelHandle& model, const std::vector<int32_t>& ids);

// An empty policy is the default one.
Outcome<ProgramPtr> CompileProgram(const ModelHandle& model, const std::string& policy,
                                   int64_t context, int64_t chunk);
Outcome<ProgramPtr> LoadProgram(const std::string& path);
Outcome<std::string> SerializeProgram(const ProgramHandle& program);
std::string ProgramText(const ProgramHandle& program);

Outcome<SessionPtr> CreateSession(ModelPtr model, const ProgramHandle& program);
Outcome<std::string> Generate(SessionHandle& session, const std::string& prompt,
                              const GenerateParams& params,
                              const std::function<bool(std::string_view)>& on_text);

}  // namespace infer::engine
