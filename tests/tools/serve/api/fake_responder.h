// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "tools/serve/http/http.h"

namespace infer::serve {

// Keeps what is sent.
class FakeResponder final : public http::Responder {
 public:
  void Send(http::Response sent) override {
    ++answers;
    response = std::move(sent);
    is_ended = true;
  }
  void StartStream(const std::string& type, const http::Headers& with) override {
    ++answers;
    is_stream = true;
    response.content_type = type;
    response.headers = with;
  }
  void Write(std::string piece) override {
    EXPECT_TRUE(is_stream && !is_ended);
    writes.push_back(std::move(piece));
  }
  void End() override {
    EXPECT_TRUE(is_stream && !is_ended);
    is_ended = true;
  }
  void OnClosed(std::function<void()> closed) override { on_closed = std::move(closed); }
  void OnBacklog(std::function<void(bool)> backlog) override { on_backlog = std::move(backlog); }
  size_t unsent_bytes() const override { return 0; }

  std::string text() const {
    std::string all;
    for (const std::string& piece : writes) all += piece;
    return all;
  }
  std::string header(std::string_view name) const {
    for (const auto& [key, value] : response.headers) {
      if (key == name) return value;
    }
    return "";
  }

  int answers = 0;
  bool is_stream = false;
  bool is_ended = false;
  http::Response response;
  std::vector<std::string> writes;
  std::function<void()> on_closed;
  std::function<void(bool)> on_backlog;
};

}  // namespace infer::serve
