// SPDX-License-Identifier: Apache-2.0
//
// Dimensions, shapes, the three symbols of a graph, and counts that depend on them.
#pragma once

#include <array>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

namespace infer {

// T: tokens in the call. R: rows whose logits are wanted. S: cache entries visible to the call.
enum class Symbol : uint8_t { kT, kR, kS };
inline constexpr int kNumSymbols = 3;
inline constexpr std::array<Symbol, kNumSymbols> kAllSymbols = {Symbol::kT, Symbol::kR, Symbol::kS};

std::string_view Name(Symbol symbol);
std::optional<Symbol> FindSymbol(std::string_view name);

// The values that a call binds to the symbols.
struct SymbolValues {
  int64_t t = 1;
  int64_t r = 1;
  int64_t s = 1;
  // Number of sequences among which the call's tokens and cache entries are divided; at least 1.
  // Not a symbol: shapes do not depend on it, only the amount of computation does.
  int64_t sequences = 1;
  int64_t operator[](Symbol symbol) const {
    return symbol == Symbol::kT ? t : symbol == Symbol::kR ? r : s;
  }
};

// An inclusive interval. A range with max 0 is not set.
struct Range {
  int64_t min = 0;
  int64_t max = 0;
  bool is_set() const { return max != 0; }
  bool Contains(int64_t value) const { return min <= value && value <= max; }
  bool operator==(const Range&) const = default;
};

struct SymbolRanges {
  std::array<Range, kNumSymbols> ranges;
  Range& operator[](Symbol symbol) { return ranges[static_cast<int>(symbol)]; }
  const Range& operator[](Symbol symbol) const { return ranges[static_cast<int>(symbol)]; }
  SymbolValues Lowest() const;
  SymbolValues Highest() const;
  bool operator==(const SymbolRanges&) const = default;
};

// The largest dimension, as in model files. The limit is the same in memory, in stored Programs and
// in texts, so that each can represent what the others hold.
inline constexpr int64_t kMaxDim = std::numeric_limits<int32_t>::max();

// A dimension: a positive number up to kMaxDim or a symbol.
class Dim {
 public:
  constexpr Dim() = default;
  constexpr Dim(int64_t value) : code_(value) {}                              // NOLINT: implicit
  constexpr Dim(Symbol symbol) : code_(-1 - static_cast<int64_t>(symbol)) {}  // NOLINT: implicit

  constexpr bool is_symbol() const { return code_ < 0; }
  constexpr Symbol symbol() const { return static_cast<Symbol>(-1 - code_); }
  constexpr int64_t value() const { return code_; }  // only for numbers
  int64_t At(const SymbolValues& values) const { return is_symbol() ? values[symbol()] : code_; }

  constexpr bool operator==(const Dim&) const = default;

 private:
  int64_t code_ = 0;
};

std::string ToString(Dim dim);

// Up to four dimensions, outermost first.
class Shape {
 public:
  static constexpr int kMaxRank = 4;

  Shape() = default;
  Shape(std::initializer_list<Dim> dims);

  int rank() const { return rank_; }
  // A negative axis counts from the end.
  Dim dim(int axis) const { return dims_[axis < 0 ? axis + rank_ : axis]; }
  void set_dim(int axis, Dim dim) { dims_[axis < 0 ? axis + rank_ : axis] = dim; }
  const Dim* begin() const { return dims_.data(); }
  const Dim* end() const { return dims_.data() + rank_; }

  // Only while rank() < kMaxRank.
  void Append(Dim dim) { dims_[rank_++] = dim; }
  bool Uses(Symbol symbol) const;

  bool operator==(const Shape&) const = default;

 private:
  std::array<Dim, kMaxRank> dims_;
  int rank_ = 0;
};

std::string ToString(const Shape& shape);  // "[T,1024]"

// A count that depends on the symbols: c0 + cT*T + cR*R + cS*S + cTS*T*S + cTSN*T*S/N. The element,
// byte and operation counts of every op have this form, so that a Program states costs for all
// calls at once.
//
// N is the number of sequences of the call. A token sees only the entries of its own sequence,
// which are S/N of them if the sequences have equal length: eight decodes at depth 512 have T = 8
// and S = 4096, but compute 8 tokens times 512 entries. T*S without N is the size of a tensor
// f32[T,S].
struct SymbolicCount {
  double c0 = 0;
  double ct = 0;
  double cr = 0;
  double cs = 0;
  double cts = 0;
  double ctsn = 0;

  double At(const SymbolValues& values) const;
  bool operator==(const SymbolicCount&) const = default;

  SymbolicCount& operator+=(const SymbolicCount& other);
  friend SymbolicCount operator+(SymbolicCount a, const SymbolicCount& b) { return a += b; }
  friend SymbolicCount operator*(double factor, const SymbolicCount& count);
};

// Returns the product of the dimensions; nullopt if its symbols are not one of 1, T, R, S and T*S.
std::optional<SymbolicCount> CountElements(const Shape& shape);

}  // namespace infer
