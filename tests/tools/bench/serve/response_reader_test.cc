// SPDX-License-Identifier: Apache-2.0
#include "tools/bench/serve/response_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <random>

namespace infer::load {
namespace {

using State = ResponseReader::State;

std::string BodyOf(ResponseReader& reader, std::string_view text, size_t piece) {
  std::string body;
  for (; !text.empty(); text.remove_prefix(std::min(piece, text.size()))) {
    body += reader.Feed(text.substr(0, piece));
  }
  return body;
}

constexpr std::string_view kChunked =
    "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"
    "5\r\nhello\r\n7;x=y\r\n, world\r\n0\r\n\r\n";

TEST(ResponseReader, ReadsChunksHoweverTheyAreCut) {
  for (size_t piece = 1; piece <= kChunked.size(); ++piece) {
    ResponseReader reader;
    EXPECT_EQ(BodyOf(reader, kChunked, piece), "hello, world") << piece;
    EXPECT_EQ(reader.state(), State::kDone);
    EXPECT_EQ(reader.status(), 200);
    EXPECT_EQ(reader.content_type(), "text/event-stream");
  }
}

TEST(ResponseReader, GivesEachChunkAtOnce) {
  ResponseReader reader;
  const size_t head = kChunked.find("\r\n\r\n") + 4;
  EXPECT_EQ(reader.Feed(kChunked.substr(0, head)), "");
  EXPECT_EQ(reader.Feed(kChunked.substr(head, 10)), "hello");
}

TEST(ResponseReader, ReadsALengthAndTheEndOfAConnection) {
  ResponseReader length;
  EXPECT_EQ(BodyOf(length, "HTTP/1.1 404 No\r\nContent-Length: 3\r\n\r\nabcdef", 4), "abc");
  EXPECT_EQ(length.state(), State::kDone);
  EXPECT_EQ(length.status(), 404);
  ResponseReader until_end;
  EXPECT_EQ(BodyOf(until_end, "HTTP/1.0 200 OK\r\n\r\nabc", 4), "abc");
  EXPECT_EQ(until_end.state(), State::kBody);
  until_end.FeedEnd();
  EXPECT_EQ(until_end.state(), State::kDone);
}

TEST(ResponseReader, AnEarlyEndIsAnError) {
  for (size_t length = 0; length < kChunked.size(); ++length) {
    ResponseReader reader;
    reader.Feed(kChunked.substr(0, length));
    reader.FeedEnd();
    EXPECT_EQ(reader.state(), State::kBad) << length;
  }
}

TEST(ResponseReader, RefusesWhatIsNotHttp) {
  for (const std::string& text :
       {std::string("hello\r\n\r\n"), std::string("HTTP/1.1 banana\r\n\r\n"),
        std::string("\x16\x03\x01\x02\x05 this is TLS\r\n\r\n"),
        std::string("HTTP/1.1 200 OK\r\nno colon\r\n\r\n"),
        std::string("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n"),
        "HTTP/1.1 200 OK\r\nX: " + std::string(100'000, 'x')}) {
    ResponseReader reader;
    reader.Feed(text);
    EXPECT_EQ(reader.state(), State::kBad) << text.substr(0, 60);
  }
}

TEST(ResponseReader, SurvivesRandomChanges) {
  std::mt19937 random(1);
  for (int i = 0; i < 2000; ++i) {
    std::string text(kChunked);
    for (auto n = random() % 4 + 1; n > 0; --n) {
      text[random() % text.size()] = static_cast<char>(random());
    }
    ResponseReader reader;
    EXPECT_LE(BodyOf(reader, text, random() % 20 + 1).size(), text.size());
    reader.FeedEnd();
  }
}

}  // namespace
}  // namespace infer::load
