// SPDX-License-Identifier: Apache-2.0
#include "ir/graph/sharding.h"

#include "ir/base/strings.h"

namespace infer {

std::string ToString(Sharding sharding) {
  switch (sharding.kind) {
    case Sharding::Kind::kReplicated:
      return "replicated";
    case Sharding::Kind::kSplit:
      return StrCat("split along axis ", static_cast<int>(sharding.axis));
    case Sharding::Kind::kPartial:
      return "partial";
  }
  return {};
}

}  // namespace infer
