// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <random>
#include <string>
#include <vector>

#include "frontends/tokenizer/utf8.h"

namespace infer {

// Code points where splitting and normalizing have their corner cases: letters of many scripts,
// numbers of all kinds, marks, every white space, line ends, contractions, emoji, Hangul parts,
// U+017F and U+212A (which fold to s and k), U+180E (once a space), unassigned and private ones.
inline const std::vector<char32_t>& NastyAlphabet() {
  static const std::vector<char32_t> alphabet = {
      'a',     's',     't',     'r',     'e',     'v',      'm',     'l',     'd',     'k',
      'S',     'T',     'R',     'E',     'V',     'M',      'L',     'D',     '\'',    '\'',
      '\'',    '"',     '.',     ',',     '-',     '_',      '<',     '|',     '>',     '/',
      '0',     '1',     '9',     ' ',     ' ',     ' ',      '\t',    '\n',    '\n',    '\r',
      '\r',    '\v',    '\f',    0x00,    0x1C,    0x1F,     0x7F,    0x85,    0xA0,    0x1680,
      0x180E,  0x2000,  0x200A,  0x200B,  0x200D,  0x2028,   0x2029,  0x202F,  0x205F,  0x2060,
      0x3000,  0xFEFF,  0x17F,   0x212A,  0x130,   0x131,    0x1E9E,  0xDF,    0xFB05,  0xFB06,
      0x2019,  0xE9,    0xC5,    0x212B,  0x3A9,   0x2126,   0x416,   0x4C6,   0x5D0,   0x627,
      0x661,   0x6F3,   0x915,   0x93C,   0x958,   0x9C7,    0x9BE,   0x9D7,   0xBC6,   0xBBE,
      0xE01,   0xE31,   0xE34,   0xF43,   0xF71,   0xF73,    0x1100,  0x1161,  0x1175,  0x11A8,
      0x11C2,  0xAC00,  0xAC01,  0xD7A3,  0x3042,  0x3099,   0x30AB,  0x30C0,  0x4E2D,  0xF900,
      0x300,   0x301,   0x308,   0x316,   0x327,   0x344,    0x345,   0x35C,   0x483,   0x20DD,
      0xFE0F,  0xB2,    0xBD,    0x2155,  0x2170,  0x2460,   0x3007,  0x10107, 0x1D7D8, 0x1D15E,
      0x1D165, 0x1D4B3, 0x10400, 0x110BA, 0x110B9, 0x1F600,  0x1F468, 0x1F3FD, 0x1F1E9, 0x20000,
      0x2F800, 0xE000,  0x378,   0xFFFD,  0xFFFE,  0x10FFFF, 0xE0100, 0xF0000, 0x1133E, 0x11347,
      0x11357, 0x1E8D0,
  };
  return alphabet;
}

// 0 to 40 code points; every fourth text has long runs.
inline std::string NastyText(std::mt19937* random) {
  const std::vector<char32_t>& alphabet = NastyAlphabet();
  std::string text;
  size_t count = (*random)() % 41;
  bool has_runs = (*random)() % 4 == 0;
  while (count > 0) {
    char32_t c = alphabet[(*random)() % alphabet.size()];
    size_t repeats = has_runs ? (*random)() % 5 : 1;
    for (size_t i = 0; i < repeats; ++i) AppendUtf8(c, &text);
    --count;
  }
  return text;
}

}  // namespace infer
