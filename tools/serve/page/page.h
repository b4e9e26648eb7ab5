// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace infer::serve {

// The page that a server shows at `/`: one HTML file that loads nothing else. Send it as
// "text/html; charset=utf-8".
std::string_view PageHtml();

// The value of the header Content-Security-Policy that must go with it. It allows the script and
// the style in the page by their hashes, and requests to the same server.
std::string_view PagePolicy();

}  // namespace infer::serve
