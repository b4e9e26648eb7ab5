// SPDX-License-Identifier: Apache-2.0
//
// The public interface of infer: load a model, compile it, generate text. Standard types only, so a
// program that uses it needs nothing but this header and the library.
//
//   auto model = infer::Model::Load("model.gguf");
//   if (!model.ok()) { ... model.error().message ... }
//   auto program = infer::Compile(model.value());
//   auto session = infer::Session::Create(model.value(), program.value());
//   auto text = session.value().Generate("Once upon a time");
//
// Objects share what they need of each other, so they may be destroyed in any order. A Session is
// used by one thread at a time; everything else is immutable.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#if defined(__GNUC__)
#define INFER_API __attribute__((visibility("default")))
#else
#define INFER_API
#endif

namespace infer {

// What stands behind the public objects.
namespace engine {
struct ModelHandle;
struct ProgramHandle;
struct SessionHandle;
}  // namespace engine

inline namespace v1 {

// One line that says what went wrong, where and what to try. The code is the exit code that the
// tools use: 1 run time, 2 usage, 3 bad input, 4 no memory, 5 unavailable.
struct Error {
  int code = 1;
  std::string message;
};

// A value or an error; asking for the wrong one throws std::bad_variant_access.
template <class T>
class Result {
 public:
  Result(T value) : held_(std::move(value)) {}      // NOLINT: implicit by design
  Result(Error error) : held_(std::move(error)) {}  // NOLINT: implicit by design

  bool ok() const { return held_.index() == 0; }
  T& value() { return std::get<0>(held_); }
  const T& value() const { return std::get<0>(held_); }
  const Error& error() const { return std::get<1>(held_); }

 private:
  std::variant<T, Error> held_;
};

// A model file, opened, checked and mapped.
class INFER_API Model {
 public:
  static Result<Model> Load(const std::string& path);

  std::string name() const;
  int64_t vocabulary() const;
  int64_t context() const;  // positions it was trained for

  // Special tokens in the text become their ids.
  Result<std::vector<int32_t>> Encode(std::string_view text) const;
  Result<std::string> Decode(const std::vector<int32_t>& ids) const;

  using Handle = std::shared_ptr<const engine::ModelHandle>;
  explicit Model(Handle handle) : handle_(std::move(handle)) {}
  const Handle& handle() const { return handle_; }

 private:
  Handle handle_;
};

struct CompileOptions {
  std::string policy;   // name or file; empty: the default policy
  int64_t context = 0;  // cache entries; 0: 4096, or the model's own if that is shorter
  int64_t chunk = 512;  // most tokens in one call
};

// A model compiled for this machine: every node has its place, kernel and memory.
class INFER_API Program {
 public:
  // A stored program, as Serialize() makes it.
  static Result<Program> Load(const std::string& path);
  Result<std::string> Serialize() const;
  std::string ToText() const;  // the readable form, with the reason for every placement

  using Handle = std::shared_ptr<const engine::ProgramHandle>;
  explicit Program(Handle handle) : handle_(std::move(handle)) {}
  const Handle& handle() const { return handle_; }

 private:
  Handle handle_;
};

INFER_API Result<Program> Compile(const Model& model, const CompileOptions& options = {});

struct GenerateOptions {
  int64_t max_tokens = 256;
  double temperature = 0.6;  // 0 takes the likeliest token
  int32_t top_k = 20;
  double top_p = 0.95;
  double min_p = 0.0;
  double repeat_penalty = 1.0;
  double presence_penalty = 0.0;
  int32_t repeat_last_n = 64;  // tokens that the two penalties look back
  uint64_t seed = 0;           // same seed, same text
  std::vector<std::string> stop;
  bool ignore_end = false;  // go on after an end token
};

// A conversation or text in progress: what was run stays in the cache, and a prompt that begins
// like the one before is not run again.
class INFER_API Session {
 public:
  static Result<Session> Create(const Model& model, const Program& program);
  // The continuation of `prompt`, which may be empty. `on_text` gets it in pieces as they are made;
  // false ends it.
  Result<std::string> Generate(const std::string& prompt, const GenerateOptions& options = {},
                               const std::function<bool(std::string_view)>& on_text = {});

  using Handle = std::shared_ptr<engine::SessionHandle>;
  explicit Session(Handle handle) : handle_(std::move(handle)) {}

 private:
  Handle handle_;
};

}  // namespace v1
}  // namespace infer
