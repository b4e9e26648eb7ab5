// SPDX-License-Identifier: Apache-2.0
#include "tools/run/product_stream.h"

#include "ir/base/strings.h"

namespace infer {

bool ProductStream::Write(std::string_view bytes) {
  if (status_.ok()) status_ = out_->Stream(bytes);
  return status_.ok();
}

bool ProductStream::Text(std::string_view piece) {
  return form_ == EmitForm::kText ? Write(piece) : status_.ok();
}

bool ProductStream::Id(int32_t id) {
  if (form_ != EmitForm::kIds) return status_.ok();
  bool written = Write(StrCat(has_ids_ ? "," : "", id));
  has_ids_ = true;
  return written;
}

absl::Status ProductStream::Finish() {
  Write("\n");
  return status_;
}

}  // namespace infer
