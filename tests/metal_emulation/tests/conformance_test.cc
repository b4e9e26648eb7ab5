// SPDX-License-Identifier: Apache-2.0
//
// conformance.cc must name everything of metal-cpp that the back end uses.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <set>
#include <string>

#include "tests/metal_emulation/generator/token.h"

namespace infer::emulation {
namespace {

namespace fs = std::filesystem;

const fs::path kRoot = INFER_SOURCE_DIR;

std::string ReadFile(const fs::path& path) {
  std::ifstream in(path);
  return {std::istreambuf_iterator<char>(in), {}};
}

// `text` must live as long as the words.
std::vector<Token> Words(const std::string& text) {
  std::vector<Token> words;
  for (const Token& token : Tokenize(text)) {
    if (!token.blank() && token.kind != TokenKind::kDirective) words.push_back(token);
  }
  return words;
}

// Names of methods: what stands before '(' in the stand-in headers.
std::set<std::string> DeclaredMethods() {
  std::set<std::string> names;
  for (const auto& entry :
       fs::recursive_directory_iterator(kRoot / "tests/metal_emulation/include")) {
    if (!entry.is_regular_file()) continue;
    const std::string text = ReadFile(entry.path());
    const std::vector<Token> words = Words(text);
    for (size_t i = 1; i + 1 < words.size(); ++i) {
      if (words[i - 1].Is(".") || words[i - 1].Is("->")) continue;  // called in a body
      if (words[i].kind == TokenKind::kIdentifier && words[i + 1].Is("(")) {
        names.insert(std::string(words[i].text));
      }
    }
  }
  return names;
}

// "newBuffer", "MTL::DataTypeInt": what the text uses of metal-cpp.
std::set<std::string> Uses(const std::string& text, const std::set<std::string>& methods) {
  std::set<std::string> uses;
  const std::vector<Token> words = Words(text);
  for (size_t i = 0; i + 2 < words.size(); ++i) {
    const bool call = (words[i].Is("->") || words[i].Is(".")) && words[i + 2].Is("(");
    const std::string name(words[i + 1].text);
    if (call && methods.contains(name)) uses.insert(name);
    if ((words[i].Is("MTL") || words[i].Is("NS")) && words[i + 1].Is("::")) {
      uses.insert(std::string(words[i].text) + "::" + std::string(words[i + 2].text));
    }
  }
  return uses;
}

std::set<std::string> PinnedNames(const std::string& text) {
  std::set<std::string> names;
  const std::vector<Token> words = Words(text);
  for (size_t i = 0; i < words.size(); ++i) {
    names.insert(std::string(words[i].text));
    if (i + 2 < words.size() && words[i + 1].Is("::")) {
      names.insert(std::string(words[i].text) + "::" + std::string(words[i + 2].text));
    }
  }
  return names;
}

TEST(Conformance, NamesEveryCallOfTheBackEnd) {
  const std::set<std::string> methods = DeclaredMethods();
  ASSERT_THAT(methods, ::testing::Contains("dispatchThreadgroups"));
  const std::set<std::string> pinned =
      PinnedNames(ReadFile(kRoot / "tests/metal_emulation/conformance.cc"));
  size_t uses = 0;
  for (const auto& entry : fs::directory_iterator(kRoot / "backends/metal")) {
    const fs::path extension = entry.path().extension();
    if (extension != ".cc" && extension != ".h") continue;
    for (const std::string& use : Uses(ReadFile(entry.path()), methods)) {
      ++uses;
      EXPECT_TRUE(pinned.contains(use))
          << entry.path().filename() << " uses " << use
          << ": add it to tests/metal_emulation/conformance.cc, with metal-cpp's signature";
    }
  }
  EXPECT_GT(uses, 30u) << "the scan finds less than the back end can do without";
}

TEST(Conformance, ACallThatIsMissingIsSeen) {
  const std::set<std::string> methods = {"newFence"};
  EXPECT_THAT(Uses("device->newFence(); MTL::Fence* f;", methods),
              ::testing::ElementsAre("MTL::Fence", "newFence"));
  EXPECT_THAT(PinnedNames("METHOD(MTL::Device, newBuffer, int)"),
              ::testing::IsSupersetOf({"MTL::Device", "newBuffer"}));
}

}  // namespace
}  // namespace infer::emulation
