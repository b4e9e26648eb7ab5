// SPDX-License-Identifier: Apache-2.0
//
// A trace independent of the file format: threads, time slices on them, and counters.
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

namespace infer {

struct TraceField {
  std::string name;
  std::variant<int64_t, std::string> value;
};

// The text of a slice. Shared by many slices, so that each of them costs little.
struct SliceLabel {
  std::string name;
  std::string category;
  std::vector<TraceField> fields;  // at least one
};

struct TraceCounter {
  std::string name;
  bool is_bytes = false;  // else a count
};

struct TraceHeader {
  std::string process;
  std::vector<std::string> threads;  // one track each
  std::vector<TraceCounter> counters;
  std::vector<TraceField> facts;  // about the whole run
};

// Appends a trace to `out`, which the caller may empty at any time. Times are in ns from the start
// of the trace. The events of one thread must come in time order; those of different threads may
// come in any order.
class TraceEncoder {
 public:
  virtual ~TraceEncoder() = default;

  // Called first, and once.
  virtual void Begin(const TraceHeader& header, std::string* out) = 0;
  // Called before the first slice with the label, and again when its text has changed. Labels count
  // from 0.
  virtual void Describe(int label, const SliceLabel& text, std::string* out) = 0;
  // Slices of a thread nest: a slice begun before the previous one ends is inside it.
  // `inner_wait_ns` is the part of the slice that the thread spent waiting.
  virtual void BeginSlice(int thread, int label, int64_t start_ns, int64_t end_ns,
                          int64_t inner_wait_ns, std::string* out) = 0;
  virtual void EndSlice(int thread, int64_t end_ns, std::string* out) = 0;
  virtual void Count(int counter, int64_t at_ns, int64_t value, std::string* out) = 0;
  // Called last: completes the file.
  virtual void End(std::string* out) = 0;
};

}  // namespace infer
