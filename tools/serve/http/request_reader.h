// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "tools/serve/http/head_syntax.h"
#include "tools/serve/http/http.h"
#include "tools/serve/http/problem.h"
#include "tools/serve/http/request_parser.h"
#include "tools/serve/http/request_rules.h"
#include "tools/serve/http/server_options.h"

namespace infer::http {

// Memory of all bodies that are being received. Used on the I/O thread alone.
class BodyBudget {
 public:
  explicit BodyBudget(size_t max_bytes) : max_bytes_(max_bytes) {}
  bool Add(size_t bytes) {
    if (bytes > max_bytes_ - used_bytes_) return false;
    used_bytes_ += bytes;
    return true;
  }
  void Remove(size_t bytes) { used_bytes_ -= bytes; }

 private:
  size_t max_bytes_;
  size_t used_bytes_ = 0;
};

// Turns the bytes of one connection into requests. Does no input itself.
class RequestReader {
 public:
  enum class Progress {
    kNeedMore,      // more bytes are needed
    kSendContinue,  // the client waits for "100 Continue"; goes on with the next call
    kRequest,       // verdict().request is complete
    kResponse,      // verdict().response answers the request
    kProblem,       // verdict().problem; what follows on this connection cannot be read
  };

  // The objects must outlive the reader.
  RequestReader(const ServerOptions& options, const RequestRules& rules, BodyBudget* budget,
                std::string peer);
  ~RequestReader();

  void Append(std::string_view bytes) { input_.append(bytes); }
  // Goes on with the bytes that are there. After kRequest or kResponse the next call begins with
  // the next request.
  Progress Advance();

  HeadVerdict& verdict() { return verdict_; }
  // The method as sent, of the request that was read last.
  const std::string& method() const { return method_; }
  size_t buffered_bytes() const { return input_.size(); }
  // Whether nothing of a next request has arrived.
  bool is_idle() const { return phase_ == Phase::kHead && input_.empty(); }
  bool has_failed() const { return phase_ == Phase::kFailed; }
  bool is_in_body() const { return phase_ == Phase::kBody; }
  size_t body_bytes() const { return counted_bytes_; }

 private:
  enum class Phase { kHead, kBody, kDone, kFailed };

  Progress ReadHead();
  Progress BeginBody();
  Progress ReadBody();
  Progress Fail(Problem problem);
  Progress Complete();
  void ReleaseBody();
  void Consume(size_t bytes);

  const ServerOptions& options_;
  const RequestRules& rules_;
  BodyBudget* const budget_;
  const std::string peer_;
  Phase phase_ = Phase::kHead;
  std::string input_ = {};
  bool skipped_empty_line_ = false;
  std::optional<HeadScanner> scanner_ = {};
  std::unique_ptr<RequestParser> parser_ = {};
  size_t counted_bytes_ = 0;  // of the body, as counted in budget_
  std::string method_ = {};
  HeadVerdict verdict_ = {};
};

}  // namespace infer::http
