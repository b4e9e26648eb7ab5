// SPDX-License-Identifier: Apache-2.0
//
// The fields of the plain structs of a Program's header, as ir/text/text_fields.h lists those of
// graphs.
#pragma once

#include <optional>
#include <string_view>

#include "ir/program/program.h"
#include "ir/text/text_fields.h"

namespace infer {

template <>
struct Record<ModelRef::File> {
  static void Fields(auto&& visit) {
    visit("name", &ModelRef::File::name);
    visit("bytes", &ModelRef::File::bytes);
  }
};

template <>
struct Record<ModelRef> {
  static void Fields(auto&& visit) {
    visit("files", &ModelRef::files);
    visit("header_hash", &ModelRef::header_hash);
  }
};

template <>
struct Record<WeightSlice> {
  static void Fields(auto&& visit) {
    visit("axis", &WeightSlice::axis, FieldStyle::kAlways);
    visit("parts", &WeightSlice::parts, FieldStyle::kAlways);
  }
};

template <>
struct Record<Weight> {
  static void Fields(auto&& visit) {
    visit("name", &Weight::name);
    visit("type", &Weight::type, FieldStyle::kAlways);
    visit("file", &Weight::file);
    visit("offset", &Weight::offset, FieldStyle::kAlways);
    visit("bytes", &Weight::bytes, FieldStyle::kAlways);
    visit("sample_hash", &Weight::sample_hash, FieldStyle::kHex);
    visit("full_hash", &Weight::full_hash, FieldStyle::kHex);
    visit("layouts", &Weight::layouts);
    visit("spaces", &Weight::spaces);
    visit("slice", &Weight::slice);
  }
};

template <>
struct Record<State> {
  static void Fields(auto&& visit) {
    visit("id", &State::id, FieldStyle::kAlways);
    visit("layer", &State::layer, FieldStyle::kAlways);
    visit("kv_heads", &State::kv_heads);
    visit("head_dim", &State::head_dim);
    visit("dtype", &State::dtype, FieldStyle::kAlways);
    visit("layout", &State::layout, FieldStyle::kAlways);
    visit("home_space", &State::home_space, FieldStyle::kAlways);
  }
};

template <>
struct Record<Machine> {
  static void Fields(auto&& visit) {
    visit("text", &Machine::text);
    visit("origin", &Machine::origin, FieldStyle::kAlways);
  }
};

template <>
struct Record<PassRecord> {
  static void Fields(auto&& visit) {
    visit("name", &PassRecord::name);
    visit("changed", &PassRecord::changed);
    visit("nodes_before", &PassRecord::nodes_before, FieldStyle::kAlways);
    visit("nodes_after", &PassRecord::nodes_after, FieldStyle::kAlways);
    visit("regime", &PassRecord::regime);
  }
};

template <>
struct Record<KernelCandidate> {
  static void Fields(auto&& visit) {
    visit("name", &KernelCandidate::name);
    visit("op", &KernelCandidate::op);
    visit("target", &KernelCandidate::target, FieldStyle::kAlways);
    visit("min_rows", &KernelCandidate::min_rows);
    visit("max_rows", &KernelCandidate::max_rows);
  }
};

template <>
struct Record<KernelChoice> {
  static void Fields(auto&& visit) {
    visit("rows", &KernelChoice::rows, FieldStyle::kAlways);
    visit("kernels", &KernelChoice::kernels);
    visit("parts", &KernelChoice::parts);
  }
};

// The regimes follow the header, each with its graph.
template <>
struct Record<Program> {
  static void Fields(auto&& visit) {
    visit("schema_version", &Program::schema_version, FieldStyle::kAlways);
    visit("model", &Program::model);
    visit("symbols", &Program::symbols);
    visit("sequences", &Program::sequences);
    visit("policy", &Program::policy);
    visit("overrides", &Program::overrides);
    visit("machine", &Program::machine, FieldStyle::kAlways);
    visit("passes", &Program::passes, FieldStyle::kLines);
    visit("states", &Program::states, FieldStyle::kLines);
    visit("weights", &Program::weights, FieldStyle::kLines);
    visit("kernels", &Program::kernels, FieldStyle::kLines);
    visit("kernel_choices", &Program::kernel_choices, FieldStyle::kLines);
  }
};

inline std::string_view Name(Machine::Origin origin) {
  return origin == Machine::Origin::kGeneric ? "generic" : "calibrated";
}

inline std::optional<Machine::Origin> FindName(std::string_view name, const Machine::Origin*) {
  for (Machine::Origin origin : {Machine::Origin::kGeneric, Machine::Origin::kCalibrated}) {
    if (Name(origin) == name) return origin;
  }
  return std::nullopt;
}

}  // namespace infer
