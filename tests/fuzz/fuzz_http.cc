// SPDX-License-Identifier: Apache-2.0
//
// The bytes of a connection: the same requests come out however they are cut into pieces, the first
// byte of the input being the size of the pieces. A refusal may need bytes that are still to come:
// the reader waits for five before it looks at the end of a chunk.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <utility>

#include "ir/base/strings.h"
#include "tools/serve/http/request_reader.h"

namespace infer::http {
namespace {

class NoHandler final : public Handler {
 public:
  void Handle(Request, std::shared_ptr<Responder>) override {}
  Response Error(int status, std::string_view message) override {
    return {.status = status, .body = std::string(message)};
  }
  bool IsPublic(std::string_view, std::string_view) const override { return true; }
};

// Returns everything that a reader makes of the bytes, as text.
std::string Read(std::string_view bytes, size_t piece_bytes) {
  static ServerOptions options = [] {
    ServerOptions made;
    made.max_body_bytes = 64 << 10;
    made.allowed_origins = {"https://example.org"};
    return made;
  }();
  static const NoHandler handler;
  static const KeyStore keys("");
  static const RequestRules rules(options, &handler, &keys);
  BodyBudget budget(1 << 20);
  RequestReader reader(options, rules, &budget, "peer");
  std::string result;
  while (!bytes.empty()) {
    const std::string_view piece = bytes.substr(0, piece_bytes);
    bytes.remove_prefix(piece.size());
    reader.Append(piece);
    for (bool more = true; more;) {
      const RequestReader::Progress progress = reader.Advance();
      const HeadVerdict& verdict = reader.verdict();
      switch (progress) {
        case RequestReader::Progress::kNeedMore:
          more = false;
          break;
        case RequestReader::Progress::kSendContinue:
          break;
        case RequestReader::Progress::kProblem:
          StrAppend(&result, "problem ", verdict.problem->status, "\n");
          return result;
        case RequestReader::Progress::kResponse:
          StrAppend(&result, "response ", verdict.response->status, "\n");
          break;
        case RequestReader::Progress::kRequest:
          StrAppend(&result, reader.method(), " ", verdict.request.path, " ", verdict.request.query,
                    " ", verdict.request.body, "\n");
          break;
      }
    }
  }
  return result;
}

// Whether two readings are the same, but for a refusal that one of them has not reached yet.
bool Agree(std::string_view a, std::string_view b) {
  if (a.size() < b.size()) std::swap(a, b);
  return a == b || (a.starts_with(b) && a.substr(b.size()).starts_with("problem "));
}

}  // namespace
}  // namespace infer::http

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t bytes) {
  if (bytes < 2) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, bytes - 1);
  const std::string whole = infer::http::Read(text, text.size());
  if (!infer::http::Agree(infer::http::Read(text, std::max<size_t>(data[0], 1)), whole)) {
    std::abort();
  }
  return 0;
}
