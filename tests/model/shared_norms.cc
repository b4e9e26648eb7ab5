// SPDX-License-Identifier: Apache-2.0
#include "tests/model/shared_norms.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "ir/base/strings.h"
#include "ir/policy/machine_text.h"
#include "passes/machines.h"

namespace infer::test {
namespace {

std::string WriteWhole(std::string_view name, std::string_view text) {
  std::string path = StrCat(::testing::TempDir(), "/ranks_", name, ".textproto");
  const std::string draft = StrCat(path, ".", getpid());
  std::ofstream(draft) << text;
  std::filesystem::rename(draft, path);
  return path;
}

}  // namespace

std::string WriteMachine(std::string_view name, std::string_view more) {
  return WriteWhole(name, StrCat(PrintMachine(*LoadMachine("")), more));
}

std::string SlowOp(std::string_view op) {
  std::string rates;
  for (const char* target : {"SCALAR", "SIMD", "PARALLEL"}) {
    StrAppend(&rates, "kernel { target: ", target, " op: \"", op,
              "\" gb_s: 0.001 cached_gb_s: 0.001 }\n");
  }
  return rates;
}

CompileModelOptions WithSharedNorms(CompileModelOptions options) {
  options.machine = WriteMachine("norms", SlowOp("add_rms_norm"));
  options.policy = WriteWhole("policy", R"pb(
    name: "regimes"
    rule {
      name: "eight tokens"
      min_tokens: 8
      targets: [ PARALLEL, SIMD, SCALAR ]
    }
    rule {
      name: "fewer"
      targets: [ PARALLEL, SIMD, SCALAR ]
    }
  )pb");
  return options;
}

}  // namespace infer::test
