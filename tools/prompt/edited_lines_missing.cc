// SPDX-License-Identifier: Apache-2.0
//
// For a build without libedit: lines are read as the terminal edits them.
#include "tools/prompt/edited_lines.h"

namespace infer {

std::unique_ptr<LineSource> MakeEditedLines(EditOptions /*options*/, Interrupt* /*interrupt*/) {
  return nullptr;
}

}  // namespace infer
