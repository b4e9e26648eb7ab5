// SPDX-License-Identifier: Apache-2.0
#include "infer/infer.h"

#include "tools/api/engine.h"

namespace infer {
inline namespace v1 {
namespace {

// An outcome of the engine as a public result; `wrap` makes the public value.
template <class T, class Inner, class Wrap>
Result<T> Convert(engine::Outcome<Inner> outcome, const Wrap& wrap) {
  if (auto* failure = std::get_if<engine::Failure>(&outcome)) {
    return Error{failure->code, std::move(failure->message)};
  }
  return wrap(std::get<0>(std::move(outcome)));
}

constexpr auto kAsIs = [](auto value) { return value; };

}  // namespace

Result<Model> Model::Load(const std::string& path) {
  return Convert<Model>(engine::LoadModel(path), [](Handle handle) { return Model(handle); });
}

std::string Model::name() const { return engine::ModelName(*handle_); }
int64_t Model::vocabulary() const { return engine::ModelVocabulary(*handle_); }
int64_t Model::context() const { return engine::ModelContext(*handle_); }

Result<std::vector<int32_t>> Model::Encode(std::string_view text) const {
  return Convert<std::vector<int32_t>>(engine::Encode(*handle_, text), kAsIs);
}

Result<std::string> Model::Decode(const std::vector<int32_t>& ids) const {
  return Convert<std::string>(engine::Decode(*handle_, ids), kAsIs);
}

Result<Program> Compile(const Model& model, const CompileOptions& options) {
  return Convert<Program>(
      engine::CompileProgram(*model.handle(), options.policy, options.context, options.chunk),
      [](Program::Handle handle) { return Program(handle); });
}

Result<Program> Program::Load(const std::string& path) {
  return Convert<Program>(engine::LoadProgram(path), [](Handle handle) { return Program(handle); });
}

Result<std::string> Program::Serialize() const {
  return Convert<std::string>(engine::SerializeProgram(*handle_), kAsIs);
}

std::string Program::ToText() const { return engine::ProgramText(*handle_); }

Result<Session> Session::Create(const Model& model, const Program& program) {
  return Convert<Session>(engine::CreateSession(model.handle(), *program.handle()),
                          [](Handle handle) { return Session(handle); });
}

Result<std::string> Session::Generate(const std::string& prompt, const GenerateOptions& options,
                                      const std::function<bool(std::string_view)>& on_text) {
  engine::GenerateParams params{.max_tokens = options.max_tokens,
                                .temperature = options.temperature,
                                .top_k = options.top_k,
                                .top_p = options.top_p,
                                .min_p = options.min_p,
                                .repeat_penalty = options.repeat_penalty,
                                .presence_penalty = options.presence_penalty,
                                .repeat_last_n = options.repeat_last_n,
                                .seed = options.seed,
                                .stop = options.stop,
                                .ignore_end = options.ignore_end};
  return Convert<std::string>(engine::Generate(*handle_, prompt, params, on_text), kAsIs);
}

}  // namespace v1
}  // namespace infer
