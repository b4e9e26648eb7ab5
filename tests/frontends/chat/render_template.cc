// SPDX-License-Identifier: Apache-2.0
//
// render_template TEMPLATE REQUEST [COUNT]: prints a rendering, or the error on stderr. With COUNT,
// renders that often and prints the mean time instead.
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <sstream>
#include <string>

#include "frontends/chat/chat_template.h"

namespace {

std::string ReadFile(const char* path) {
  std::ifstream stream(path, std::ios::binary);
  std::stringstream text;
  text << stream.rdbuf();
  return text.str();
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3 && argc != 4) return 2;
  auto compiled = infer::ChatTemplate::Compile(ReadFile(argv[1]));
  infer::RenderOptions options;
  options.clock = {true, 1'767'323'045};
  const std::string request = ReadFile(argv[2]);
  auto text = compiled.ok() ? compiled->Render(request, options) : compiled.status();
  if (!text.ok()) {
    std::cerr << text.status() << "\n";
    return 1;
  }
  if (argc == 3) {
    std::cout << text->text();
    return 0;
  }
  const int count = std::max(1, std::atoi(argv[3]));
  const auto start = std::chrono::steady_clock::now();
  for (int i = 0; i < count; ++i) {
    if (!compiled->Render(request, options).ok()) return 1;
  }
  const std::chrono::duration<double, std::micro> took = std::chrono::steady_clock::now() - start;
  std::cout << took.count() / count << " us, " << text->size() << " bytes\n";
}
