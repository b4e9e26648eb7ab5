// SPDX-License-Identifier: Apache-2.0
//
// What a client asks for, whichever API it speaks.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "frontends/family/chat.h"
#include "tools/api/tool_constraint.h"

namespace infer::serve {

enum class ApiKind : uint8_t { kChat, kCompletions, kResponses, kMessages };

// A prompt of the completions API: text, or token ids.
struct TextPrompt {
  std::string text = {};
  std::vector<int32_t> ids = {};
  bool is_ids = false;
};

struct FunctionTool {
  std::string name = {};
  std::string json = {};   // as templates expect it: {"type": "function", "function": {...}}
  std::string rules = {};  // the same with "strict", which says whether its schema binds a call
};

// Parts of a Responses request that its response repeats, as JSON texts; empty: null.
struct EchoedParts {
  std::string instructions = {};
  std::string metadata = {};
  std::string reasoning = {};
  std::string text = {};
  std::string tool_choice = {};
  std::string tools = {};
  std::string user = {};
};

struct GenerationRequest {
  ApiKind api = ApiKind::kChat;
  std::string model = {};

  std::vector<ChatMessage> messages = {};  // of a chat
  std::vector<TextPrompt> prompts = {};    // of completions
  std::vector<FunctionTool> tools = {};
  ToolChoice tool_choice = ToolChoice::kAuto;
  std::string tool_name = {};  // with kRequired: the one to call; empty: any
  bool parallel_tool_calls = true;

  std::optional<double> temperature = {};
  std::optional<double> top_p = {};
  std::optional<double> min_p = {};
  std::optional<double> presence_penalty = {};
  std::optional<double> frequency_penalty = {};
  std::optional<double> repeat_penalty = {};
  std::optional<int64_t> repeat_last_n = {};
  std::optional<int64_t> top_k = {};
  std::optional<int64_t> seed = {};
  std::vector<std::pair<int32_t, float>> logit_bias = {};

  std::optional<int64_t> max_tokens = {};
  std::optional<int64_t> n = {};
  std::optional<int64_t> best_of = {};
  std::vector<std::string> stop = {};
  bool ignore_eos = false;

  std::string json_schema = {};  // text that the answer must fit; empty: any text
  std::string schema_path = {};  // where it stands in the request

  std::optional<bool> think = {};            // not set: up to the model
  std::optional<int64_t> think_budget = {};  // tokens
  bool force_thought = false;                // begin with a thought, not only allow it

  bool logprobs = false;
  std::optional<int64_t> top_logprobs = {};
  bool stream = false;
  bool include_usage = false;

  std::optional<int64_t> priority = {};
  std::string cache_salt = {};
  EchoedParts echoed = {};

  // Names of parameters that have no effect here, for a header of the response.
  std::vector<std::string> ignored = {};
};

}  // namespace infer::serve
