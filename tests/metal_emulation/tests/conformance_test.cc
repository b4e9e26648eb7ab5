// SPDX-License-Identifier: Apache-2.0
//
// conformance.cc must name everything of metal-cpp that the back end uses.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <string>

#include "tests/metal_emulation/generator/token.h"

namespace infer::emulation {
namespace {

namespace fs = std::filesystem;

const fs::path kRoot = INFER_SOURCE_DIR;

std::string ReadSource(const fs::path& path) {
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

struct Class {
  std::string base;
  std::set<std::string> methods;
};
using Classes = std::map<std::string, Class>;

// Adds the classes of a header: in a class body, what stands before '(' is a method. Free functions
// are methods of "".
void ReadClasses(const std::string& text, Classes& classes) {
  const std::vector<Token> words = Words(text);
  std::vector<std::string> scopes;  // one for each open '{'
  std::string pending;
  bool in_head = false;  // between the class's name and its body
  for (size_t i = 0; i + 1 < words.size(); ++i) {
    const std::string word(words[i].text);
    if (words[i].Is("class") && words[i + 1].kind == TokenKind::kIdentifier && !in_head &&
        (i == 0 || !(words[i - 1].Is("<") || words[i - 1].Is(",")))) {
      pending = std::string(words[++i].text);
      in_head = true;
    } else if (words[i].Is("{")) {
      const bool names_space = !in_head && i > 1 && words[i - 2].Is("namespace");
      scopes.push_back(in_head ? pending : names_space ? "" : "a body");
      in_head = false;
    } else if (words[i].Is("}")) {
      if (!scopes.empty()) scopes.pop_back();
    } else if (words[i].Is(";")) {
      in_head = false;
    } else if (in_head && words[i].kind == TokenKind::kIdentifier) {
      if (word != pending) classes[pending].base = word;  // the last one: Referencing<C, Base>
    } else if (words[i].kind == TokenKind::kIdentifier && words[i + 1].Is("(") &&
               !(i > 0 && (words[i - 1].Is(".") || words[i - 1].Is("->")))) {
      const std::string scope = scopes.empty() ? "" : scopes.back();
      if (scope != "a body") classes[scope].methods.insert(word);
    }
  }
}

Classes DeclaredClasses() {
  Classes classes;
  for (const auto& entry :
       fs::recursive_directory_iterator(kRoot / "tests/metal_emulation/include")) {
    if (entry.is_regular_file()) ReadClasses(ReadSource(entry.path()), classes);
  }
  return classes;
}

// What a text uses of metal-cpp: "newBuffer", "MTL::DataTypeInt".
struct Uses {
  std::set<std::string> methods, names;
};

void ReadUses(const std::string& text, Uses& uses) {
  const std::vector<Token> words = Words(text);
  for (size_t i = 0; i + 2 < words.size(); ++i) {
    const bool call = (words[i].Is("->") || words[i].Is(".")) && words[i + 2].Is("(");
    if (call) uses.methods.insert(std::string(words[i + 1].text));
    if ((words[i].Is("MTL") || words[i].Is("NS")) && words[i + 1].Is("::")) {
      uses.names.insert(std::string(words[i].text) + "::" + std::string(words[i + 2].text));
    }
  }
}

// What conformance.cc pins: names, and methods as "Device.newBuffer".
std::set<std::string> Pinned(const std::string& text) {
  std::set<std::string> pinned;
  std::map<std::string, std::string> aliases;  // using Encoder = MTL::ComputeCommandEncoder;
  const std::vector<Token> words = Words(text);
  const auto at = [&](size_t i) {
    return i < words.size() ? std::string(words[i].text) : std::string();
  };
  for (size_t i = 0; i < words.size(); ++i) {
    if (at(i + 1) == "::") pinned.insert(at(i) + "::" + at(i + 2));
    if (at(i) == "using" && at(i + 2) == "=") aliases[at(i + 1)] = at(i + 5);
    // METHOD(MTL::Device, newBuffer, ...), METHOD(NS::SharedPtr<MTL::Device>, get, ...)
    if (at(i) == "METHOD" && at(i + 1) == "(") {
      const size_t first = at(i + 3) == "::" ? i + 4 : i + 2;
      size_t comma = first;
      while (comma < words.size() && at(comma) != ",") ++comma;
      const auto alias = aliases.find(at(first));
      pinned.insert((alias == aliases.end() ? at(first) : alias->second) + "." + at(comma + 1));
    }
    // FUNCTION(NS::URL::fileURLWithPath, ...)
    if (at(i) == "FUNCTION" && at(i + 5) == "::") pinned.insert(at(i + 4) + "." + at(i + 6));
    // declval<MTL::Device&>().newBuffer(
    if (at(i) == "declval" && at(i + 9) == ".") pinned.insert(at(i + 4) + "." + at(i + 10));
  }
  return pinned;
}

// Which of "Class.method" conformance.cc must have for a call of `method`: the scan does not know
// on what object. Every class that the back end names, or that is a base of one, and that has such
// a method; if it names none, any one class will do.
std::vector<std::string> MissingPins(const std::string& method, const Classes& classes,
                                     const std::set<std::string>& named,
                                     const std::set<std::string>& pinned) {
  std::vector<std::string> missing, others;
  bool any = false;
  for (const auto& [name, declared] : classes) {
    // metal-cpp has the same two templates between NS::Object and everything else.
    if (name.empty() || name == "Referencing" || name == "Copying") continue;
    if (!declared.methods.contains(method)) continue;
    const bool has = pinned.contains(name + "." + method);
    any |= has;
    if (has) continue;
    (named.contains(name) ? missing : others).push_back(name + "." + method);
  }
  return missing.empty() && !any ? others : missing;
}

// Without MTL:: and NS::, with their bases.
std::set<std::string> NamedClasses(const std::set<std::string>& names, const Classes& classes) {
  std::set<std::string> named;
  for (const std::string& name : names) {
    for (std::string at = name.substr(name.find("::") + 2); classes.contains(at);) {
      if (!named.insert(at).second) break;
      at = classes.at(at).base;
    }
  }
  return named;
}

TEST(Conformance, NamesEveryCallOfTheBackEnd) {
  const Classes classes = DeclaredClasses();
  ASSERT_THAT(classes.at("ComputeCommandEncoder").methods,
              ::testing::Contains("dispatchThreadgroups"));
  ASSERT_EQ(classes.at("ComputeCommandEncoder").base, "CommandEncoder");
  Uses uses;
  for (const auto& entry : fs::directory_iterator(kRoot / "backends/metal")) {
    const fs::path extension = entry.path().extension();
    if (extension == ".cc" || extension == ".h") ReadUses(ReadSource(entry.path()), uses);
  }
  EXPECT_GT(uses.names.size(), 30u) << "the scan finds less than the back end can do without";
  const std::set<std::string> pinned =
      Pinned(ReadSource(kRoot / "tests/metal_emulation/conformance.cc"));
  const std::set<std::string> named = NamedClasses(uses.names, classes);
  constexpr char kAdvice[] = " is used: add it to conformance.cc, with metal-cpp's signature";
  for (const std::string& name : uses.names) {
    EXPECT_TRUE(pinned.contains(name)) << name << kAdvice;
  }
  for (const std::string& method : uses.methods) {
    for (const std::string& missing : MissingPins(method, classes, named, pinned)) {
      ADD_FAILURE() << missing << kAdvice;
    }
  }
}

TEST(Conformance, ClassesAreReadWithTheirBases) {
  Classes classes;
  ReadClasses(
      "namespace MTL { class Early; class A : public NS::Referencing<A> { int* f(); };"
      "template <class C> class B : public NS::Referencing<B, A> { void g() { x.h(); } }; int k(); "
      "}",
      classes);
  EXPECT_EQ(classes.at("B").base, "A");
  EXPECT_THAT(classes.at("A").methods, ::testing::ElementsAre("f"));
  EXPECT_THAT(classes.at("B").methods, ::testing::ElementsAre("g"));
}

TEST(Conformance, ACallThatIsMissingIsSeen) {
  Uses uses;
  ReadUses("device->newFence(); MTL::Fence* f;", uses);
  EXPECT_THAT(uses.methods, ::testing::ElementsAre("newFence"));
  EXPECT_THAT(uses.names, ::testing::ElementsAre("MTL::Fence"));
  EXPECT_THAT(Pinned("using E = MTL::Encoder; METHOD(MTL::Device, newBuffer, int) METHOD(E, f, int)"
                     "FUNCTION(NS::URL::path, int) declval<MTL::Queue&>().make(1)"),
              ::testing::IsSupersetOf(
                  {"MTL::Device", "Device.newBuffer", "Encoder.f", "URL.path", "Queue.make"}));
}

TEST(Conformance, AMethodOfTwoClassesIsPinnedOnBoth) {
  Classes classes;
  ReadClasses("class A { void commit(); }; class B { void commit(); }; class C { void commit(); };",
              classes);
  using ::testing::ElementsAre;
  EXPECT_THAT(MissingPins("commit", classes, {"A", "B"}, {"A.commit"}), ElementsAre("B.commit"));
  EXPECT_THAT(MissingPins("commit", classes, {"A"}, {"A.commit"}), ElementsAre());
  EXPECT_THAT(MissingPins("commit", classes, {}, {"C.commit"}), ElementsAre());
  EXPECT_THAT(MissingPins("commit", classes, {}, {}),
              ElementsAre("A.commit", "B.commit", "C.commit"));
}

}  // namespace
}  // namespace infer::emulation
