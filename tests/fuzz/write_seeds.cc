// SPDX-License-Identifier: Apache-2.0
//
// Writes the files that fuzz_program starts from into the folder given: the sample Program and its
// graph at every stage, without checksums.
#include <cstdio>
#include <fstream>
#include <string>

#include "ir/proto/serialize.h"
#include "tests/support/sample_program.h"

namespace {

void Write(const std::string& path, std::string bytes) {
  bytes.resize(bytes.size() - 9);
  std::ofstream(path, std::ios::binary) << bytes;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fputs("usage: write_program_corpus FOLDER\n", stderr);
    return 2;
  }
  std::string folder = argv[1];
  infer::Program program = infer::testing::SampleProgram();
  infer::testing::AddKernelChoices(&program);
  Write(folder + "/program.pb", infer::SerializeProgram(program).value());
  for (int i = 0; i < infer::kNumStages; ++i) {
    infer::Stage stage = static_cast<infer::Stage>(i);
    Write(folder + "/" + std::string(infer::Name(stage)) + ".pb",
          infer::SerializeGraph(infer::testing::SampleGraph(stage)).value());
  }
}
