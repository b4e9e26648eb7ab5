// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "absl/status/statusor.h"
#include "runtime/random.h"

namespace infer::load {

// A distribution of token counts.
class Lengths {
 public:
  // `text` is a number; `uniform:LOW,HIGH`; `lognormal:MEDIAN,SIGMA[,HIGHEST]`, where SIGMA is that
  // of the logarithm; or `file:PATH`, numbers separated by white space that are drawn at random.
  // Returns a usage error that names `flag`; bad input for a file that cannot be used.
  static absl::StatusOr<Lengths> Parse(std::string_view flag, const std::string& text);

  // Returns at least 1.
  int64_t Draw(Random& random) const;
  // Returns the largest length that Draw can return.
  int64_t highest() const;

 private:
  struct Uniform {
    int64_t low, high;
  };
  struct Lognormal {
    double median, sigma;
    int64_t highest;
  };
  using Kind = std::variant<Uniform, Lognormal, std::vector<int64_t>>;

  explicit Lengths(Kind kind) : kind_(std::move(kind)) {}
  static absl::StatusOr<Lengths> FromFile(const std::string& path);

  Kind kind_;
};

// Returns a number of the exponential distribution with this mean: the time to the next arrival of
// a Poisson process.
double DrawExponential(double mean, Random& random);

// Returns a generator that depends on all three numbers.
Random RandomFor(uint64_t seed, uint64_t round, uint64_t index);

}  // namespace infer::load
