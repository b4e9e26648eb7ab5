// SPDX-License-Identifier: Apache-2.0
#include "tools/serve/http/request_reader.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <random>
#include <string>
#include <vector>

#include "ir/base/strings.h"
#include "tests/tools/serve/http/hostile_cases.h"
#include "tests/tools/serve/http/test_server.h"

namespace infer::http {
namespace {

using Progress = RequestReader::Progress;

// Everything that a reader makes of some bytes, as text.
class Reading {
 public:
  Reading() { options_.max_body_bytes = 64 << 10; }

  // `sizes` are the pieces in which the bytes arrive, repeated.
  std::string Read(std::string_view bytes, const std::vector<size_t>& sizes) {
    RequestReader reader(options_, rules_, &budget_, "peer");
    std::string result;
    for (size_t i = 0; !bytes.empty(); ++i) {
      const std::string_view piece = bytes.substr(0, sizes[i % sizes.size()]);
      bytes.remove_prefix(piece.size());
      reader.Append(piece);
      if (!Advance(&reader, &result)) break;
    }
    return result;
  }

 private:
  // Returns false after an error.
  static bool Advance(RequestReader* reader, std::string* result) {
    while (true) {
      const Progress progress = reader->Advance();
      const HeadVerdict& verdict = reader->verdict();
      if (progress == Progress::kNeedMore) return true;
      if (progress == Progress::kProblem) {
        StrAppend(result, "problem ", verdict.problem->status, "\n");
        return false;
      }
      if (progress == Progress::kSendContinue) continue;
      StrAppend(result, reader->method(), " ", verdict.request.path, " ", verdict.request.body,
                "\n");
    }
  }

  ServerOptions options_ = {};
  TestHandler handler_ = {};
  KeyStore keys_ = KeyStore("");
  RequestRules rules_ = RequestRules(options_, &handler_, &keys_);
  BodyBudget budget_ = BodyBudget(1 << 20);
};

const std::string kHost = "Host: localhost\r\nContent-Type: application/json\r\n";
const std::string kRequests = StrCat(
    "GET /a HTTP/1.1\r\n", kHost, "\r\n",                                                     //
    "POST /b HTTP/1.1\r\n", kHost, "Content-Length: 5\r\n\r\nfirst\r\n",                      //
    "POST /c HTTP/1.1\r\n", kHost, "Transfer-Encoding: chunked\r\n\r\n3\r\nsec\r\n",          //
    "3;x=y\r\nond\r\n0\r\nTrailer: 1\r\n\r\n",                                                //
    "POST /d HTTP/1.1\r\n", kHost, "Expect: 100-continue\r\nContent-Length: 5\r\n\r\nthird",  //
    "POST /e HTTP/1.1\r\n", kHost, "Content-Length: 0\r\n\r\n");

TEST(RequestReader, ReadsTheSameHoweverTheBytesArrive) {
  Reading reading;
  const std::string whole = reading.Read(kRequests, {kRequests.size()});
  EXPECT_EQ(whole, "GET /a \nPOST /b first\nPOST /c second\nPOST /d third\nPOST /e \n");
  for (size_t size = 1; size < 80; ++size)
    EXPECT_EQ(reading.Read(kRequests, {size}), whole) << size;
  std::mt19937 random(18);
  for (int i = 0; i < 200; ++i) {
    std::vector<size_t> sizes;
    for (int j = 0; j < 30; ++j) sizes.push_back(1 + random() % 60);
    ASSERT_EQ(reading.Read(kRequests, sizes), whole);
  }
}

// What is refused is refused in every way of arriving, so that no timing gets anything through.
TEST(RequestReader, RefusesTheSameHoweverTheBytesArrive) {
  Reading reading;
  for (const HostileCase& c : HostileCases()) {
    if (c.bytes.size() > 10'000) continue;
    const std::string whole = reading.Read(c.bytes, {1 << 20});
    for (size_t size : {1, 2, 7, 64}) {
      ASSERT_EQ(reading.Read(c.bytes, {size}), whole) << c.name << " in pieces of " << size;
    }
  }
}

TEST(RequestReader, LimitsWhatStandsBetweenChunksHoweverTheBytesArrive) {
  Reading reading;
  for (const bool is_trailer : {false, true}) {
    for (const size_t bytes : {100, 4000, 4088, 4089, 4090, 4091, 4095, 4096, 4200, 9000}) {
      const std::string fill(bytes, 'x');
      const std::string request =
          StrCat("POST /a HTTP/1.1\r\n", kHost, "Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n",
                 is_trailer ? StrCat("0\r\nT: ", fill, "\r\n\r\n")
                            : StrCat("1;", fill, "\r\nd\r\n0\r\n\r\n"));
      const std::string whole = reading.Read(request, {request.size()});
      if (bytes <= 4000) {
        EXPECT_EQ(whole, is_trailer ? "POST /a abc\n" : "POST /a abcd\n");
      }
      if (bytes >= 4096) {
        EXPECT_EQ(whole, "problem 400\n");
      }
      for (const size_t size : {1, 100, 4096, 5000}) {
        EXPECT_EQ(reading.Read(request, {size}), whole) << bytes << " in pieces of " << size;
      }
    }
  }
}

// Quotes that are still open at the end of a line are refused there. Otherwise the size of the
// chunk counts against the limit of the body with each piece that arrives.
TEST(RequestReader, RefusesOpenQuotesInExtensionsHoweverTheBytesArrive) {
  Reading reading;
  const std::string head =
      StrCat("POST /a HTTP/1.1\r\n", kHost, "Transfer-Encoding: chunked\r\n\r\n");
  for (const std::string_view chunks :
       {"3000;x=\"\r\nabcdefghijklmnop", "3\r\nabc\r\n3000;x=\"y\r\n\"\r\nabcdefgh",
        "3\r\nabc\r\n9000;x=\"\r\nabcdefgh", "3\r\nabc\r\n00;x=\"\r\n\r\nabcdefgh"}) {
    for (const size_t size : {1, 2, 3, 100, 1000}) {
      EXPECT_EQ(reading.Read(StrCat(head, chunks), {size}), "problem 400\n")
          << chunks << " in pieces of " << size;
    }
  }
  for (const size_t size : {1, 2, 3, 1000}) {
    EXPECT_EQ(reading.Read(StrCat(head, "3;x=\"y;\"\r\nabc\r\n0;x=\"\"\r\n\r\n"), {size}),
              "POST /a abc\n");
  }
}

TEST(RequestReader, SurvivesChangedBytes) {
  const char* asked = std::getenv("INFER_TEST_CHANGED_REQUESTS");
  const int count = asked == nullptr ? 1000 : std::atoi(asked);
  Reading reading;
  std::mt19937 random(18);
  for (int i = 0; i < count; ++i) {
    std::string bytes = kRequests;
    for (int j = 0; j < 3; ++j) bytes[random() % bytes.size()] = static_cast<char>(random());
    ASSERT_EQ(reading.Read(bytes, {bytes.size()}), reading.Read(bytes, {1 + random() % 50}));
  }
}

}  // namespace
}  // namespace infer::http
