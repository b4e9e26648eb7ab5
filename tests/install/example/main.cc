// SPDX-License-Identifier: Apache-2.0
// A program that uses an installed infer: example MODEL PROMPT continues the prompt twice at the
// same time, on two threads with a sequence each. Both stream to stdout; the second is cancelled
// from the main thread. Progress and warnings go to stderr.
#include <infer/infer.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <iostream>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>

namespace {

int Fail(const infer::Error& error) {
  std::cerr << "error: " << error.message << "\n";
  return error.code;
}

// Pieces of several texts on one stdout: a new line with the number of the text at each change.
class Printer {
 public:
  void Show(int number, std::string_view piece) {
    std::lock_guard<std::mutex> hold(mutex_);
    if (number != last_) std::cout << (last_ == 0 ? "" : "\n") << "[" << number << "] ";
    last_ = number;
    std::cout << piece << std::flush;
  }

 private:
  std::mutex mutex_;
  int last_ = 0;
};

const char* Name(infer::StopReason reason) {
  constexpr const char* kNames[] = {"enough tokens", "end of text", "stop string",
                                    "context full",  "cancelled",   "callback"};
  return kNames[static_cast<int>(reason)];
}

int Run(const std::string& path, const std::string& prompt) {
  infer::Result<infer::Model> model = infer::Model::Load(path);
  if (!model.ok()) return Fail(model.error());
  auto warn = [](const std::string& text) { std::cerr << "warning: " << text << "\n"; };
  infer::CompileOptions compile;
  compile.context = 512;
  compile.on_warning = warn;
  infer::Result<infer::Program> program = infer::Compile(model.value(), compile);
  if (!program.ok()) return Fail(program.error());
  infer::EngineOptions load;
  load.sequences = 2;
  load.on_warning = warn;
  load.on_load = [](uint64_t done, uint64_t total) {
    if (done == total) std::cerr << "packed " << (total >> 10) << " KiB of weights\n";
  };
  infer::Result<infer::Engine> engine = infer::Engine::Create(model.value(), program.value(), load);
  if (!engine.ok()) return Fail(engine.error());
  std::cerr << "threads " << engine.value().threads_text() << "\n";

  Printer printer;
  infer::CancelToken cancel;  // of the second text
  std::atomic<int> second_tokens{0};
  std::atomic<int> running{2};
  std::atomic<int> code{0};
  auto generate = [&](int number) {
    infer::Result<infer::Sequence> sequence = engine.value().NewSequence();
    if (!sequence.ok()) {
      code = Fail(sequence.error());
      --running;
      return;
    }
    infer::GenerateOptions options;  // without a seed: another text at each run
    options.max_tokens = number == 1 ? 48 : 400;
    options.ignore_end = true;
    options.on_text = [&](std::string_view piece) {
      printer.Show(number, piece);
      return true;  // false would end the text here
    };
    options.on_prefill = [&](int64_t done, int64_t total) {
      std::cerr << "[" + std::to_string(number) + "] prompt " + std::to_string(done) + "/" +
                       std::to_string(total) + "\n";
    };
    if (number == 2) {
      options.cancel = cancel;
      options.on_token = [&](const infer::TokenStep&) { ++second_tokens; };
    }
    infer::Result<infer::Generation> made = sequence.value().Generate(prompt, options);
    if (!made.ok()) {
      code = Fail(made.error());
    } else {
      std::cerr << "[" + std::to_string(number) + "] " + Name(made.value().reason) + " after " +
                       std::to_string(made.value().ids.size()) + " tokens, seed " +
                       std::to_string(made.value().seed) + "\n";
    }
    --running;
  };
  std::thread first(generate, 1), second(generate, 2);
  while (running > 0) {
    if (second_tokens >= 8) cancel.Cancel();
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  first.join();
  second.join();
  std::cout << "\n";
  return code != 0 ? code.load() : std::cout ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    std::cerr << "usage: example MODEL PROMPT\n";
    return 2;
  }
  return Run(argv[1], argv[2]);
}
