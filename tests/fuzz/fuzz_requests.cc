// SPDX-License-Identifier: Apache-2.0
//
// Any body as a request of each API of the server: read, or refused with the path of what is wrong.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "ir/base/json.h"
#include "tools/serve/api/read_request.h"
#include "tools/serve/api/request_json.h"

namespace {

void Check(const absl::StatusOr<infer::serve::GenerationRequest>& request) {
  if (request.ok()) {
    infer::serve::CheckRequest(*request).IgnoreError();
  } else if (request.status().message().empty()) {
    std::abort();
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t bytes) {
  using namespace infer::serve;
  const std::string_view text(reinterpret_cast<const char*>(data), bytes);
  const absl::StatusOr<infer::Json> body = ParseBody(text);
  if (!body.ok()) {
    if (body.status().message().empty()) std::abort();
    return 0;
  }
  Check(ReadChatRequest(*body));
  Check(ReadCompletionRequest(*body));
  Check(ReadResponsesRequest(*body));
  Check(ReadMessagesRequest(*body, true));
  if (infer::JsonText(*body).empty()) std::abort();
  return 0;
}
