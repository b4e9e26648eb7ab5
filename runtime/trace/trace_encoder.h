// SPDX-License-Identifier: Apache-2.0
//
// A trace as its writer sees it, whatever the form of the file: threads, slices of time on them,
// counters.
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

// What a slice shows. Many slices share one, so that they cost little.
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
  std::vector<std::string> threads;  // a track each
  std::vector<TraceCounter> counters;
  std::vector<TraceField> facts;  // of the whole run
};

// Appends a trace to `out`, which the caller may empty at any time. Times are in ns from the start
// of the trace. The events of a thread come in the order of time, those of different threads in
// any.
class TraceEncoder {
 public:
  virtual ~TraceEncoder() = default;

  // First and once.
  virtual void Begin(const TraceHeader& header, std::string* out) = 0;
  // Before the first slice with it; again where what it shows has changed. Labels count from 0.
  virtual void Describe(int label, const SliceLabel& text, std::string* out) = 0;
  // Slices of a thread nest: what is begun before the end lies inside. `inner_wait_ns` of it the
  // thread has waited.
  virtual void BeginSlice(int thread, int label, int64_t start_ns, int64_t end_ns,
                          int64_t inner_wait_ns, std::string* out) = 0;
  virtual void EndSlice(int thread, int64_t end_ns, std::string* out) = 0;
  virtual void Count(int counter, int64_t at_ns, int64_t value, std::string* out) = 0;
  // Last: the file is whole behind it.
  virtual void End(std::string* out) = 0;
};

}  // namespace infer
