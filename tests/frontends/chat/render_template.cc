// SPDX-License-Identifier: Apache-2.0
//
// render_template TEMPLATE REQUEST: prints a rendering, or the error on stderr. For trying things
// out, and for comparing with other implementations.
#include <cstdio>
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
  if (argc != 3) return 2;
  auto compiled = infer::ChatTemplate::Compile(ReadFile(argv[1]));
  infer::RenderOptions options;
  options.clock = {true, 1'767'323'045};
  auto text = compiled.ok() ? compiled->Render(ReadFile(argv[2]), options) : compiled.status();
  if (!text.ok()) {
    std::cerr << text.status() << "\n";
    return 1;
  }
  std::cout << text->text();
}
