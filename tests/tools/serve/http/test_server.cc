// SPDX-License-Identifier: Apache-2.0
#include "tests/tools/serve/http/test_server.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <stdexcept>
#include <utility>

#include "ir/base/strings.h"

namespace infer::http {

std::string SocketPath(std::string_view name) {
  return StrCat("/tmp/infer_http_", getpid(), "_", name, ".sock");
}

TestHandler::~TestHandler() {
  for (std::thread& thread : threads_) thread.join();
}

void TestHandler::Handle(Request request, std::shared_ptr<Responder> responder) {
  const std::lock_guard lock(mutex_);
  requests_.push_back(request);
  if (request.path == "/hello") {
    responder->Send({.content_type = "text/plain", .body = "hello"});
  } else if (request.path == "/echo") {
    responder->Send({.body = std::move(request.body),
                     .headers = {{"x-path", request.path}, {"x-query", request.query}}});
  } else if (request.path == "/large") {
    responder->Send({.body = std::string(64 << 10, 'x')});
  } else if (request.path == "/stream") {
    threads_.emplace_back([responder, count = std::atoi(request.query.c_str())] {
      responder->StartStream("text/event-stream", {{"x-extra", "1"}});
      for (int i = 0; i < count; ++i) responder->Write(StrCat("data: ", i, "\n\n"));
      responder->End();
    });
  } else if (request.path == "/hold") {
    held_.push_back(std::move(responder));
  } else if (request.path == "/throw") {
    throw std::runtime_error("a mistake of the handler");
  } else if (request.path != "/drop") {
    responder->Send(Error(404, "no such route"));
  }
}

Response TestHandler::Error(int status, std::string_view message) {
  return {.status = status, .body = StrCat("{\"error\":\"", message, "\"}")};
}

bool TestHandler::IsPublic(std::string_view, std::string_view path) const {
  return path == "/health";
}

void TestHandler::OnDrainEnd() {
  if (on_drain_end_) on_drain_end_();
}

std::shared_ptr<Responder> TestHandler::WaitForHeld(size_t count) {
  EXPECT_TRUE(WaitUntil([&] { return held().size() >= count; }));
  const auto all = held();
  return all.size() < count ? nullptr : all.back();
}

std::vector<std::shared_ptr<Responder>> TestHandler::held() const {
  const std::lock_guard lock(mutex_);
  return held_;
}

void TestHandler::ForgetHeld() {
  std::vector<std::shared_ptr<Responder>> dropped;
  const std::lock_guard lock(mutex_);
  dropped.swap(held_);
}

std::vector<Request> TestHandler::requests() const {
  const std::lock_guard lock(mutex_);
  return requests_;
}

TestServer::TestServer(ServerOptions options) {
  if (options.unix_socket.empty()) options.port = 0;
  options.on_access = [this](const AccessRecord& record) {
    const std::lock_guard lock(mutex_);
    records_.push_back(record);
  };
  auto server = Server::Create(options, &handler_);
  if (!server.ok()) {
    ADD_FAILURE() << server.status();
    std::abort();
  }
  server_ = *std::move(server);
  thread_ = std::thread([this] { EXPECT_TRUE(server_->Run().ok()); });
}

TestServer::~TestServer() {
  handler_.ForgetHeld();
  if (thread_.joinable()) server_->Drain(0);
  Join();
}

void TestServer::Join() {
  if (thread_.joinable()) thread_.join();
}

std::vector<AccessRecord> TestServer::records() const {
  const std::lock_guard lock(mutex_);
  return records_;
}

}  // namespace infer::http
