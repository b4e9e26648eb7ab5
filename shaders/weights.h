// SPDX-License-Identifier: Apache-2.0
//
// Rows of weights as stored in a model file: the formats of backends/formats. Each type writes
// elements [k, k + 16) of a row as floats, exactly; k is a multiple of 16. Plain types may end
// anywhere and give zeros after their end; blocks end with the row. A file may put weights at any
// multiple of 8 bytes, and blocks of 18, 34 and 210 bytes continue from there, so alignment is not
// guaranteed: plain types are loaded one element at a time, blocks two bytes at a time.
#pragma once

template <typename T>
struct PlainWeight {
  static float Widen(T value) { return float(value); }
  static void Load16(device const uchar* row, uint k, uint columns, thread float* out) {
    device const T* from = (device const T*)row;
    if (k + 16 <= columns) {
      for (uint i = 0; i < 16; ++i) out[i] = Widen(from[k + i]);
    } else {
      for (uint i = 0; i < 16; ++i) {
        out[i] = 0.0f;
        if (k + i < columns) out[i] = Widen(from[k + i]);
      }
    }
  }
};

// Metal has no derived classes.
typedef PlainWeight<float> WeightF32;
typedef PlainWeight<half> WeightF16;

struct WeightBF16 {
  static void Load16(device const uchar* row, uint k, uint columns, thread float* out) {
    device const ushort* from = (device const ushort*)row;
    for (uint i = 0; i < 16; ++i) {
      out[i] = 0.0f;
      if (k + i < columns) out[i] = as_type<float>(uint(from[k + i]) << 16);
    }
  }
};

// 34 bytes: a half and 32 signed bytes.
struct WeightQ8_0 {
  static void Load16(device const uchar* row, uint k, uint, thread float* out) {
    device const uchar* block = row + k / 32 * 34;
    const float scale = float(*(device const half*)block);
    device const ushort* pairs = (device const ushort*)(block + 2 + k % 32);
    for (uint i = 0; i < 8; ++i) {
      const char2 two = as_type<char2>(pairs[i]);
      out[2 * i] = scale * float(two.x);
      out[2 * i + 1] = scale * float(two.y);
    }
  }
};

// 18 bytes: a half and 16 bytes with elements i and i + 16 in their low and high halves.
struct WeightQ4_0 {
  static void Load16(device const uchar* row, uint k, uint, thread float* out) {
    device const uchar* block = row + k / 32 * 18;
    const float scale = float(*(device const half*)block);
    device const ushort* pairs = (device const ushort*)(block + 2);
    const uint shift = k % 32 / 4;  // 0 or 4
    for (uint i = 0; i < 8; ++i) {
      const uint two = uint(pairs[i]) >> shift;
      out[2 * i] = scale * float(int(two & 15u) - 8);
      out[2 * i + 1] = scale * float(int(two >> 8 & 15u) - 8);
    }
  }
};

// 144 bytes: two halves, 12 bytes of group scales and mins, 4 bits per element for 256 elements. 32
// bytes hold 64 elements, the first 32 of them in their low bits.
struct WeightQ4_K {
  static void Load16(device const uchar* row, uint k, uint, thread float* out) {
    device const uchar* block = row + k / 256 * 144;
    const float scale = float(*(device const half*)block);
    const float min_step = float(*(device const half*)(block + 2));
    device const uchar* packed = block + 4;
    const uint group = k % 256 / 32;
    uint group_scale, group_min;
    if (group < 4) {
      group_scale = packed[group] & 63u;
      group_min = packed[group + 4] & 63u;
    } else {
      group_scale = (packed[group + 4] & 15u) | uint(packed[group - 4]) >> 6 << 4;
      group_min = uint(packed[group + 4]) >> 4 | uint(packed[group]) >> 6 << 4;
    }
    const float step = scale * float(group_scale);
    const float below = min_step * float(group_min);
    device const ushort* pairs = (device const ushort*)(block + 16 + group / 2 * 32 + k % 32);
    const uint shift = group % 2 * 4;
    for (uint i = 0; i < 8; ++i) {
      const uint two = uint(pairs[i]) >> shift;
      out[2 * i] = step * float(two & 15u) - below;
      out[2 * i + 1] = step * float(two >> 8 & 15u) - below;
    }
  }
};

// 210 bytes: low 4 bits, high 2 bits, 16 signed group scales, a half. See UnpackQuants of Q6_K for
// the planes.
struct WeightQ6_K {
  static void Load16(device const uchar* row, uint k, uint, thread float* out) {
    device const uchar* block = row + k / 256 * 210;
    const float scale = float(*(device const half*)(block + 208));
    device const int8_t* scales = (device const int8_t*)(block + 192);
    const float step = scale * float(scales[k % 256 / 16]);
    const uint plane = k % 256 / 32;
    device const uchar* low = block + (plane / 4 * 2 + plane % 2) * 32 + k % 32;
    device const uchar* high = block + 128 + plane / 4 * 32 + k % 32;
    const uint low_shift = plane % 4 / 2 * 4;
    const uint high_shift = plane % 4 * 2;
    for (uint i = 0; i < 16; ++i) {
      const uint bits = (uint(low[i]) >> low_shift & 15u) | (uint(high[i]) >> high_shift & 3u) << 4;
      out[i] = step * float(int(bits) - 32);
    }
  }
};
