// SPDX-License-Identifier: Apache-2.0
//
// The draft 7 cases of the JSON Schema Test Suite, as Debian installs them. Groups whose schema is
// refused, and single cases that our spelling rules exclude, are counted by reason; everything else
// must agree.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "frontends/grammar/check_text.h"
#include "frontends/grammar/json_schema.h"
#include "ir/base/json.h"
#include "ir/base/strings.h"

namespace infer {
namespace {

constexpr const char* kSuite = "/usr/share/json-schema-test-suite/tests/draft7";

// Valid documents that we refuse, by the reason.
struct Exclusion {
  const char* file;
  const char* group;
  const char* test;
  const char* reason;
};
const Exclusion kExclusions[] = {
    {"allOf", "allOf", "allOf", "key order"},
    {"allOf", "allOf with base schema", "valid", "key order"},
    {"const", "const with object", "same object with different property order is valid",
     "key order"},
};

const Exclusion* ExclusionOf(const std::string& file, const std::string& group,
                             const std::string& test) {
  for (const Exclusion& e : kExclusions) {
    if (file == e.file && group == e.group && test == e.test) return &e;
  }
  return nullptr;
}

// The keyword or rule that an error is about, to count by.
std::string ReasonOf(const absl::Status& status) {
  const std::string message(ToStd(status.message()));
  return message.substr(message.find(": ") + 2);
}

TEST(SchemaSuite, Draft7) {
  if (!std::filesystem::exists(kSuite)) {
    GTEST_SKIP() << kSuite << " is not installed (Debian: json-schema-test-suite)";
  }
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(kSuite)) {
    if (entry.path().extension() == ".json") files.push_back(entry.path());
  }
  std::ranges::sort(files);
  std::map<std::string, int> excluded;
  int compared = 0;
  for (const auto& path : files) {
    const std::string file = path.stem().string();
    const auto groups = Json::parse(std::ifstream(path));
    for (const auto& group : groups) {
      Json schema = group["schema"];
      if (schema.is_object()) schema["$schema"] = "http://json-schema.org/draft-07/schema#";
      const std::string name = group["description"];
      const auto grammar = CompileJsonSchema(schema.dump(), {.whitespace = JsonWhitespace::kFree});
      for (const auto& test : group["tests"]) {
        const std::string label = test["description"];
        if (!grammar.ok()) {
          const bool never = ReasonOf(grammar.status()) == "no document satisfies the schema";
          if (never) {
            EXPECT_FALSE(test["valid"].get<bool>()) << file << ": " << name << ": " << label;
            ++compared;
          } else {
            ++excluded[StrCat(file, ": ", name, ": ", ReasonOf(grammar.status()))];
          }
          continue;
        }
        if (const Exclusion* e = ExclusionOf(file, name, label)) {
          ++excluded[e->reason];
          continue;
        }
        ++compared;
        EXPECT_EQ(!CheckText(*grammar, test["data"].dump()), test["valid"].get<bool>())
            << file << ": " << name << ": " << label << "\n"
            << schema << "\n"
            << test["data"];
      }
    }
  }
  int total = 0;
  for (const auto& [reason, count] : excluded) {
    std::cout << "excluded " << count << ": " << reason << "\n";
    total += count;
  }
  std::cout << "compared " << compared << ", excluded " << total << "\n";
  EXPECT_GE(compared, 200);
}

}  // namespace
}  // namespace infer
