// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "ir/program/program.h"
#include "passes/pipeline.h"
#include "tools/cli/tool.h"
#include "tools/passes/pass_flags.h"

namespace infer {

// Carries out PassFlags while passes run. Dumps are written at once, so that they exist if a later
// pass fails; log and table are written at the end. Must outlive the compilation that it observes.
class PassRecorder {
 public:
  PassRecorder(const PassFlags& flags, ToolContext* context) : flags_(flags), context_(*context) {}
  PassRecorder(const PassRecorder&) = delete;
  PassRecorder& operator=(const PassRecorder&) = delete;

  PassObserver Observer();

  // Writes the log and prints the table, unless a dump could not be written, whose error it
  // returns. The log names the Program that the passes made, if there is one.
  absl::Status Finish(const Program* program = nullptr);

 private:
  struct Entry {
    PassRecord record;
    Range tokens;
    double ms = 0;
    size_t before = 0;  // positions in graphs_
    size_t after = 0;
  };

  void After(const PassRecord& record, const Graph& graph, double ms);
  void Dump(std::string_view pass, int32_t regime, std::string_view when, const Graph& graph);
  size_t NumberOf(const Graph& graph);
  std::string TimesTable() const;
  std::string LogText(const Program* program) const;
  absl::Status WriteText(const std::string& path, std::string_view text);

  const PassFlags& flags_;
  ToolContext& context_;
  std::vector<Entry> entries_;
  size_t before_ = 0;
  std::vector<std::string> graphs_;                     // of the log; each text once
  std::map<std::string, size_t, std::less<>> numbers_;  // position of each text in graphs_
  absl::Status status_;
};

// Returns one observer that calls both.
PassObserver Join(PassObserver first, PassObserver second);

}  // namespace infer
