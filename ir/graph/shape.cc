// SPDX-License-Identifier: Apache-2.0
#include "ir/graph/shape.h"

#include <algorithm>

#include "ir/base/strings.h"

namespace infer {

std::string_view Name(Symbol symbol) {
  constexpr std::string_view kNames[] = {"T", "R", "S"};
  return kNames[static_cast<int>(symbol)];
}

std::optional<Symbol> FindSymbol(std::string_view name) {
  for (Symbol symbol : kAllSymbols) {
    if (Name(symbol) == name) return symbol;
  }
  return std::nullopt;
}

SymbolValues SymbolRanges::Lowest() const { return {ranges[0].min, ranges[1].min, ranges[2].min}; }
SymbolValues SymbolRanges::Highest() const { return {ranges[0].max, ranges[1].max, ranges[2].max}; }

std::string ToString(Dim dim) {
  return dim.is_symbol() ? std::string(Name(dim.symbol())) : StrCat(dim.value());
}

Shape::Shape(std::initializer_list<Dim> dims) {
  for (Dim dim : dims) Append(dim);
}

bool Shape::Uses(Symbol symbol) const {
  return std::any_of(begin(), end(), [&](Dim dim) { return dim == Dim(symbol); });
}

std::string ToString(const Shape& shape) {
  std::string text = "[";
  for (const Dim& dim : shape) {
    if (&dim != shape.begin()) text += ",";
    text += ToString(dim);
  }
  return text + "]";
}

double SymbolicCount::At(const SymbolValues& values) const {
  double t = static_cast<double>(values.t);
  double s = static_cast<double>(values.s);
  const double n = static_cast<double>(values.sequences);
  return c0 + ct * t + cr * static_cast<double>(values.r) + cs * s + (cts + ctsn / n) * t * s;
}

SymbolicCount& SymbolicCount::operator+=(const SymbolicCount& other) {
  c0 += other.c0;
  ct += other.ct;
  cr += other.cr;
  cs += other.cs;
  cts += other.cts;
  ctsn += other.ctsn;
  return *this;
}

SymbolicCount operator*(double factor, const SymbolicCount& count) {
  return {factor * count.c0, factor * count.ct,  factor * count.cr,
          factor * count.cs, factor * count.cts, factor * count.ctsn};
}

std::optional<SymbolicCount> CountElements(const Shape& shape) {
  double product = 1;
  std::array<int, kNumSymbols> powers = {};
  for (Dim dim : shape) {
    if (dim.is_symbol()) {
      ++powers[static_cast<int>(dim.symbol())];
    } else {
      product *= static_cast<double>(dim.value());
    }
  }
  SymbolicCount count;
  if (powers == std::array{0, 0, 0})
    count.c0 = product;
  else if (powers == std::array{1, 0, 0})
    count.ct = product;
  else if (powers == std::array{0, 1, 0})
    count.cr = product;
  else if (powers == std::array{0, 0, 1})
    count.cs = product;
  else if (powers == std::array{1, 0, 1})
    count.cts = product;
  else
    return std::nullopt;
  return count;
}

}  // namespace infer
