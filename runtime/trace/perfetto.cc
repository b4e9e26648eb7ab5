// SPDX-License-Identifier: Apache-2.0
#include "runtime/trace/perfetto.h"

#include <cstring>
#include <map>
#include <string_view>

#include "ir/base/strings.h"
#include "runtime/trace/proto_bytes.h"

namespace infer {
namespace {

// Field numbers; see perfetto.proto.
namespace trace {
constexpr int kPacket = 1;
}
namespace packet {
constexpr int kTimestamp = 8;
constexpr int kSequence = 10;
constexpr int kTrackEvent = 11;
constexpr int kInternedData = 12;
constexpr int kSequenceFlags = 13;
constexpr int kTrackDescriptor = 60;
constexpr int kFirstOnSequence = 87;
constexpr int kStateCleared = 1;  // flags
constexpr int kNeedsState = 2;
}  // namespace packet
namespace track {
constexpr int kUuid = 1;
constexpr int kName = 2;
constexpr int kProcess = 3;
constexpr int kThread = 4;
constexpr int kParent = 5;
constexpr int kCounter = 8;
}  // namespace track
namespace event {
constexpr int kCategory = 3;
constexpr int kAnnotation = 4;
constexpr int kType = 9;
constexpr int kName = 10;
constexpr int kTrack = 11;
constexpr int kCounterValue = 30;
constexpr int kSliceBegin = 1;  // types
constexpr int kSliceEnd = 2;
constexpr int kCounter = 4;
}  // namespace event
namespace annotation {
constexpr int kName = 1;
constexpr int kInt = 4;
constexpr int kString = 17;
}  // namespace annotation
enum Interned { kCategories = 1, kNames = 2, kAnnotationNames = 3, kStrings = 29 };

constexpr uint64_t kSequence = 1;
constexpr uint64_t kPerfettoPid = 1;
constexpr uint64_t kProcessUuid = 1;

class Perfetto : public TraceEncoder {
 public:
  void Begin(const TraceHeader& header, std::string* out) override;
  void Describe(int label, const SliceLabel& text, std::string* out) override;
  void BeginSlice(int thread, int label, int64_t start_ns, int64_t end_ns, int64_t inner_wait_ns,
                  std::string* out) override;
  void EndSlice(int thread, int64_t end_ns, std::string* out) override {
    AppendEvent(event::kSliceEnd, ThreadUuid(thread), end_ns, {}, out);
  }
  void Count(int counter, int64_t at_ns, int64_t value, std::string* out) override {
    std::string body;
    AppendNumber(event::kCounterValue, static_cast<uint64_t>(value), &body);
    AppendEvent(event::kCounter, counter_uuid_ + counter, at_ns, body, out);
  }
  void End(std::string*) override {}

 private:
  static uint64_t ThreadUuid(int thread) { return kProcessUuid + 1 + thread; }

  static void AppendTrack(const std::string& descriptor, bool first, std::string* out);
  static void AppendEvent(int type, uint64_t track_uuid, int64_t at_ns, std::string_view body,
                          std::string* out);
  // Returns the number of the string in its table; new ones are added to new_strings_.
  uint64_t Intern(Interned table, std::string_view text);
  std::string Annotation(const TraceField& field);

