// SPDX-License-Identifier: Apache-2.0
//
// Reads a Perfetto trace the way its own tools do: strings by number, slices by track.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace infer::test {

struct ReadSlice {
  std::string name;
  std::string category;
  std::map<std::string, std::string> fields;  // numbers as text
  uint64_t start_ns = 0;
  uint64_t end_ns = 0;
  int depth = 0;  // slices around it

  bool operator==(const ReadSlice&) const = default;
};

struct ReadTrack {
  std::string name;
  std::string kind;  // "process", "thread", "counter"
  uint64_t parent = 0;
  int unit = 0;                                      // of a counter
  std::vector<ReadSlice> slices;                     // by their start
  std::vector<std::pair<uint64_t, int64_t>> values;  // of a counter: time, value
  std::vector<std::string> labels;                   // of a process
};

struct ReadTrace {
  std::map<uint64_t, ReadTrack> tracks;  // by uuid
  std::vector<std::string> problems;     // what Perfetto would count as an error

  const ReadTrack& Named(std::string_view name) const;
};

ReadTrace ReadPerfetto(const std::string& bytes);

}  // namespace infer::test
