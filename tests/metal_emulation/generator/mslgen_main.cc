// SPDX-License-Identifier: Apache-2.0
//
// mslgen [-I DIR]... [--language 3.1] IN.metal OUT.cc: makes a shader file into C++ for the
// software Metal device.
#include <getopt.h>

#include <fstream>
#include <iostream>
#include <string>
#include <vector>

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
  std::string level = "3.1";
  std::vector<std::string> include_dirs;
  constexpr option kFlags[] = {{"language", required_argument, nullptr, 'l'}, {}};
  bool is_usage_error = false;
  for (int flag; (flag = getopt_long(argc, argv, "I:", kFlags, nullptr)) != -1;) {
    if (flag == 'I') include_dirs.push_back(optarg);
    if (flag == 'l') level = optarg;
    is_usage_error |= flag == '?';
  }
  is_usage_error |= argc - optind != 2 || (level != "3.0" && level != "3.1" && level != "3.2");
  if (is_usage_error) {
    std::cerr << "usage: mslgen [-I DIR]... [--language 3.0|3.1|3.2] IN.metal OUT.cc\n";
    return 2;
  }
  return infer::emulation::Generate(argv[optind], argv[optind + 1], level, include_dirs);
}
