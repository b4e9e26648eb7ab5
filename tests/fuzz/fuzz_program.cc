// SPDX-License-Identifier: Apache-2.0
//
// Stored Programs and graphs from hostile bytes. The input is the file without its checksum, which
// is put behind it: the fuzzer would not get past it otherwise. What is accepted must be written
// and read again with the same bytes.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "ir/proto/program_file.h"
#include "ir/proto/serialize.h"
#include "ir/text/fingerprint.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t bytes) {
  std::string file(reinterpret_cast<const char*>(data), bytes);
  infer::AppendChecksum(&file);
  if (absl::StatusOr<infer::Program> program = infer::DeserializeProgram(file, "p"); program.ok()) {
    std::string written = infer::SerializeProgram(*program).value();
    absl::StatusOr<infer::Program> again = infer::DeserializeProgram(written, "p");
    if (!again.ok() || infer::SerializeProgram(*again).value() != written) std::abort();
  }
  if (absl::StatusOr<infer::Graph> graph = infer::DeserializeGraph(file, "g"); graph.ok()) {
    std::string written = infer::SerializeGraph(*graph).value();
    if (Fingerprint(infer::DeserializeGraph(written, "g").value()) != Fingerprint(*graph)) {
      std::abort();
    }
  }
  return 0;
}
