// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <string_view>

namespace infer::http {

// An answer as a client sees it.
struct RawAnswer {
  int status = 0;                                   // 0: no answer, or a malformed one
  std::map<std::string, std::string> headers = {};  // names in lower case
  std::string body = {};                            // without the framing of chunks
  bool is_complete = false;                         // the whole body arrived
};

// A client that sends whatever bytes a test wants. Waits end at kHangLimit.
class RawClient {
 public:
  static RawClient Tcp(int port);
  // With a small receive buffer, for slow readers.
  static RawClient SlowTcp(int port, int receive_bytes = 4096);
  static RawClient Unix(const std::string& path);
  RawClient(RawClient&& other) noexcept;
  RawClient& operator=(RawClient&& other) noexcept;
  ~RawClient();

  bool is_connected() const { return fd_ >= 0; }
  // Returns false if the server has closed.
  bool Send(std::string_view bytes);
  // Sends no more, but goes on reading.
  void ShutdownSend();
  // Closes with a reset, as a crashed client does.
  void Reset();
  void Close();

  // Appends what arrives within `seconds` to received(). Returns false at the end of the stream.
  bool ReadSome(double seconds);
  // Reads until `text` has been received, or the end.
  bool ReadUntil(std::string_view text);
  // Reads until the server closes. Returns false if it did not.
  bool ReadToEnd();
  // Reads one answer and removes it from received(). `method` HEAD: it has no body.
  RawAnswer ReadAnswer(std::string_view method = "GET");
  std::string& received() { return received_; }

 private:
  explicit RawClient(int fd) : fd_(fd) {}

  int fd_;
  std::string received_ = {};
  bool is_at_end_ = false;
};

// A request with Host and, if there is a body, its length and type.
std::string RequestText(std::string_view method, std::string_view target,
                        std::string_view body = {}, std::string_view more_headers = {});

// Takes the first answer off the front of `text`.
RawAnswer TakeAnswer(std::string* text, std::string_view method, bool is_at_end);

}  // namespace infer::http
