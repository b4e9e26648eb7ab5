// SPDX-License-Identifier: Apache-2.0
#include "frontends/tokenizer/streaming_decoder.h"

#include "frontends/tokenizer/utf8.h"

namespace infer {

void StreamingDecoder::Append(int32_t id, std::string* out) {
  tokenizer_->AppendTokenBytes(id, options_, &pending_);
  std::string_view text = pending_;
  size_t ready_bytes = 0;
  while (ready_bytes < text.size()) {
    Utf8Scan scan = ScanUtf8(text.substr(ready_bytes));
    if (scan.kind == Utf8Kind::kTruncated) break;
    ready_bytes += scan.bytes;
  }
  out->append(text.substr(0, ready_bytes));
  pending_.erase(0, ready_bytes);
}

void StreamingDecoder::Flush(std::string* out) {
  out->append(pending_);
  pending_.clear();
}

}  // namespace infer
