// SPDX-License-Identifier: Apache-2.0
//
// mslgen [-I DIR]... [--language 3.1] IN.metal OUT.cc: makes a shader file into C++ for the
// software Metal device.
#include <fstream>
#include <iostream>
#include <string>
#include <vector>

#include "CLI/CLI.hpp"
#include "tests/metal_emulation/generator/lint.h"
#include "tests/metal_emulation/generator/source.h"
#include "tests/metal_emulation/generator/tables.h"
#include "tests/metal_emulation/generator/translate.h"

namespace infer::emulation {
namespace {

int Generate(const std::string& in, const std::string& out, const std::string& level,
             const std::vector<std::string>& include_dirs) {
  const absl::StatusOr<Source> source = LoadSource(in, include_dirs);
  if (!source.ok()) {
    std::cerr << source.status().message() << "\n";
    return 1;
  }
  const Translation translation = Translate(*source);
  std::vector<Diagnostic> errors = translation.errors;
  for (Diagnostic& error : Lint(*source, level)) errors.push_back(std::move(error));
  for (const Diagnostic& error : errors) std::cerr << ToString(error) << "\n";
  if (!errors.empty()) return 1;
  std::ofstream file(out, std::ios::binary);
  file << GenerateFile(*source, translation);
  if (!file.flush()) {
    std::cerr << out << ": cannot be written\n";
    return 1;
  }
  return 0;
}

}  // namespace
}  // namespace infer::emulation

int main(int argc, char** argv) {
  CLI::App app("Makes a Metal shader file into C++ for the software Metal device.");
  std::string in, out, level = "3.1";
  std::vector<std::string> include_dirs;
  app.add_option("in", in, "shader file")->required();
  app.add_option("out", out, "C++ file to write")->required();
  app.add_option("-I", include_dirs, "folder of included files")->allow_extra_args(false);
  app.add_option("--language", level, "language version that the shader may use")
      ->check(CLI::IsMember({"3.0", "3.1", "3.2"}));
  CLI11_PARSE(app, argc, argv);
  return infer::emulation::Generate(in, out, level, include_dirs);
}
