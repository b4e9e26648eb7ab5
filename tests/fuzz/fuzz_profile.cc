// SPDX-License-Identifier: Apache-2.0
//
// Stored profiles from hostile bytes. The input is the file without its checksum, which is appended
// to it. What is accepted is shown, and written and read again with the same bytes.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "ir/proto/program_file.h"
#include "runtime/profile.h"
#include "tools/profile/profile_text.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t bytes) {
  std::string file(reinterpret_cast<const char*>(data), bytes);
  infer::AppendChecksum(&file);
  const absl::StatusOr<infer::Profile> profile = infer::DeserializeProfile(file, "p");
  if (!profile.ok()) {
    if (profile.status().message().empty()) std::abort();
    return 0;
  }
  if (infer::ProfileText(*profile, {}).empty() || infer::ProfileJson(*profile).empty()) {
    std::abort();
  }
  const std::string written = infer::SerializeProfile(*profile).value();
  const absl::StatusOr<infer::Profile> again = infer::DeserializeProfile(written, "p");
  if (!again.ok() || infer::SerializeProfile(*again).value() != written) std::abort();
  return 0;
}
