// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <span>

namespace boost::asio {
class io_context;
}

namespace infer::http {

// Hands work to the I/O thread. May be used from any thread and outlives the loop.
class Poster {
 public:
  explicit Poster(boost::asio::io_context* context) : context_(context) {}
  // Runs `work` on the I/O thread; at once on this thread if the loop is gone.
  void Post(std::function<void()> work);
  void Close();

 private:
  std::mutex mutex_ = {};
  boost::asio::io_context* context_;
};

// The loop of the I/O thread.
class IoLoop {
 public:
  IoLoop();
  // Drops the work that was not done.
  ~IoLoop();

  // Works until Stop, on this thread.
  void Run();
  void Stop();
  // Runs `work` on the I/O thread after this many seconds, unless the loop ends before.
  void RunAfter(double seconds, std::function<void()> work);

  const std::shared_ptr<Poster>& poster() const { return poster_; }
  boost::asio::io_context& context();
  // Memory for bytes that are used within one callback.
  std::span<char> scratch();

 private:
  struct State;
  std::unique_ptr<State> state_;
  std::shared_ptr<Poster> poster_;
};

}  // namespace infer::http
