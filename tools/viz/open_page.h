// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "absl/status/status.h"

namespace infer {

// Shows a page with what the desktop opens files with: `open` on macOS, else `xdg-open`, looked for
// in the folders of `search_path` (PATH). An error with the page's path if there is none or it
// fails: the page is there all the same.
absl::Status OpenPage(const std::string& page, std::string_view search_path);

}  // namespace infer
