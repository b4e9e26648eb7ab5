// SPDX-License-Identifier: Apache-2.0
// A program that uses an installed infer: example MODEL PROMPT prints how the model goes on.
#include <infer/infer.h>

#include <iostream>
#include <string>
#include <string_view>

namespace {

int Fail(const infer::Error& error) {
  std::cerr << "error: " << error.message << "\n";
  return error.code;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    std::cerr << "usage: example MODEL PROMPT\n";
    return 2;
  }
  infer::Result<infer::Model> model = infer::Model::Load(argv[1]);
  if (!model.ok()) return Fail(model.error());
  infer::Result<infer::Program> program = infer::Compile(model.value());
  if (!program.ok()) return Fail(program.error());
  infer::Result<infer::Session> session = infer::Session::Create(model.value(), program.value());
  if (!session.ok()) return Fail(session.error());

  infer::GenerateOptions options;
  options.max_tokens = 48;
  options.temperature = 0;
  auto print = [](std::string_view piece) {
    std::cout << piece << std::flush;
    return true;  // false would end the generation here
  };
  infer::Result<std::string> text = session.value().Generate(argv[2], options, print);
  if (!text.ok()) return Fail(text.error());
  std::cout << "\n";
  return std::cout ? 0 : 1;
}