  uint64_t counter_uuid_ = 0;     // of counter 0
  uint64_t inner_wait_name_ = 0;  // of the annotation
  std::map<std::pair<Interned, std::string>, uint64_t> interned_;
  std::string new_strings_;          // InternedData
  std::vector<std::string> labels_;  // fields of the TrackEvent
  std::string body_;
};

void Perfetto::AppendTrack(const std::string& descriptor, bool first, std::string* out) {
  std::string body;
  AppendBytes(packet::kTrackDescriptor, descriptor, &body);
  AppendNumber(packet::kSequence, kSequence, &body);
  if (first) {
    AppendNumber(packet::kSequenceFlags, packet::kStateCleared, &body);
    AppendNumber(packet::kFirstOnSequence, 1, &body);
  }
  AppendBytes(trace::kPacket, body, out);
}

void Perfetto::Begin(const TraceHeader& header, std::string* out) {
  std::string process;
  AppendNumber(1, kPerfettoPid, &process);
  AppendBytes(6, header.process, &process);
  for (const TraceField& fact : header.facts) {
    std::visit([&](const auto& value) { AppendBytes(8, StrCat(fact.name, ": ", value), &process); },
               fact.value);
  }
  std::string descriptor;
  AppendNumber(track::kUuid, kProcessUuid, &descriptor);
  AppendBytes(track::kProcess, process, &descriptor);
  AppendTrack(descriptor, /*first=*/true, out);
  for (size_t i = 0; i < header.threads.size(); ++i) {
    std::string thread;
    AppendNumber(1, kPerfettoPid, &thread);
    AppendNumber(2, kPerfettoPid + i, &thread);
    AppendBytes(5, header.threads[i], &thread);
    descriptor.clear();
    AppendNumber(track::kUuid, ThreadUuid(static_cast<int>(i)), &descriptor);
    AppendNumber(track::kParent, kProcessUuid, &descriptor);
    AppendBytes(track::kThread, thread, &descriptor);
    AppendTrack(descriptor, /*first=*/false, out);
  }
  inner_wait_name_ = Intern(kAnnotationNames, "inner_wait_ns");
  counter_uuid_ = ThreadUuid(static_cast<int>(header.threads.size()));
  for (size_t i = 0; i < header.counters.size(); ++i) {
    std::string counter;
    AppendNumber(3, header.counters[i].is_bytes ? 3 : 2, &counter);  // unit
    descriptor.clear();
    AppendNumber(track::kUuid, counter_uuid_ + i, &descriptor);
    AppendNumber(track::kParent, kProcessUuid, &descriptor);
    AppendBytes(track::kName, header.counters[i].name, &descriptor);
    AppendBytes(track::kCounter, counter, &descriptor);
    AppendTrack(descriptor, /*first=*/false, out);
  }
}

uint64_t Perfetto::Intern(Interned table, std::string_view text) {
  const auto [it, is_new] = interned_.try_emplace({table, std::string(text)}, interned_.size() + 1);
  if (is_new) {
    std::string entry;
    AppendNumber(1, it->second, &entry);
    AppendBytes(2, text, &entry);
    AppendBytes(table, entry, &new_strings_);
  }
  return it->second;
}

std::string Perfetto::Annotation(const TraceField& field) {
  std::string body;
  AppendNumber(annotation::kName, Intern(kAnnotationNames, field.name), &body);
  if (const int64_t* number = std::get_if<int64_t>(&field.value)) {
    AppendNumber(annotation::kInt, static_cast<uint64_t>(*number), &body);
  } else {
    AppendNumber(annotation::kString, Intern(kStrings, std::get<std::string>(field.value)), &body);
  }
  return body;
}

void Perfetto::Describe(int label, const SliceLabel& text, std::string* out) {
  if (labels_.size() <= static_cast<size_t>(label)) labels_.resize(label + 1);
  std::string& body = labels_[label];
  body.clear();
  AppendNumber(event::kCategory, Intern(kCategories, text.category), &body);
  AppendNumber(event::kName, Intern(kNames, text.name), &body);
  for (const TraceField& field : text.fields) {
    AppendBytes(event::kAnnotation, Annotation(field), &body);
  }
  if (new_strings_.empty()) return;
  std::string strings;
  AppendBytes(packet::kInternedData, new_strings_, &strings);
  AppendNumber(packet::kSequence, kSequence, &strings);
  AppendNumber(packet::kSequenceFlags, packet::kNeedsState, &strings);
  AppendBytes(trace::kPacket, strings, out);
  new_strings_.clear();
}

void Perfetto::BeginSlice(int thread, int label, int64_t start_ns, int64_t, int64_t inner_wait_ns,
                          std::string* out) {
  if (inner_wait_ns <= 0) {
    AppendEvent(event::kSliceBegin, ThreadUuid(thread), start_ns, labels_[label], out);
    return;
  }
  std::string wait;
  AppendNumber(annotation::kName, inner_wait_name_, &wait);
  AppendNumber(annotation::kInt, static_cast<uint64_t>(inner_wait_ns), &wait);
  body_ = labels_[label];
  AppendBytes(event::kAnnotation, wait, &body_);
  AppendEvent(event::kSliceBegin, ThreadUuid(thread), start_ns, body_, out);
}

// Writes the whole event at once, because lengths precede the data that they measure.
void Perfetto::AppendEvent(int type, uint64_t track_uuid, int64_t at_ns, std::string_view body,
                           std::string* out) {
  const auto timestamp = static_cast<uint64_t>(at_ns);
  const size_t event_bytes =
      body.size() + NumberBytes(event::kType, type) + NumberBytes(event::kTrack, track_uuid);
  const size_t packet_bytes = NumberBytes(packet::kTimestamp, timestamp) +
                              NumberBytes(packet::kTrackEvent, event_bytes) + event_bytes +
                              NumberBytes(packet::kSequence, kSequence) +
                              NumberBytes(packet::kSequenceFlags, packet::kNeedsState);
  const size_t before = out->size();
  out->resize(before + NumberBytes(trace::kPacket, packet_bytes) + packet_bytes);
  char* at = out->data() + before;
  at = PutHead(trace::kPacket, packet_bytes, at);
  at = PutNumber(packet::kTimestamp, timestamp, at);
  at = PutHead(packet::kTrackEvent, event_bytes, at);
  at = PutNumber(event::kType, type, at);
  at = PutNumber(event::kTrack, track_uuid, at);
  if (!body.empty()) std::memcpy(at, body.data(), body.size());
  at = PutNumber(packet::kSequence, kSequence, at + body.size());
  PutNumber(packet::kSequenceFlags, packet::kNeedsState, at);
}

}  // namespace

std::unique_ptr<TraceEncoder> MakePerfettoEncoder() { return std::make_unique<Perfetto>(); }

}  // namespace infer
