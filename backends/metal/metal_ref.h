// SPDX-License-Identifier: Apache-2.0
//
// Ownership of Metal objects. The caller owns what a method named new... or alloc returns;
// everything else belongs to the innermost autorelease pool.
#pragma once

#include <Foundation/Foundation.hpp>
#include <Metal/Metal.hpp>
#include <string>

namespace infer::metal {

template <class T>
using Ref = NS::SharedPtr<T>;

template <class T>
Ref<T> Own(T* object) {
  return NS::TransferPtr(object);
}

// An autorelease pool. Every entry point of the back end has one: callers are plain C++ threads,
// which have none.
class Pool {
 public:
  Pool() : pool_(NS::AutoreleasePool::alloc()->init()) {}
  ~Pool() { pool_->release(); }
  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;

 private:
  NS::AutoreleasePool* pool_;
};

// Owned by the innermost pool.
inline NS::String* MakeString(const std::string& text) {
  return NS::String::string(text.c_str(), NS::UTF8StringEncoding);
}

inline std::string TextOf(const NS::Error* error) {
  if (error == nullptr || error->localizedDescription() == nullptr) return "no reason given";
  return error->localizedDescription()->utf8String();
}

}  // namespace infer::metal
