// SPDX-License-Identifier: Apache-2.0
#include "tools/run/product_stream.h"

#include "ir/base/strings.h"
#include "tools/prompt/terminal_text.h"

namespace infer {

bool ProductStream::Write(std::string_view bytes) {
  if (status_.ok()) status_ = out_->Stream(bytes);
  return status_.ok();
}

bool ProductStream::Text(std::string_view piece) {
  if (form_ != EmitForm::kText) return status_.ok();
  return to_terminal_ ? Write(TerminalText(piece)) : Write(piece);
}

bool ProductStream::Id(int32_t id) {
  if (form_ != EmitForm::kIds) return status_.ok();
  bool written = Write(StrCat(has_ids_ ? "," : "", id));
  has_ids_ = true;
  return written;
}

void ProductStream::Escape(std::string_view sequence) {
  if (to_terminal_ && form_ == EmitForm::kText) Write(sequence);
}

absl::Status ProductStream::Finish() {
  Write("\n");
  return status_;
}

}  // namespace infer
