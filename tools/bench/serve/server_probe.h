// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <functional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "tools/bench/serve/prompt_maker.h"
#include "tools/bench/serve/request_text.h"

namespace infer::load {

struct FetchedText {
  int status = 0;
  std::string body;
};

// Sends one message and waits for the whole response. Returns kUnavailable if there is none within
// `timeout_s`.
absl::StatusOr<FetchedText> Fetch(const ServerUrl& url, const std::string& message,
                                  double timeout_s, const std::atomic<bool>& stop);

// Returns the name of the first model that the server lists, or "default" if it lists none.
absl::StatusOr<std::string> FirstModel(const ServerUrl& url, const RequestForm& form,
                                       const std::atomic<bool>& stop);

// Finds out how many tokens words have: from /tokenize where the server has it, and from the usage
// of two short completions, which also shows what it adds to a prompt. `warn` hears what remains
// unknown.
absl::StatusOr<PromptMaker> MakePromptMaker(const ServerUrl& url, const RequestForm& form,
                                            const std::atomic<bool>& stop,
                                            const std::function<void(const std::string&)>& warn);

}  // namespace infer::load
