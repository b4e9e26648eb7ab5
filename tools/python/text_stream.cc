// SPDX-License-Identifier: Apache-2.0
#include "tools/python/text_stream.h"

#include <exception>
#include <utility>

namespace infer::python {

TextStream::TextStream(std::shared_ptr<SharedSequence> sequence, GenerateOptions options,
                       bool keep_logits, Work work)
    : sequence_(std::move(sequence)), options_(std::move(options)) {
  thread_ = std::thread([this, keep_logits, work = std::move(work)] { Run(keep_logits, work); });
}

TextStream::~TextStream() {
  Cancel();
  thread_.join();
}

void TextStream::Run(bool keep_logits, const Work& work) {
  options_.on_text = [this](std::string_view piece) {
    {
      std::lock_guard<std::mutex> lock(mutex_);
      pieces_.emplace_back(piece);
    }
    changed_.notify_all();
    return true;
  };
  options_.on_token = [this, keep_logits](const TokenStep& step) {
    if (keep_logits && step.logits != nullptr) {
      logits_of_token_ = step.vocabulary;
      logits_.insert(logits_.end(), step.logits, step.logits + step.vocabulary);
    }
    if (options_.top_logprobs >= 0) {
      steps_.push_back(step);
      steps_.back().logits = nullptr;  // valid during the call only
    }
  };
  std::optional<Result<Generation>> result;
  try {
    result = work(sequence_->sequence, options_);
  } catch (const std::exception& error) {  // keeping logits may need more memory than there is
    result = Error{1, error.what()};
  }
  // Before anybody sees the end: whoever does may use the sequence again at once.
  sequence_->busy = false;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    result_ = std::move(result);
    ended_ = true;
  }
  changed_.notify_all();
}

TextStream::State TextStream::Next(std::chrono::milliseconds limit, std::string* piece) {
  std::unique_lock<std::mutex> lock(mutex_);
  changed_.wait_for(lock, limit, [this] { return !pieces_.empty() || ended_; });
  if (!pieces_.empty()) {
    *piece = std::move(pieces_.front());
    pieces_.pop_front();
    return State::kPiece;
  }
  return ended_ ? State::kEnded : State::kWaiting;
}

}  // namespace infer::python
