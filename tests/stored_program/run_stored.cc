// SPDX-License-Identifier: Apache-2.0
//
// run_stored PROGRAM MODEL IDS TOKENS: the greedy continuation of comma-separated ids, as ids.
// Linked from ir, runtime, backends and frontends/gguf alone: what a stored Program needs to run.
#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <iterator>
#include <memory>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "backends/backends.h"
#include "frontends/gguf/reader.h"
#include "frontends/gguf/weights.h"
#include "ir/base/status_macros.h"
#include "ir/base/strings.h"
#include "ir/proto/serialize.h"
#include "runtime/check_weights.h"
#include "runtime/session.h"

namespace infer {
namespace {

absl::StatusOr<Program> ReadProgram(const char* path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return absl::NotFoundError(StrCat(path, ": cannot be read"));
  std::string bytes(std::istreambuf_iterator<char>(file), {});
  return DeserializeProgram(bytes, path);
}

std::vector<int32_t> ParseIds(const char* text) {
  std::vector<int32_t> ids;
  std::istringstream in(text);
  for (std::string id; std::getline(in, id, ',');) ids.push_back(std::atoi(id.c_str()));
  return ids;
}

absl::Status Run(char** args) {
  ASSIGN_OR_RETURN(Program program, ReadProgram(args[1]));
  ASSIGN_OR_RETURN(std::shared_ptr<const GgufFile> file, GgufFile::Open(args[2]));
  GgufWeights weights(file);
  RETURN_IF_ERROR(CheckWeights(program, weights, WeightCheck::kSampled));
  std::unique_ptr<KernelRegistry> registry = MakeKernelRegistry();
  SessionOptions options;
  options.context = program.symbols[Symbol::kS].max;
  ASSIGN_OR_RETURN(std::unique_ptr<Session> session,
                   Session::CreateAlone(std::move(program), weights, *registry, options));
  RETURN_IF_ERROR(session->Prefill(ParseIds(args[3])));
  for (int left = std::atoi(args[4]); left > 0; --left) {
    std::span<const float> logits = session->logits();
    int32_t id = static_cast<int32_t>(std::ranges::max_element(logits) - logits.begin());
    std::cout << id << (left > 1 ? "," : "\n");
    RETURN_IF_ERROR(session->Decode(id));
  }
  return absl::OkStatus();
}

}  // namespace
}  // namespace infer

int main(int argc, char** argv) {
  if (argc != 5) return 2;
  absl::Status status = infer::Run(argv);
  if (status.ok()) return 0;
  std::cerr << status.message() << std::endl;
  return 3;
}
