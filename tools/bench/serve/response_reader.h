// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <string_view>

namespace infer::load {

// Reads one HTTP response from pieces of a connection's bytes.
class ResponseReader {
 public:
  enum class State { kHead, kBody, kDone, kBad };

  ResponseReader();
  ~ResponseReader();

  // Returns the part of the body that `bytes` completes, without its chunked encoding.
  std::string Feed(std::string_view bytes);
  // The connection was closed: the end of a body without a length, else an error.
  void FeedEnd();

  State state() const { return state_; }
  int status() const { return status_; }  // 0 before the head is complete
  const std::string& content_type() const { return content_type_; }
  const std::string& error() const { return error_; }  // if kBad

 private:
  struct Parser;  // the library's

  std::unique_ptr<Parser> parser_;
  std::string unread_;
  State state_ = State::kHead;
  int status_ = 0;
  std::string content_type_;
  std::string error_;
};

}  // namespace infer::load
