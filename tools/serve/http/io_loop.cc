// SPDX-License-Identifier: Apache-2.0
#include "tools/serve/http/io_loop.h"

#include <array>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <utility>

namespace infer::http {
namespace asio = boost::asio;

void Poster::Post(std::function<void()> work) {
  {
    const std::lock_guard lock(mutex_);
    if (context_ != nullptr) {
      asio::post(*context_, std::move(work));
      return;
    }
  }
  work();
}

void Poster::Close() {
  const std::lock_guard lock(mutex_);
  context_ = nullptr;
}

struct IoLoop::State {
  // What a client sends at once is rarely more than this.
  static constexpr size_t kScratchBytes = 64 << 10;

  asio::io_context context = asio::io_context(1);
  asio::executor_work_guard<asio::io_context::executor_type> work = asio::make_work_guard(context);
  std::array<char, kScratchBytes> scratch = {};
};

IoLoop::IoLoop()
    : state_(std::make_unique<State>()), poster_(std::make_shared<Poster>(&state_->context)) {}

IoLoop::~IoLoop() { poster_->Close(); }

void IoLoop::Run() { state_->context.run(); }
void IoLoop::Stop() { state_->context.stop(); }

void IoLoop::RunAfter(double seconds, std::function<void()> work) {
  auto timer = std::make_shared<asio::steady_timer>(state_->context);
  timer->expires_after(std::chrono::microseconds(static_cast<int64_t>(seconds * 1e6)));
  timer->async_wait([timer, work = std::move(work)](const boost::system::error_code& error) {
    if (!error) work();
  });
}

asio::io_context& IoLoop::context() { return state_->context; }
std::span<char> IoLoop::scratch() { return state_->scratch; }

}  // namespace infer::http
