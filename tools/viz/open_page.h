// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "absl/status/status.h"

namespace infer {

// Shows a page with the desktop's default program: `open` on macOS, else `xdg-open`, looked up in
// the folders of `search_path` (PATH). Returns an error with the page's path if there is none or it
// fails; the page exists in any case.
absl::Status OpenPage(const std::string& page, std::string_view search_path);

}  // namespace infer
