// SPDX-License-Identifier: Apache-2.0
//
// Buffers and residency sets.
#pragma once

#include <Foundation/Foundation.hpp>
#include <Metal/MTLTypes.hpp>

namespace MTL {

// A member `state` is the emulation's own; metal-cpp's objects have no members.
#define METAL_EMULATION_STATE(Class) \
  Class();                           \
  ~Class() override;                 \
  struct State;                      \
  std::unique_ptr<State> state

class Allocation : public NS::Referencing<Allocation> {
 public:
  NS::UInteger allocatedSize() const;
};

class Resource : public NS::Referencing<Resource, Allocation> {
 public:
  NS::String* label() const;
  void setLabel(const NS::String* label);
  StorageMode storageMode() const;
};

class Buffer : public NS::Referencing<Buffer, Resource> {
 public:
  void* contents();
  NS::UInteger length() const;

  METAL_EMULATION_STATE(Buffer);
};

class ResidencySetDescriptor : public NS::Copying<ResidencySetDescriptor> {
 public:
  static ResidencySetDescriptor* alloc();
  ResidencySetDescriptor* init();
  void setLabel(const NS::String* label);
  void setInitialCapacity(NS::UInteger capacity);

  METAL_EMULATION_STATE(ResidencySetDescriptor);
};

class ResidencySet : public NS::Referencing<ResidencySet> {
 public:
  void addAllocation(const Allocation* allocation);
  void addAllocations(const Allocation* const allocations[], NS::UInteger count);
  void removeAllocation(const Allocation* allocation);
  void removeAllocations(const Allocation* const allocations[], NS::UInteger count);
  void removeAllAllocations();
  bool containsAllocation(const Allocation* allocation);
  NS::UInteger allocationCount() const;
  uint64_t allocatedSize() const;
  void commit();
  void requestResidency();
  void endResidency();
  NS::String* label() const;

  METAL_EMULATION_STATE(ResidencySet);
};

}  // namespace MTL
