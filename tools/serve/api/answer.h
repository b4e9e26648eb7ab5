// SPDX-License-Identifier: Apache-2.0
//
// An answer as all APIs see it; the shapes write it in the form of one of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tools/api/answer_reader.h"

namespace infer::serve {

// A token with its probability, as text and as the bytes that it stands for.
struct LogprobToken {
  std::string bytes = {};
  float logprob = 0;
};
struct LogprobEntry {
  LogprobToken token = {};
  std::vector<LogprobToken> top = {};
};

// A part of an answer that is ready to be sent.
struct AnswerPiece {
  AnswerPart part = AnswerPart::kContent;
  std::string text = {};
  std::vector<LogprobEntry> logprobs = {};  // of the tokens of a content
};

enum class Finish : uint8_t { kStop, kLength, kToolCalls };

struct ToolCall {
  std::string id = {};
  std::string name = {};
  std::string arguments = {};  // JSON text
};

struct ChoiceAnswer {
  std::string thought = {};
  std::string content = {};
  std::vector<ToolCall> calls = {};
  std::vector<LogprobEntry> logprobs = {};
  Finish finish = Finish::kStop;
  std::optional<std::string> stop_string = {};  // that ended it
};

struct AnswerUsage {
  int64_t prompt_tokens = 0;
  int64_t cached_tokens = 0;
  std::string cache_end = {};  // why no more of the prompt came from the cache
  int64_t completion_tokens = 0;
  int64_t reasoning_tokens = 0;
  double queue_ms = 0;
  double prefill_ms = 0;
  double decode_ms = 0;
};

struct Answer {
  std::string id = {};  // letters and digits; each API adds its prefix
  int64_t created = 0;  // seconds since 1970
  std::string model = {};
  std::vector<ChoiceAnswer> choices = {};
  AnswerUsage usage = {};
};

// Returns an answer of now with an id of its own and empty choices.
Answer NewAnswer(std::string model, size_t choices);

// Adds a piece to a choice. A stream needs its probabilities only once, so it does not keep them.
void AddPiece(const AnswerPiece& piece, size_t choice, bool keep_logprobs, Answer* answer);

}  // namespace infer::serve
