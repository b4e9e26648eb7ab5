// SPDX-License-Identifier: Apache-2.0
//
// Where a request ends: lengths, chunks, and requests that never end.
#include <string>
#include <utility>
#include <vector>

#include "ir/base/strings.h"
#include "tests/tools/serve/http/hostile_cases.h"
#include "tests/tools/serve/http/hostile_requests.h"

namespace infer::http {
namespace {

using Manner = HostileCase::Manner;
using Cases = std::vector<HostileCase>;

void AddFraming(Cases* cases) {
  for (std::string length :
       {"", "-1", "+5", "0x5", "5 5", "5,5", "5, 6", "1e3", "5.0", "five", "5;", "\"5\"", "5\t5",
        "\xd9\xa5", "18446744073709551616", "99999999999999999999999999", "5\x0b"}) {
    cases->push_back({StrCat("Content-Length ", length),
                      Post(StrCat("Content-Length: ", length, "\r\n"), "12345" + kSmuggled),
                      {400}});
  }
  for (std::string length :
       {"65537", "8388609", "4294967296", "9223372036854775807", "18446744073709551615"}) {
    cases->push_back({StrCat("Content-Length ", length),
                      Post(StrCat("Content-Length: ", length, "\r\n"), "12345"),
                      {413}});
  }
  for (std::string encoding : {"", "identity", "gzip", "gzip, chunked", "chunked, gzip",
                               "chunked, chunked", "chunked, identity", "xchunked", "chunkedx",
                               "chunked;q=1", "\"chunked\"", "chunk ed", "chunked\x0b",
                               "\x0b"
                               "chunked",
                               "chunked,", ",chunked", "cHuNkEd, x", "trailers"}) {
    cases->push_back(
        {StrCat("Transfer-Encoding ", encoding),
         Post(StrCat("Transfer-Encoding: ", encoding, "\r\n"), "0\r\n\r\n" + kSmuggled)});
  }
  const std::string length = "Content-Length: 5\r\n";
  const std::string chunked = "Transfer-Encoding: chunked\r\n";
  const std::string zero = "0\r\n\r\n";
  for (const auto& [name, headers] : std::vector<std::pair<std::string, std::string>>{
           {"both", length + chunked},
           {"both, other order", chunked + length},
           {"two equal lengths", length + length},
           {"two lengths", length + "Content-Length: 6\r\n"},
           {"two encodings", chunked + chunked},
           {"two encodings, one unknown", chunked + "Transfer-Encoding: identity\r\n"},
           {"encoding with a space before the colon", "Transfer-Encoding : chunked\r\n"},
           {"encoding with a tab before the colon", "Transfer-Encoding\t: chunked\r\n"},
           {"length with a space before the colon", "Content-Length : 5\r\n"},
           {"encoding after a bare CR", "X: y\rTransfer-Encoding: chunked\r\n"},
           {"encoding after a bare LF", "X: y\nTransfer-Encoding: chunked\r\n"},
           {"encoding after NUL", StrCat("X: y", std::string(1, '\0'), chunked)},
           {"length zero and encoding", "Content-Length: 0\r\n" + chunked},
       }) {
    cases->push_back({"framing: " + name, Post(headers, zero + kSmuggled)});
  }
  cases->push_back({"chunks in HTTP/1.0",
                    StrCat("POST /echo HTTP/1.0\r\n", kHost, "Content-Type: application/json\r\n",
                           chunked, "\r\n", zero, kSmuggled)});
}

void AddChunks(Cases* cases) {
  for (std::string size : {"", "-1", "+5", "0x5", "g", "x", " 5", "5 5", ";", "5.",
                           "FFFFFFFFFFFFFFFFF", "10000000000000000", "5\x0b", "5\r", "5\n",
                           "\xef\xbc\x95", "00000000000000000000000000x"}) {
    cases->push_back({StrCat("chunk size '", size, "'"),
                      Chunked(StrCat(size, "\r\nabcde\r\n0\r\n\r\n", kSmuggled)),
                      {400, 413}});
  }
  for (std::string size : {"10001", "FFFFFFFF", "7FFFFFFFFFFFFFFF", "FFFFFFFFFFFFFFFF"}) {
    cases->push_back({StrCat("chunk size ", size), Chunked(size + "\r\nabcde\r\n"), {413}});
  }
  cases->push_back({"chunk longer than its size", Chunked("3\r\nabcdef\r\n0\r\n\r\n")});
  cases->push_back({"chunk without its end", Chunked("3\r\nabc0\r\n\r\n")});
  cases->push_back({"chunk ends with LF", Chunked("3\r\nabc\n0\r\n\r\n")});
  cases->push_back({"size ends with LF", Chunked("3\nabc\r\n0\r\n\r\n")});
  cases->push_back({"LF in an extension", Chunked("3;a=\nb\r\nabc\r\n0\r\n\r\n")});
  cases->push_back({"long extension", Chunked("3;" + std::string(100 << 10, 'a') + "\r\nabc\r\n")});
  cases->push_back({"NUL in an extension",
                    Chunked(StrCat("3;a=", std::string(1, '\0'), "\r\nabc\r\n0\r\n\r\n"))});
  cases->push_back({"last chunk with LF", Chunked("0\n\n" + kSmuggled)});
  cases->push_back({"malformed trailer", Chunked("0\r\nno colon\r\n\r\n")});
  cases->push_back({"long trailers",
                    Chunked("0\r\nX: " + std::string(100 << 10, 'a') + "\r\n\r\n"),
                    {400, 431}});
  std::string many = "";
  for (int i = 0; i < 70'000; ++i) many += "1\r\nx\r\n";
  cases->push_back({"many chunks above the limit", Chunked(many), {413}});
}

void AddCuts(Cases* cases) {
  const std::string plain = Post("Content-Length: 12\r\n", "{\"a\": [1,2]}");
  const std::string chunked = Chunked("6\r\n{\"a\": \r\n6\r\n[1,2]}\r\n0\r\n\r\n");
  for (const std::string& good : {plain, chunked}) {
    for (size_t cut = 0; cut < good.size(); cut += 5) {
      const std::string name = StrCat("cut at ", cut, " of ", good.size());
      cases->push_back({name, good.substr(0, cut), {0}, Manner::kHalfClose});
      cases->push_back({name + ", reset", good.substr(0, cut), {0}, Manner::kReset});
    }
    for (size_t cut = 1; cut < good.size(); cut += 20) {
      cases->push_back({StrCat("stall at ", cut), good.substr(0, cut), {408}, Manner::kStall});
    }
  }
  cases->push_back({"says nothing", "", {0}, Manner::kStall});
  cases->push_back({"an empty line and nothing", "\r\n", {0, 408}, Manner::kStall});
  cases->push_back({"waits for an invitation to a body",
                    Post("Content-Length: 5\r\nExpect: 100-continue\r\n", ""),
                    {408},
                    Manner::kStall});
  for (const auto& [name, bytes] : std::vector<std::pair<std::string, std::string>>{
           {"request line", "GET /" + std::string(500, 'a')},
           {"header name", "GET /hello HTTP/1.1\r\n" + std::string(500, 'X')},
           {"header value", "GET /hello HTTP/1.1\r\nX: " + std::string(500, 'x')},
           {"many headers", Get("/hello").substr(0, 35) + "X-a: b\r\nX-a: b\r\nX-a: b\r\n" +
                                "X-a: b\r\nX-a: b\r\nX-a: b\r\nX-a: b\r\nX-a: b\r\nX-a: b\r\n"},
           {"body", Post("Content-Length: 5000\r\n", std::string(500, 'b'))},
           {"chunk size", Chunked(std::string(500, '0'))},
           {"chunks",
            Chunked("1\r\nx\r\n1\r\nx\r\n1\r\nx\r\n1\r\nx\r\n1\r\nx\r\n1\r\nx\r\n1\r\nx\r\n")},
           {"extension", Chunked("1;" + std::string(500, 'e'))},
           {"trailer", Chunked("0\r\nX: " + std::string(500, 't'))},
       }) {
    cases->push_back({"slow " + name, bytes, {408}, Manner::kTrickle});
  }
}

}  // namespace

std::vector<HostileCase> HostileFramingCases() {
  Cases cases;
  AddCuts(&cases);  // first: they take longest
  AddFraming(&cases);
  AddChunks(&cases);
  return cases;
}

}  // namespace infer::http
