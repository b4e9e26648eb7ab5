// SPDX-License-Identifier: Apache-2.0
//
// Matrices of 8x8 that a simdgroup holds together, two elements in each lane.
#pragma once

#include <cstring>
#include <utility>

#include "msl/make.h"
#include "msl/simdgroup.h"

namespace metal {

template <class T, int Columns, int Rows>
struct simdgroup_matrix {
  static_assert(Columns == 8 && Rows == 8, "only 8x8 exists");

  // NaN: a product that is added to what nobody has set shows.
  simdgroup_matrix() { std::memset(&elements, 0xFF, sizeof elements); }
  explicit simdgroup_matrix(vec<T, 2> two) : elements(two) {}

  vec<T, 2>& thread_elements() { return elements; }

  vec<T, 2> elements;
};
typedef simdgroup_matrix<float, 8, 8> simdgroup_float8x8;
typedef simdgroup_matrix<half, 8, 8> simdgroup_half8x8;
typedef simdgroup_matrix<bfloat, 8, 8> simdgroup_bfloat8x8;

struct msl_cell {
  int row, column;
};
// Of a lane's first element; the second lies to the right of it. As on Apple GPUs: bits 1, 2 and 4
// of the lane make the row, bits 0 and 3 the pair of columns. Apple does not document it, so no
// shader may depend on it.
inline msl_cell msl_cell_of(int lane) {
  const auto bit = [lane](int b) { return (lane >> b) & 1; };
  return {bit(1) | bit(2) << 1 | bit(4) << 2, (bit(0) | bit(3) << 1) * 2};
}

template <class T, int Columns, int Rows = Columns>
inline simdgroup_matrix<T, Columns, Rows> make_filled_simdgroup_matrix(T value) {
  return simdgroup_matrix<T, Columns, Rows>(vec<T, 2>(value));
}
template <class T, int Columns, int Rows = Columns>
inline simdgroup_matrix<T, Columns, Rows> make_diagonal_simdgroup_matrix(T value) {
  const msl_cell cell = msl_cell_of(msl_lane());
  simdgroup_matrix<T, Columns, Rows> matrix(vec<T, 2>(T(0)));
  if (cell.row == cell.column) matrix.elements[0] = value;
  if (cell.row == cell.column + 1) matrix.elements[1] = value;
  return matrix;
}

inline ulong msl_cell_offset(int i, ulong stride, ulong2 origin, bool transpose) {
  const msl_cell cell = msl_cell_of(msl_lane());
  ulong row = static_cast<ulong>(cell.row), column = static_cast<ulong>(cell.column + i);
  if (transpose) std::swap(row, column);
  return (origin.y + row) * stride + origin.x + column;
}

template <class T, class P>
inline void simdgroup_load(simdgroup_matrix<T, 8, 8>& matrix, P source, ulong stride = 8,
                           ulong2 origin = ulong2(0), bool transpose = false) {
  static_assert(std::is_same_v<std::remove_cv_t<T>, msl_element<msl_pointee<P>>>,
                "simdgroup_load from another type");
  for (int i = 0; i < 2; ++i) {
    matrix.elements[i] = source[msl_cell_offset(i, stride, origin, transpose)];
  }
}
template <class T, class P>
inline void simdgroup_store(simdgroup_matrix<T, 8, 8> matrix, P target, ulong stride = 8,
                            ulong2 origin = ulong2(0), bool transpose = false) {
  static_assert(std::is_same_v<std::remove_cv_t<T>, msl_element<msl_pointee<P>>>,
                "simdgroup_store to another type");
  for (int i = 0; i < 2; ++i) {
    target[msl_cell_offset(i, stride, origin, transpose)] = matrix.elements[i];
  }
}

INFER_RUNTIME_BEGIN
// d = a * b + c. The lane that comes last multiplies for all; sums are kept in float.
template <class D, class A, class B, class C>
inline void simdgroup_multiply_accumulate(simdgroup_matrix<D, 8, 8>& d, simdgroup_matrix<A, 8, 8> a,
                                          simdgroup_matrix<B, 8, 8> b, simdgroup_matrix<C, 8, 8> c,
                                          MSL_SITE) {
  namespace emulation = ::infer::emulation;
  emulation::Simdgroup& group = *emulation::current_thread->simdgroup;
  const int bank = group.bank();
  const char* const operation = "simdgroup_multiply_accumulate";
  if (group.lanes != emulation::kSimdWidth) {
    emulation::Fail({file, line}, "simdgroup matrix in a simdgroup of fewer than 32 lanes");
  }
  const float both[4] = {float(a.elements.x), float(a.elements.y), float(b.elements.x),
                         float(b.elements.y)};
  std::memcpy(group.slot[bank][msl_lane()], both, sizeof both);
  float* const product = group.matrix[bank];
  emulation::Arrive(operation, {file, line}, [&] {
    float left[8][8], right[8][8];
    for (int lane = 0; lane < emulation::kSimdWidth; ++lane) {
      const msl_cell cell = msl_cell_of(lane);
      float four[4];
      std::memcpy(four, group.slot[bank][lane], sizeof four);
      left[cell.row][cell.column] = four[0];
      left[cell.row][cell.column + 1] = four[1];
      right[cell.row][cell.column] = four[2];
      right[cell.row][cell.column + 1] = four[3];
    }
    for (int i = 0; i < 8; ++i) {
      float sums[8] = {};
      for (int k = 0; k < 8; ++k) {
        for (int j = 0; j < 8; ++j) sums[j] += left[i][k] * right[k][j];
      }
      std::memcpy(product + 8 * i, sums, sizeof sums);
    }
  });
  const msl_cell cell = msl_cell_of(msl_lane());
  const float* const mine = product + 8 * cell.row + cell.column;
  d.elements.x = D(float(c.elements.x) + mine[0]);
  d.elements.y = D(float(c.elements.y) + mine[1]);
}
INFER_RUNTIME_END
template <class D, class A, class B>
inline void simdgroup_multiply(simdgroup_matrix<D, 8, 8>& d, simdgroup_matrix<A, 8, 8> a,
                               simdgroup_matrix<B, 8, 8> b, MSL_SITE) {
  simdgroup_multiply_accumulate(d, a, b, make_filled_simdgroup_matrix<D, 8>(D(0)), file, line);
}

}  // namespace metal
