// SPDX-License-Identifier: Apache-2.0
#include "tools/trace/step_log.h"

#include <gtest/gtest.h>

#include "tests/support/sample_program.h"

namespace infer {
namespace {

TEST(StepLog, IndentsStepsByTheirScope) {
  const Program program = test::SampleProgram();
  std::string text;
  StepLog log(program, [&](std::string_view lines) { text = lines; });
  StepEvents events(10, 2);
  for (int i = 0; i < 10; ++i) {
    const int64_t start = 1000 + 100'000 * i;
    events.thread(0)[i] = {start, start + 100 * (i + 1), start + 200 * (i + 1), 0};
  }
  events.thread(0)[9].wait_end_ns += 1'234'000;
  log.AfterCall({0, {3, 1, 5}, 1000, 2'500'000, &events});
  EXPECT_EQ(text,
            "[call 1] (T=3, R=1, S=5) 2.499ms\n"
            "-> [scalar] [embed] embed (q8_0[96,64], i32[3]) 0.2us\n"
            "-> [layer.0] 7.0us\n"
            "-> -> [attn] 7.0us\n"
            "-> -> -> [scalar] [rms_norm] norm (f32[3,64], f32[64]) 0.4us\n"
            "-> -> -> [scalar] [linear] q_proj (f32[3,64], q4_0[64,64]) 0.6us\n"
            "-> -> -> [scalar] [reshape] heads (f32[3,64]) 0.8us\n"
            "-> -> -> [scalar] [slice_columns] half (f32[3,64]) 1.0us\n"
            "-> -> -> [scalar] [kv_write] kv_write (kv<f16[1,32]>, f32[3,32], f32[3,32], batch)"
            " 1.2us\n"
            "-> -> -> [scalar] [attention] attention (f32[3,2,32], kv<f16[1,32]>, batch) 1.4us\n"
            "-> -> -> [scalar] [add] add (f32[3,64], f32[3,64]) 1.6us\n"
            "-> [scalar] [select_rows] rows (f32[3,64], batch) 1.8us\n"
            "-> [scalar] [linear] output+/output/a+/output/b (f32[1,64], q8_0[96,64]) 1.236ms");
  log.AfterCall({1, {5, 1, 9}, 1000, 2'500'000, &events});
  EXPECT_EQ(text.substr(0, 33), "[call 2] (T=5, R=1, S=9) 2.499ms\n");
}

TEST(StepLog, DoesNotGiveATerminalWhatAFileHolds) {
  Program program = test::SampleProgram();
  for (Node* node : program.regimes[0].graph.nodes()) {
    if (node->scope() == "rows") node->set_scope("\x1b[31m/\x07");
  }
  std::string text;
  StepLog log(program, [&](std::string_view lines) { text = lines; });
  StepEvents events(10, 1);
  log.AfterCall({0, {3, 1, 5}, 1000, 2000, &events});
  EXPECT_EQ(text.find_first_of("\x1b\x07"), std::string::npos);
}

}  // namespace
}  // namespace infer
