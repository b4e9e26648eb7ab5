// SPDX-License-Identifier: Apache-2.0
#include "runtime/trace/chrome_json.h"

#include <algorithm>
#include <charconv>
#include <string_view>

#include "ir/base/json.h"
#include "ir/base/strings.h"

namespace infer {
namespace {

// Names come from a file and may not be valid UTF-8.

Json Object(const std::vector<TraceField>& fields) {
  Json object = Json::object();
  for (const TraceField& field : fields) {
    std::visit([&](const auto& value) { object[field.name] = value; }, field.value);
  }
  return object;
}

// Writes at `at`, which must have room for kMaxTimeBytes, and returns the position after it.
constexpr int kMaxTimeBytes = 24;
char* PutMicroseconds(int64_t ns, char* at) {
  at = std::to_chars(at, at + kMaxTimeBytes, ns / 1000).ptr;
  const int64_t rest = ns % 1000;
  *at++ = '.';
  *at++ = static_cast<char>('0' + rest / 100);
  *at++ = static_cast<char>('0' + rest / 10 % 10);
  *at++ = static_cast<char>('0' + rest % 10);
  return at;
}

void AppendMicroseconds(int64_t ns, std::string* out) {
  char buffer[kMaxTimeBytes];
  out->append(buffer, PutMicroseconds(ns, buffer) - buffer);
}

constexpr std::string_view kDuration = ",\"dur\":";

// Every event has a pid and a tid; a thread's tid is its number plus 1, and thread 0's is the pid.
constexpr int kChromePid = 1;

class ChromeJson : public TraceEncoder {
 public:
  void Begin(const TraceHeader& header, std::string* out) override {
    StrAppend(out, "{\"displayTimeUnit\":\"ns\",\n\"otherData\":", JsonText(Object(header.facts)),
              ",\n\"traceEvents\":[\n");
    AppendName("process_name", 0, header.process, out);
    for (size_t i = 0; i < header.threads.size(); ++i) {
      const int thread = static_cast<int>(i);
      StrAppend(out, ",\n");
      AppendName("thread_name", thread, header.threads[i], out);
      StrAppend(out, ",\n");
      AppendMetadata("thread_sort_index", thread, {{"sort_index", thread}}, out);
      threads_.push_back(
          StrCat(",\n{\"ph\":\"X\",\"pid\":", kChromePid, ",\"tid\":", thread + 1, ",\"ts\":"));
    }
    for (const TraceCounter& counter : header.counters) {
      const std::string name = JsonText(counter.name);
      // Ends inside the event's args, before the value.
      counters_.push_back(StrCat(",\n{\"ph\":\"C\",\"pid\":", kChromePid, ",\"tid\":", kChromePid,
                                 ",\"name\":", name, ",\"args\":{",
                                 counter.is_bytes ? "\"bytes\"" : "\"count\"", ":"));
    }
  }

  void Describe(int label, const SliceLabel& text, std::string*) override {
    if (labels_.size() <= static_cast<size_t>(label)) labels_.resize(label + 1);
    std::string args = JsonText(Object(text.fields));
    args.pop_back();  // where the wait may follow
    labels_[label] = StrCat(",\"name\":", JsonText(text.name), ",\"cat\":", JsonText(text.category),
                            ",\"args\":", args);
  }

  void BeginSlice(int thread, int label, int64_t start_ns, int64_t end_ns, int64_t inner_wait_ns,
                  std::string* out) override {
    char times[2 * kMaxTimeBytes + kDuration.size()];
    char* at = PutMicroseconds(start_ns, times);
    at = std::ranges::copy(kDuration, at).out;
    at = PutMicroseconds(end_ns - start_ns, at);
    *out += threads_[thread];
    out->append(times, at - times);
    *out += labels_[label];
    if (inner_wait_ns > 0) {
      *out += ",\"inner_wait_us\":";
      AppendMicroseconds(inner_wait_ns, out);
    }
    *out += "}}";
  }

  void EndSlice(int, int64_t, std::string*) override {}

  void Count(int counter, int64_t at_ns, int64_t value, std::string* out) override {
    StrAppend(out, counters_[counter], value, "},\"ts\":");
    AppendMicroseconds(at_ns, out);
    *out += '}';
  }

  void End(std::string* out) override { *out += "\n]}\n"; }

 private:
  static void AppendMetadata(std::string_view kind, int thread, const Json& args,
                             std::string* out) {
    StrAppend(out, "{\"ph\":\"M\",\"pid\":", kChromePid, ",\"tid\":", thread + 1,
              ",\"ts\":0,\"name\":\"", kind, "\",\"args\":", JsonText(args), "}");
  }
  static void AppendName(std::string_view kind, int thread, const std::string& name,
                         std::string* out) {
    AppendMetadata(kind, thread, {{"name", name}}, out);
  }

  std::vector<std::string> threads_;   // prefix of a slice, up to its time
  std::vector<std::string> labels_;    // from the name to the last field
  std::vector<std::string> counters_;  // prefix of the event, up to the value
};

}  // namespace

std::unique_ptr<TraceEncoder> MakeChromeJsonEncoder() { return std::make_unique<ChromeJson>(); }

}  // namespace infer
