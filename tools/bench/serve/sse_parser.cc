// SPDX-License-Identifier: Apache-2.0
#include "tools/bench/serve/sse_parser.h"

#include <utility>

namespace infer::load {

std::vector<std::string> SseParser::Feed(std::string_view piece) {
  std::vector<std::string> events;
  for (size_t begin = 0; begin < piece.size() && !is_too_large_;) {
    if (after_return_ && piece[begin] == '\n') ++begin;
    after_return_ = false;
    const size_t end = piece.find_first_of("\r\n", begin);
    line_ += piece.substr(begin, end == piece.npos ? end : end - begin);
    is_too_large_ = line_.size() + data_.size() > kMaxEventBytes;
    if (end == piece.npos) break;
    after_return_ = piece[end] == '\r';
    EndLine(&events);
    begin = end + 1;
  }
  return events;
}

void SseParser::EndLine(std::vector<std::string>* events) {
  const std::string line = std::exchange(line_, {});
  if (line.empty()) {
    if (has_data_) events->push_back(std::exchange(data_, {}));
    has_data_ = false;
    return;
  }
  std::string_view rest = line;
  if (!rest.starts_with("data")) return;
  rest.remove_prefix(4);
  if (!rest.empty() && rest.front() != ':') return;  // another field, such as "database"
  if (!rest.empty()) rest.remove_prefix(1);
  if (rest.starts_with(' ')) rest.remove_prefix(1);
  if (has_data_) data_ += '\n';
  data_ += rest;
  has_data_ = true;
}

}  // namespace infer::load
