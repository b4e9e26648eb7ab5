// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

#include "absl/status/status.h"
#include "tools/cli/output.h"
#include "tools/run/run_options.h"

namespace infer {

// Streams one text or list of ids to stdout. Keeps the first failed write. If stdout is a terminal,
// control characters of the text are shown instead of obeyed: a model must not be able to send
// escape sequences. A file or pipe gets the text byte for byte.
class ProductStream {
 public:
  ProductStream(ProductOutput* out, EmitForm form)
      : out_(out), form_(form), to_terminal_(out->is_terminal()) {}

  // Each accepts what the other form ignores. Returns false once a write has failed.
  bool Text(std::string_view piece);
  bool Id(int32_t id);
  // Writes an escape sequence of our own, if stdout is a terminal.
  void Escape(std::string_view sequence);
  // Writes the final newline and returns the outcome of all writes.
  absl::Status Finish();

 private:
  bool Write(std::string_view bytes);

  ProductOutput* out_;
  EmitForm form_;
  bool to_terminal_;
  bool has_ids_ = false;
  absl::Status status_;
};

}  // namespace infer
