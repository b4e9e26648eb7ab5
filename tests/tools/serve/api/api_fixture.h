// SPDX-License-Identifier: Apache-2.0
//
// An ApiServer over the bundled model's tokenizer and template, with a runner and responders that
// the test plays.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "ir/base/json.h"
#include "tests/tools/serve/api/fake_responder.h"
#include "tests/tools/serve/api/fake_runner.h"
#include "tools/api/model_file.h"
#include "tools/serve/api/api_server.h"

namespace infer::serve {

// The bundled model, opened once.
const ServedModel& BundledModel();

// The data of each event of a stream; "[DONE]" is a string. Fails on lines that are none of data,
// event and comments.
struct SseEvent {
  std::string name;
  Json data;
};
std::vector<SseEvent> ParseEvents(std::string_view text);

class ApiFixture : public ::testing::Test {
 protected:
  explicit ApiFixture(ApiServerOptions options = {});

  // Sends a request and waits until the worker has read it.
  std::shared_ptr<FakeResponder> Send(std::string method, std::string path, std::string body = "",
                                      std::string query = "");
  std::shared_ptr<FakeResponder> Post(std::string path, const Json& body) {
    return Send("POST", std::move(path), body.dump());
  }

  // Plays the runner for the request that was submitted last: admits it, gives it tokens and ends
  // it.
  void Admit(int64_t cached_tokens = 0);
  // Adds the tokens of a text to a choice, one step each.
  void Say(std::string_view text, int32_t choice = 0);
  void EndChoice(ChoiceEnd end, int32_t choice = 0);
  void End(absl::Status status = absl::OkStatus());
  // All of it for one choice.
  void Answer(std::string_view text, ChoiceEnd end = ChoiceEnd::kEndToken);
  void WaitForWorker();

  FakeRunner runner_;
  std::unique_ptr<ApiServer> server_;
  std::string key_name_;
  int64_t generated_ = 0;
  int64_t cached_ = 0;
};

}  // namespace infer::serve
