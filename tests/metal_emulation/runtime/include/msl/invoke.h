// SPDX-License-Identifier: Apache-2.0
//
// Calls a kernel: which attribute stands at which parameter comes from the generator, the
// parameters' types from the compiler.
#pragma once

#include <array>
#include <type_traits>
#include <utility>

#include "msl/make.h"
#include "tests/metal_emulation/runtime/group.h"
#include "tests/metal_emulation/runtime/registry.h"

#ifndef MSL_CHECK

namespace infer::emulation {
INFER_RUNTIME_BEGIN

template <class T>
inline T FromDim3(const Dim3& size) {
  if constexpr (metal::msl_count<T> == 1) {
    return static_cast<T>(size.x);
  } else {
    static_assert(metal::msl_count<T> <= 3);
    const uint32_t all[3] = {size.x, size.y, size.z};
    T result;
    for (int i = 0; i < metal::msl_count<T>; ++i) {
      result[i] = static_cast<metal::msl_element<T>>(all[i]);
    }
    return result;
  }
}

template <class T>
inline T Builtin(const Parameter& parameter) {
  const Group& group = *current_group;
  const Thread& thread = *current_thread;
  switch (parameter.kind) {
    case ParameterKind::kThreadPositionInGrid:
      return FromDim3<T>(thread.position_in_grid);
    case ParameterKind::kThreadgroupPositionInGrid:
      return FromDim3<T>(group.position);
    case ParameterKind::kThreadPositionInThreadgroup:
      return FromDim3<T>(thread.position_in_group);
    case ParameterKind::kThreadIndexInThreadgroup:
      return FromDim3<T>({thread.index, 0, 0});
    case ParameterKind::kThreadIndexInSimdgroup:
      return FromDim3<T>({thread.lane, 0, 0});
    case ParameterKind::kSimdgroupIndexInThreadgroup:
      return FromDim3<T>({thread.simdgroup_index, 0, 0});
    case ParameterKind::kSimdgroupsPerThreadgroup:
      return FromDim3<T>({static_cast<uint32_t>(group.simdgroups.size()), 0, 0});
    case ParameterKind::kThreadsPerSimdgroup:
      return FromDim3<T>({kSimdWidth, 0, 0});
    case ParameterKind::kThreadsPerThreadgroup:
      return FromDim3<T>(group.threads_per_group);
    case ParameterKind::kThreadgroupsPerGrid:
      return FromDim3<T>(group.groups_per_grid);
    case ParameterKind::kThreadsPerGrid:
      return FromDim3<T>(group.threads_per_grid);
    case ParameterKind::kBuffer:
    case ParameterKind::kThreadgroup:
      break;
  }
  Fail({}, std::string("parameter '") + parameter.name + "' must be a pointer or a reference");
}

template <class T>
inline T Argument(const Parameter& parameter) {
  if constexpr (std::is_pointer_v<T> || std::is_reference_v<T>) {
    using Target = std::remove_reference_t<
        std::conditional_t<std::is_pointer_v<T>, std::remove_pointer_t<T>, T>>;
    void* const memory = parameter.kind == ParameterKind::kThreadgroup
                             ? current_group->threadgroup_arguments[parameter.index]
                             : current_group->buffers[parameter.index];
    auto* const typed = static_cast<Target*>(memory);
    if constexpr (std::is_pointer_v<T>) {
      return typed;
    } else {
      return *typed;
    }
  } else {
    return Builtin<T>(parameter);
  }
}

template <class T>
constexpr ParameterType TypeOf() {
  if constexpr (std::is_pointer_v<T> || std::is_reference_v<T>) {
    using Target = std::remove_reference_t<
        std::conditional_t<std::is_pointer_v<T>, std::remove_pointer_t<T>, T>>;
    if constexpr (std::is_void_v<Target>) {
      return {.writes = !std::is_const_v<Target>, .element = 1, .alignment = 1};
    } else {
      return {.writes = !std::is_const_v<Target>,
              .element = sizeof(Target),
              .alignment = alignof(Target)};
    }
  }
  return {};
}

template <auto Function>
struct Invoke;
template <class... Parameters, void (*Function)(Parameters...)>
struct Invoke<Function> {
  static constexpr size_t kArity = sizeof...(Parameters);
  static constexpr std::array<ParameterType, kArity> kTypes = {TypeOf<Parameters>()...};

  static void Call(const Parameter* parameters) {
    [&]<size_t... I>(std::index_sequence<I...>) {
      Function(Argument<Parameters>(parameters[I])...);
    }(std::index_sequence_for<Parameters...>());
  }
};

INFER_RUNTIME_END
}  // namespace infer::emulation

#endif
