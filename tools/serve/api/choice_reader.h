// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "frontends/tokenizer/streaming_decoder.h"
#include "runtime/serving/token_request.h"
#include "runtime/stop_strings.h"
#include "tools/api/answer_reader.h"
#include "tools/serve/api/answer.h"
#include "tools/serve/api/prepared_request.h"

namespace infer::serve {

// Removes empty lines from both ends of a text that arrives in pieces.
class EmptyLineTrimmer {
 public:
  // Appends to `out` what is surely within the text.
  void Push(std::string_view piece, bool trims_start, std::string* out);
  // Returns the empty lines held back so far, and forgets them.
  std::string TakeHeld();

 private:
  bool has_begun_ = false;
  size_t held_lines_ = 0;
};

// Turns the tokens of one choice into pieces of an answer: whole characters only, up to a stop
// string, thoughts and calls apart from the content. Lives on the runner's thread.
class ChoiceReader {
 public:
  // `tokenizer` and `request` must outlive it.
  ChoiceReader(const Tokenizer* tokenizer, const PreparedRequest* request);
  ChoiceReader(const ChoiceReader&) = delete;
  ChoiceReader& operator=(const ChoiceReader&) = delete;

  // Returns false if the answer ends with this token.
  bool Add(const TokenOutput& token);
  // To be called after the last token.
  void Finish();

  // Returns the pieces since the last call; neighbours of the same kind are joined.
  std::vector<AnswerPiece> TakePieces();
  const std::optional<std::string>& stop_string() const { return stop_string_; }
  int calls() const { return calls_; }
  int64_t thought_tokens() const { return thought_tokens_; }

 private:
  bool OnPart(AnswerPart part, std::string_view text);
  void OnContent(std::string_view text);
  void OnStoppableContent(std::string_view text);
  void Emit(AnswerPart part, std::string_view text);
  void EmitContent(std::string_view text);
  LogprobEntry EntryOf(const TokenOutput& token) const;

  const Tokenizer* tokenizer_;
  const PreparedRequest* request_;
  StreamingDecoder decoder_;
  StopStrings stops_;
  AnswerReader reader_;
  EmptyLineTrimmer thought_trimmer_;
  EmptyLineTrimmer content_trimmer_;
  std::string text_;     // of a token
  std::string storage_;  // of text with replaced bytes
  bool has_thought_ = false;
  bool token_is_thought_ = false;
  bool is_over_ = false;  // a stop string was found, or enough calls were made
  int calls_ = 0;
  int64_t thought_tokens_ = 0;
  std::optional<std::string> stop_string_;
  std::vector<LogprobEntry> logprobs_;  // of tokens whose text has not been emitted
  std::vector<AnswerPiece> pieces_;
};

}  // namespace infer::serve
