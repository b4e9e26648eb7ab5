// SPDX-License-Identifier: Apache-2.0
#include "tools/serve/api/choice_reader.h"

#include <algorithm>
#include <utility>

#include "frontends/tokenizer/utf8.h"

namespace infer::serve {

void EmptyLineTrimmer::Push(std::string_view piece, bool trims_start, std::string* out) {
  if (!has_begun_ && trims_start) {
    piece.remove_prefix(std::min(piece.find_first_not_of('\n'), piece.size()));
  }
  if (piece.empty()) return;
  has_begun_ = true;
  const size_t end = piece.find_last_not_of('\n') + 1;
  if (end > 0) {
    out->append(held_lines_, '\n');
    out->append(piece, 0, end);
    held_lines_ = 0;
  }
  held_lines_ += piece.size() - end;
}

std::string EmptyLineTrimmer::TakeHeld() {
  return std::string(std::exchange(held_lines_, 0), '\n');
}

ChoiceReader::ChoiceReader(const Tokenizer* tokenizer, const PreparedRequest* request)
    : tokenizer_(tokenizer),
      request_(request),
      decoder_(tokenizer, {.skip_control = true}),
      // The strings were checked when the request was read.
      stops_(*StopStrings::Create(request->stop)),
      reader_(request->thought_is_open, request->tools,
              [this](AnswerPart part, std::string_view text) { return OnPart(part, text); }),
      has_thought_(request->thought_is_open) {}

bool ChoiceReader::Add(const TokenOutput& token) {
  if (is_over_) return false;
  // Tags have no place in the probabilities of the content.
  const Vocabulary& vocabulary = tokenizer_->vocabulary();
  const bool is_tag = vocabulary.contains(token.id) && vocabulary.is_special(token.id);
  if (request_->token_requests[0].top_logprobs >= 0 && !is_tag) {
    logprobs_.push_back(EntryOf(token));
  }
  text_.clear();
  decoder_.Append(token.id, &text_);
  const std::string_view text = ReplaceInvalidUtf8(text_, &storage_);
  token_is_thought_ = false;
  if (request_->is_chat) {
    reader_.Feed(text);
  } else {
    OnStoppableContent(text);
  }
  if (token_is_thought_) ++thought_tokens_;
  return !is_over_;
}

void ChoiceReader::Finish() {
  text_.clear();
  if (!is_over_) decoder_.Flush(&text_);
  const std::string_view text = ReplaceInvalidUtf8(text_, &storage_);
  if (!request_->is_chat) {
    OnStoppableContent(text);
    EmitContent(stops_.Finish());
    return;
  }
  reader_.Feed(text);
  reader_.Finish();
  // Empty lines at the end of a plain text are a part of it.
  if (!has_thought_ && calls_ == 0) OnStoppableContent(content_trimmer_.TakeHeld());
  EmitContent(stops_.Finish());
}

bool ChoiceReader::OnPart(AnswerPart part, std::string_view text) {
  if (is_over_) return false;
  switch (part) {
    case AnswerPart::kThought: {
      has_thought_ = true;
      token_is_thought_ = true;
      std::string shown;
      thought_trimmer_.Push(text, true, &shown);
      logprobs_.clear();
      Emit(part, shown);
      break;
    }
    case AnswerPart::kContent:
      OnContent(text);
      break;
    case AnswerPart::kToolName:
      if (calls_ > 0 && request_->one_call) {
        is_over_ = true;
        break;
      }
      // What was held back as the possible beginning of a stop string is content before the call.
      EmitContent(stops_.Finish());
      logprobs_.clear();
      ++calls_;
      Emit(part, text);
      break;
    case AnswerPart::kToolArguments:
      Emit(part, text);
      if (request_->one_call) is_over_ = true;
      break;
  }
  return !is_over_;
}

void ChoiceReader::OnContent(std::string_view text) {
  std::string shown;
  const bool trims_start = has_thought_ || calls_ > 0;
  if (has_thought_ || !request_->tools.empty()) {
    content_trimmer_.Push(text, trims_start, &shown);
    OnStoppableContent(shown);
  } else {
    OnStoppableContent(text);
  }
}

void ChoiceReader::OnStoppableContent(std::string_view text) {
  if (is_over_ || text.empty()) return;
  EmitContent(stops_.Push(text));
  if (!stops_.found()) return;
  stop_string_ = request_->stop[*stops_.found()];
  is_over_ = true;
}

void ChoiceReader::EmitContent(std::string_view text) {
  if (text.empty()) return;
  Emit(AnswerPart::kContent, text);
  std::vector<LogprobEntry>& entries = pieces_.back().logprobs;
  std::ranges::move(logprobs_, std::back_inserter(entries));
  logprobs_.clear();
}

void ChoiceReader::Emit(AnswerPart part, std::string_view text) {
  const bool continues =
      !pieces_.empty() && pieces_.back().part == part && part != AnswerPart::kToolName;
  if (text.empty() && part == AnswerPart::kThought) return;
  if (!continues) pieces_.emplace_back().part = part;
  pieces_.back().text += text;
}

LogprobEntry ChoiceReader::EntryOf(const TokenOutput& token) const {
  const auto make = [&](int32_t id, float logprob) {
    LogprobToken made;
    made.logprob = logprob;
    tokenizer_->AppendTokenBytes(id, {}, &made.bytes);
    return made;
  };
  LogprobEntry entry;
  entry.token = make(token.id, token.logprob);
  for (const TokenLogprob& other : token.top) entry.top.push_back(make(other.id, other.logprob));
  return entry;
}

std::vector<AnswerPiece> ChoiceReader::TakePieces() { return std::exchange(pieces_, {}); }

}  // namespace infer::serve
