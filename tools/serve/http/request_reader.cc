// SPDX-License-Identifier: Apache-2.0
#include "tools/serve/http/request_reader.h"

#include <utility>

#include "ir/base/strings.h"

namespace infer::http {

RequestReader::RequestReader(const ServerOptions& options, const RequestRules& rules,
                             BodyBudget* budget, std::string peer)
    : options_(options), rules_(rules), budget_(budget), peer_(std::move(peer)) {}

RequestReader::~RequestReader() { ReleaseBody(); }

void RequestReader::ReleaseBody() {
  budget_->Remove(counted_bytes_);
  counted_bytes_ = 0;
}

// Gives the memory back as soon as nothing is left: most connections only wait most of the time.
void RequestReader::Consume(size_t bytes) {
  if (bytes >= input_.size()) {
    std::string().swap(input_);
  } else {
    input_.erase(0, bytes);
  }
}

RequestReader::Progress RequestReader::Fail(Problem problem) {
  phase_ = Phase::kFailed;
  parser_.reset();
  ReleaseBody();
  verdict_.problem = std::move(problem);
  return Progress::kProblem;
}

RequestReader::Progress RequestReader::Complete() {
  phase_ = Phase::kDone;
  parser_.reset();
  ReleaseBody();
  return verdict_.response.has_value() ? Progress::kResponse : Progress::kRequest;
}

RequestReader::Progress RequestReader::Advance() {
  if (phase_ == Phase::kFailed) return Progress::kProblem;
  if (phase_ == Phase::kDone) {
    phase_ = Phase::kHead;
    skipped_empty_line_ = false;
    scanner_.reset();
    verdict_ = {};
    method_.clear();
  }
  return phase_ == Phase::kHead ? ReadHead() : ReadBody();
}

RequestReader::Progress RequestReader::ReadHead() {
  // Old clients send an empty line after a body.
  if (!skipped_empty_line_ && input_.starts_with("\r\n")) {
    skipped_empty_line_ = true;
    Consume(2);
  }
  if (input_.empty() || (!skipped_empty_line_ && input_ == "\r")) return Progress::kNeedMore;
  if (!scanner_.has_value()) scanner_.emplace();
  const std::string_view input(input_);
  const auto result = scanner_->Scan(input.substr(0, options_.max_header_bytes));
  if (result == HeadScanner::Result::kBad) return Fail(scanner_->problem());
  if (result == HeadScanner::Result::kMore) {
    if (input_.size() < options_.max_header_bytes) return Progress::kNeedMore;
    return Fail({.status = 431,
                 .message = StrCat("the request head is larger than ", options_.max_header_bytes,
                                   " bytes")});
  }
  const std::string_view head_text = input.substr(0, scanner_->head_bytes());
  if (auto problem = CheckHead(head_text)) return Fail(*std::move(problem));
  Head head;
  parser_ = std::make_unique<RequestParser>(options_.max_body_bytes);
  if (auto problem = parser_->ParseHead(head_text, &head)) return Fail(*std::move(problem));
  Consume(head_text.size());
  method_ = head.method;
  verdict_ = rules_.Judge(std::move(head), peer_);
  if (verdict_.problem.has_value()) return Fail(*std::move(verdict_.problem));
  return BeginBody();
}

RequestReader::Progress RequestReader::BeginBody() {
  if (parser_->is_done()) return Complete();
  phase_ = Phase::kBody;
  if (verdict_.wants_continue && input_.empty()) return Progress::kSendContinue;
  return ReadBody();
}

RequestReader::Progress RequestReader::ReadBody() {
  size_t taken = 0;
  if (auto problem = parser_->PutBody(input_, &taken)) return Fail(*std::move(problem));
  Consume(taken);
  const size_t grown = parser_->body_bytes() - counted_bytes_;
  if (!budget_->Add(grown)) {
    return Fail({.status = 503, .message = "too many large requests are arriving; try again"});
  }
  counted_bytes_ += grown;
  if (parser_->is_done()) {
    verdict_.request.body = parser_->TakeBody();
    return Complete();
  }
  if (input_.size() >= RequestParser::kMaxFramingBytes) {
    return Fail({.message = "a chunk header or the trailers of the body are too long"});
  }
  return Progress::kNeedMore;
}

}  // namespace infer::http
