// SPDX-License-Identifier: Apache-2.0
//
// The fields of every plain struct that appears in the text form of a graph, each listed once:
// writer and reader both walk these lists, so they cannot drift apart. Those of a Program are in
// ir/text/program_fields.h.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "ir/graph/dtype.h"
#include "ir/graph/placement.h"
#include "ir/graph/plan.h"
#include "ir/graph/shape.h"

namespace infer {

enum class FieldStyle : uint8_t {
  kPlain,   // omitted if it has its default value
  kAlways,  // written even if it has its default value
  kLines,   // a list with a line for each element
  kHex,     // 0x and 16 digits
  kNode,    // a position in program order, written as the name of that node's first result
};

// Specialised for each struct; Fields calls visit(name, member pointer[, style]) for each field.
template <class T>
struct Record;
template <class T>
concept IsRecord = requires { sizeof(Record<T>); };

template <>
struct Record<Term> {
  static void Fields(auto&& visit) {
    visit("field", &Term::field);
    visit("cmp", &Term::cmp);
    visit("threshold", &Term::threshold);
    visit("lo", &Term::lo);
    visit("hi", &Term::hi);
  }
};

template <>
struct Record<Rejected> {
  static void Fields(auto&& visit) {
    visit("target", &Rejected::target, FieldStyle::kAlways);
    visit("code", &Rejected::code, FieldStyle::kAlways);
    visit("text", &Rejected::text);
  }
};

template <>
struct Record<SymbolicCount> {
  static void Fields(auto&& visit) {
    visit("c0", &SymbolicCount::c0);
    visit("ct", &SymbolicCount::ct);
    visit("cr", &SymbolicCount::cr);
    visit("cs", &SymbolicCount::cs);
    visit("cts", &SymbolicCount::cts);
    visit("ctsn", &SymbolicCount::ctsn);
  }
};

template <>
struct Record<Cost> {
  static void Fields(auto&& visit) {
    visit("flops", &Cost::flops);
    visit("bytes", &Cost::bytes);
  }
};

template <>
struct Record<Partition> {
  static void Fields(auto&& visit) {
    visit("domain", &Partition::domain, FieldStyle::kAlways);
    visit("extent", &Partition::extent);
    visit("granule", &Partition::granule);
    visit("own_inputs", &Partition::own_inputs);
    visit("own_results", &Partition::own_results);
  }
};

template <>
struct Record<KernelRecord> {
  static void Fields(auto&& visit) {
    visit("partition", &KernelRecord::partition);
    visit("weight_layouts", &KernelRecord::weight_layouts);
    visit("workspace_bytes", &KernelRecord::workspace_bytes);
    visit("scratch_bytes", &KernelRecord::scratch_bytes);
    visit("numerics", &KernelRecord::numerics);
    visit("numerics_from", &KernelRecord::numerics_from);
  }
};

// In text, the target precedes the record: @simd {...}.
template <>
struct Record<Placement> {
  static void Fields(auto&& visit) {
    visit("kernel", &Placement::kernel);
    visit("kernel_record", &Placement::kernel_record);
    visit("rule", &Placement::rule);
    visit("source", &Placement::source, FieldStyle::kAlways);
    visit("terms", &Placement::terms);
    visit("rejected", &Placement::rejected);
    visit("cost", &Placement::cost);
    visit("estimate_ns_min", &Placement::estimate_ns_min);
    visit("estimate_ns_max", &Placement::estimate_ns_max);
  }
};

template <>
struct Record<CopyStep> {
  static void Fields(auto&& visit) {
    visit("value", &CopyStep::value, FieldStyle::kAlways);
    visit("from", &CopyStep::from, FieldStyle::kAlways);
    visit("to", &CopyStep::to, FieldStyle::kAlways);
  }
};

template <>
struct Record<Step> {
  static void Fields(auto&& visit) {
    visit("node", &Step::node, FieldStyle::kNode);
    visit("copy", &Step::copy);
    visit("mode", &Step::mode, FieldStyle::kAlways);
    visit("barrier_after", &Step::barrier_after);
    visit("workspace_offset", &Step::workspace_offset);
    visit("workspace_bytes", &Step::workspace_bytes);
  }
};

template <>
struct Record<Segment> {
  static void Fields(auto&& visit) {
    visit("device", &Segment::device, FieldStyle::kAlways);
    visit("space", &Segment::shared_space);
    visit("waits", &Segment::waits);
    visit("steps", &Segment::steps, FieldStyle::kLines);
  }
};

template <>
struct Record<Slot> {
  static void Fields(auto&& visit) {
    visit("value", &Slot::value, FieldStyle::kAlways);
    visit("space", &Slot::space, FieldStyle::kAlways);
    visit("offset", &Slot::offset, FieldStyle::kAlways);
    visit("bytes", &Slot::bytes, FieldStyle::kAlways);
    visit("first_step", &Slot::first_step, FieldStyle::kAlways);
    visit("last_step", &Slot::last_step, FieldStyle::kAlways);
    visit("alias_of", &Slot::alias_of);
  }
};

template <>
struct Record<Arena> {
  static void Fields(auto&& visit) {
    visit("space", &Arena::space, FieldStyle::kAlways);
    visit("bytes", &Arena::bytes, FieldStyle::kAlways);
    visit("bytes_per_thread", &Arena::bytes_per_thread);
    visit("lower_bound", &Arena::lower_bound);
  }
};

template <>
struct Record<Plan> {
  static void Fields(auto&& visit) {
    visit("segments", &Plan::segments, FieldStyle::kLines);
    visit("slots", &Plan::slots, FieldStyle::kLines);
    visit("arenas", &Plan::arenas, FieldStyle::kLines);
    visit("waits", &Plan::waits);
  }
};

// FindName returns the enumerator of that name, for every enum that is the type of a field. The
// pointer only selects the overload.
inline auto FindName(std::string_view name, const Target*) { return FindTarget(name); }
inline auto FindName(std::string_view name, const Device*) { return FindDevice(name); }
inline auto FindName(std::string_view name, const Rejected::Code*) {
  return FindRejectedCode(name);
}
inline auto FindName(std::string_view name, const PlacementSource*) {
  return FindPlacementSource(name);
}
inline auto FindName(std::string_view name, const PartitionDomain*) {
  return FindPartitionDomain(name);
}
inline auto FindName(std::string_view name, const StepMode*) { return FindStepMode(name); }
inline auto FindName(std::string_view name, const DType*) { return FindDType(name); }

}  // namespace infer
