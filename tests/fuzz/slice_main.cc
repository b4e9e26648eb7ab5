// SPDX-License-Identifier: Apache-2.0
//
// slice COUNT FOLDER...: runs a fuzzer's function on the files of the folders and on COUNT changed
// ones, always the same. A slice for the everyday tests of what libFuzzer does for hours.
#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <string_view>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t bytes);
extern "C" __attribute__((weak)) int LLVMFuzzerInitialize(int* argc, char*** argv);

namespace {

const std::string* g_input = nullptr;

// Keeps the input that ends the process, for fuzz_NAME and a test.
void KeepInput(int signal_number) {
  const int fd = open("slice_find", O_WRONLY | O_CREAT | O_TRUNC, 0600);
  if (fd >= 0 && write(fd, g_input->data(), g_input->size()) >= 0) {
    constexpr std::string_view kLine = "the input is in slice_find\n";
    if (write(STDERR_FILENO, kLine.data(), kLine.size()) < 0) _exit(1);
  }
  signal(signal_number, SIG_DFL);
  raise(signal_number);
}

void Run(const std::string& input) {
  g_input = &input;
  // A copy of exactly this size, so that a read past its end is seen.
  const std::vector<uint8_t> bytes(input.begin(), input.end());
  LLVMFuzzerTestOneInput(bytes.data(), bytes.size());
}

class Mutator {
 public:
  explicit Mutator(const std::vector<std::string>& seeds) : seeds_(seeds) {}

  std::string Next() {
    std::string input = Pick();
    for (uint32_t changes = 1 + random_() % 4; changes > 0; --changes) Change(&input);
    return input;
  }

 private:
  const std::string& Pick() { return seeds_[random_() % seeds_.size()]; }
  size_t Place(const std::string& text) { return text.empty() ? 0 : random_() % text.size(); }

  void Change(std::string* input) {
    const size_t at = Place(*input);
    switch (random_() % 6) {
      case 0:  // another byte
        if (!input->empty()) (*input)[at] = static_cast<char>(random_());
        break;
      case 1:  // one bit
        if (!input->empty()) (*input)[at] = static_cast<char>((*input)[at] ^ (1 << random_() % 8));
        break;
      case 2:  // a number at one of its limits
        for (size_t i = at; i < std::min(at + 8, input->size()); ++i) {
          (*input)[i] = random_() % 2 == 0 ? '\0' : '\xff';
        }
        break;
      case 3:  // a part left out
        input->erase(at, 1 + random_() % 16);
        break;
      case 4:  // a part of another file
      {
        const std::string& other = Pick();
        input->insert(at, other.substr(Place(other), 1 + random_() % 32));
        break;
      }
      default:  // cut short
        if (random_() % 4 == 0) input->resize(at);
    }
  }

  const std::vector<std::string>& seeds_;
  std::mt19937 random_{22};
};

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) {
    std::fputs("usage: slice COUNT FOLDER...\n", stderr);
    return 2;
  }
  if (LLVMFuzzerInitialize != nullptr) LLVMFuzzerInitialize(&argc, &argv);
  std::vector<std::filesystem::path> paths;
  for (int i = 2; i < argc; ++i) {
    for (const auto& entry : std::filesystem::directory_iterator(argv[i])) {
      if (entry.is_regular_file()) paths.push_back(entry.path());
    }
  }
  std::ranges::sort(paths);  // the order of a folder is not always the same
  std::vector<std::string> seeds;
  for (const auto& path : paths) {
    std::ifstream file(path, std::ios::binary);
    seeds.emplace_back(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
  }
  if (seeds.empty()) {
    std::fputs("no seeds\n", stderr);
    return 1;
  }
  for (int number : {SIGABRT, SIGSEGV, SIGBUS, SIGFPE}) signal(number, KeepInput);
  for (const std::string& seed : seeds) Run(seed);
  Mutator mutator(seeds);
  for (int i = std::atoi(argv[1]); i > 0; --i) Run(mutator.Next());
}
