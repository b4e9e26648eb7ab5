// SPDX-License-Identifier: Apache-2.0
#include "tests/backends/conformance/conformance_case.h"

namespace infer::conformance {

std::string NameOf(Values values) {
  switch (values) {
    case Values::kPlain:
      return "";
    case Values::kLarge:
      return "large";
    case Values::kTiny:
      return "tiny";
    case Values::kSubnormal:
      return "subnormal";
    case Values::kZero:
      return "zero";
    case Values::kOutlier:
      return "outlier";
    case Values::kUneven:
      return "uneven";
    case Values::kNan:
      return "nan";
    case Values::kInf:
      return "inf";
  }
  return "";
}

std::vector<ConformanceCase> AllCases() {
  std::vector<ConformanceCase> cases = LinearCases();
  for (const std::vector<ConformanceCase>& more : {RowCases(), HeadCases(), ExpertCases()}) {
    cases.insert(cases.end(), more.begin(), more.end());
  }
  return cases;
}

}  // namespace infer::conformance
