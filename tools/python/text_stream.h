// SPDX-License-Identifier: Apache-2.0
//
// A generation that runs on a thread of its own, which never touches Python, and hands over its
// text in pieces.
#pragma once

#include <infer/infer.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

namespace infer::python {

// A sequence, and whether a stream is using it: the library leaves it to the caller that only one
// thread uses a sequence at a time.
struct SharedSequence {
  explicit SharedSequence(Engine of, Sequence held)
      : engine(std::move(of)), sequence(std::move(held)) {}
  Engine engine;
  Sequence sequence;
  std::atomic<bool> busy = false;
};

class TextStream {
 public:
  using Work = std::function<Result<Generation>(Sequence&, const GenerateOptions&)>;

  // Starts `work` with the options, whose callbacks it replaces. The sequence is busy until the
  // work has ended. `keep_logits` keeps those of every token.
  TextStream(std::shared_ptr<SharedSequence> sequence, GenerateOptions options, bool keep_logits,
             Work work);
  // Cancels the generation and waits for its end.
  ~TextStream();
  TextStream(const TextStream&) = delete;
  TextStream& operator=(const TextStream&) = delete;

  enum class State { kPiece, kEnded, kWaiting };
  // Takes the next piece of text if one comes within the time.
  State Next(std::chrono::milliseconds limit, std::string* piece);

  void Cancel() { options_.cancel.Cancel(); }

  // Valid after Next has returned kEnded:
  const Result<Generation>& result() const { return *result_; }
  const std::vector<float>& logits() const { return logits_; }  // token by token
  int64_t logits_of_token() const { return logits_of_token_; }
  const std::vector<TokenStep>& steps() const { return steps_; }  // with top_logprobs

 private:
  void Run(bool keep_logits, const Work& work);

  std::shared_ptr<SharedSequence> sequence_;
  GenerateOptions options_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::string> pieces_;
  bool ended_ = false;
  std::optional<Result<Generation>> result_;
  std::vector<float> logits_;
  int64_t logits_of_token_ = 0;
  std::vector<TokenStep> steps_;
  std::thread thread_;
};

}  // namespace infer::python
