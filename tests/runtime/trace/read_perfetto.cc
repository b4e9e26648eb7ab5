// SPDX-License-Identifier: Apache-2.0
#include "tests/runtime/trace/read_perfetto.h"

#include <perfetto.pb.h>

#include <stdexcept>

namespace infer::test {
namespace {

using namespace perfetto;  // NOLINT: the messages' package

class Reader {
 public:
  ReadTrace Read(const std::string& bytes) {
    Trace trace;
    Check(trace.ParseFromString(bytes), "not a trace");
    Check(trace.packet_size() > 0 && trace.packet(0).first_packet_on_sequence(),
          "the first packet does not say so");
    for (const TracePacket& packet : trace.packet()) ReadPacket(packet);
    for (const auto& [time, packet] : events_) ReadEvent(*packet);
    for (const auto& [uuid, open] : open_) Check(open.empty(), "a slice has no end");
    return result_;
  }

 private:
  using Names = std::map<uint64_t, std::string>;

  void Check(bool holds, const std::string& problem) {
    if (!holds) result_.problems.push_back(problem);
  }

  std::string Text(const Names& names, uint64_t iid) {
    auto it = names.find(iid);
    Check(it != names.end(), "no string " + std::to_string(iid));
    return it == names.end() ? "" : it->second;
  }

  void ReadStrings(const InternedData& data) {
    for (const InternedName& entry : data.event_categories()) {
      Check(categories_.emplace(entry.iid(), entry.name()).second, "category twice");
    }
    for (const InternedName& entry : data.event_names()) {
      Check(names_.emplace(entry.iid(), entry.name()).second, "name twice");
    }
    for (const InternedName& entry : data.debug_annotation_names()) {
      Check(fields_.emplace(entry.iid(), entry.name()).second, "annotation name twice");
    }
    for (const InternedString& entry : data.debug_annotation_string_values()) {
      Check(strings_.emplace(entry.iid(), entry.str()).second, "string twice");
    }
  }

  void ReadPacket(const TracePacket& packet) {
    Check(packet.trusted_packet_sequence_id() == 1, "another sequence");
    Check(packet.unknown_fields().empty() && packet.track_event().unknown_fields().empty() &&
              packet.track_descriptor().unknown_fields().empty() &&
              packet.interned_data().unknown_fields().empty(),
          "unknown fields");
    if (packet.sequence_flags() & TracePacket::SEQ_INCREMENTAL_STATE_CLEARED) cleared_ = true;
    const bool uses_strings = packet.has_interned_data() || packet.has_track_event();
    Check(!uses_strings ||
              (cleared_ && packet.sequence_flags() == TracePacket::SEQ_NEEDS_INCREMENTAL_STATE),
          "strings without state");
    ReadStrings(packet.interned_data());
    if (packet.has_track_descriptor()) ReadTrackDescriptor(packet.track_descriptor());
    if (!packet.has_track_event()) return;
    Check(packet.has_timestamp(), "an event without time");
    events_.emplace(packet.timestamp(), &packet);
    if (packet.track_event().type() == TrackEvent::TYPE_SLICE_BEGIN) {
      // Strings must be known where they are used, not only at the end.
      Text(names_, packet.track_event().name_iid());
    }
  }

  void ReadTrackDescriptor(const TrackDescriptor& track) {
    Check(!result_.tracks.contains(track.uuid()), "track twice");
    ReadTrack& made = result_.tracks[track.uuid()];
    made.parent = track.parent_uuid();
    made.name = track.name();
    if (track.has_process()) {
      made.kind = "process";
      made.name = track.process().process_name();
      made.labels.assign(track.process().process_labels().begin(),
                         track.process().process_labels().end());
      Check(track.process().pid() != 0, "process without pid");
    } else if (track.has_thread()) {
      made.kind = "thread";
      made.name = track.thread().thread_name();
      Check(track.thread().pid() != 0 && track.thread().tid() != 0, "thread without pid or tid");
    } else if (track.has_counter()) {
      made.kind = "counter";
      made.unit = track.counter().unit();
    }
    Check(made.parent == 0 || result_.tracks.contains(made.parent), "track without its parent");
  }

  void ReadEvent(const TracePacket& packet) {
    const TrackEvent& event = packet.track_event();
    auto it = result_.tracks.find(event.track_uuid());
    if (it == result_.tracks.end()) return Check(false, "an event on no track");
    ReadTrack& track = it->second;
    std::vector<size_t>& open = open_[event.track_uuid()];
    if (event.type() == TrackEvent::TYPE_COUNTER) {
      Check(track.kind == "counter", "a counter's value on another track");
      track.values.emplace_back(packet.timestamp(), event.counter_value());
    } else if (event.type() == TrackEvent::TYPE_SLICE_END) {
      Check(!open.empty(), "an end without a slice");
      if (open.empty()) return;
      track.slices[open.back()].end_ns = packet.timestamp();
      open.pop_back();
    } else {
      Check(event.type() == TrackEvent::TYPE_SLICE_BEGIN, "an event of another type");
      ReadSlice& slice = track.slices.emplace_back();
      slice.name = Text(names_, event.name_iid());
      for (uint64_t iid : event.category_iids()) slice.category += Text(categories_, iid);
      for (const DebugAnnotation& field : event.debug_annotations()) {
        slice.fields[Text(fields_, field.name_iid())] =
            field.has_int_value() ? std::to_string(field.int_value())
                                  : Text(strings_, field.string_value_iid());
      }
      slice.start_ns = packet.timestamp();
      slice.depth = static_cast<int>(open.size());
      open.push_back(track.slices.size() - 1);
    }
  }

  ReadTrace result_;
  bool cleared_ = false;
  Names categories_, names_, fields_, strings_;
  std::multimap<uint64_t, const TracePacket*> events_;  // equal times in the order of the file
  std::map<uint64_t, std::vector<size_t>> open_;        // positions of the slices of each track
};

}  // namespace

const ReadTrack& ReadTrace::Named(std::string_view name) const {
  for (const auto& [uuid, track] : tracks) {
    if (track.name == name) return track;
  }
  throw std::runtime_error("no track " + std::string(name));
}

ReadTrace ReadPerfetto(const std::string& bytes) { return Reader().Read(bytes); }

}  // namespace infer::test
