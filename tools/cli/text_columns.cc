// SPDX-License-Identifier: Apache-2.0
#include "tools/cli/text_columns.h"

#include <sys/ioctl.h>

#include <algorithm>

namespace infer {
namespace {

// Narrower than this, every line of a table would break.
constexpr size_t kLeastColumns = 40;

}  // namespace

size_t TextColumnsOf(size_t terminal_columns) {
  if (terminal_columns == 0) return kTextColumns;
  return std::clamp(terminal_columns, kLeastColumns, kTextColumns);
}

size_t TextColumns(int fd) {
  struct winsize size = {};
  if (ioctl(fd, TIOCGWINSZ, &size) != 0) return kTextColumns;
  return TextColumnsOf(size.ws_col);
}

}  // namespace infer
