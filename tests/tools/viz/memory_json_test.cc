// SPDX-License-Identifier: Apache-2.0
#include "tools/viz/memory_json.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace infer {
namespace {

TEST(MemoryJson, HasThePartsAndTheirSum) {
  Program program;
  program.symbols[Symbol::kS] = {1, 128};
  RunMemory memory;
  memory.estimate = {.weights = {{"gguf", 10}, {"q8_0_simd", 20}},
                     .kv = 256,
                     .arena = 3,
                     .scratch = 4,
                     .threads = 2,
                     .tokenizer = 5,
                     .other = 6};
  memory.has_tokenizer = true;
  nlohmann::json json = MemoryJson(program, memory);
  EXPECT_EQ(json["weights"]["q8_0_simd"], 20);
  EXPECT_EQ(json["context"], 128);
  EXPECT_EQ(json["tokenizer"], 5);
  EXPECT_EQ(json["total"], 10 + 20 + 256 + 3 + 4 + 5 + 6);
}

TEST(MemoryJson, SaysThatTheTokenizerIsNotKnown) {
  Program program;
  EXPECT_TRUE(MemoryJson(program, RunMemory())["tokenizer"].is_null());
}

}  // namespace
}  // namespace infer
