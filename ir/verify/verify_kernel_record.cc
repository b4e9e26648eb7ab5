// SPDX-License-Identifier: Apache-2.0
#include "ir/verify/verify_kernel_record.h"

#include <cmath>
#include <optional>

#include "ir/base/status_macros.h"
#include "ir/base/strings.h"
#include "ir/graph/placement.h"
#include "ir/verify/verifier.h"

namespace infer {
namespace {

// Far more than any kernel needs, and far below the point where sums of offsets wrap.
constexpr uint64_t kMaxKernelBytes = uint64_t{1} << 40;

absl::Status RecordError(const Node& node, std::string_view what) {
  return absl::InvalidArgumentError(
      StrCat(DescribeNode(node), ": the kernel record of its placement: ", what));
}

// factor * symbols, like the number of elements of a shape.
struct Product {
  double factor = 0;
  bool t = false, r = false, s = false;
};

// Returns nullopt unless the count is a product with a whole factor of at least 1.
std::optional<Product> AsProduct(const SymbolicCount& count) {
  std::optional<Product> product;
  for (const Product& part :
       {Product{count.c0}, Product{count.ct, true}, Product{count.cr, false, true},
        Product{count.cs, false, false, true}, Product{count.cts, true, false, true}}) {
    if (part.factor == 0) continue;
    if (product || !(part.factor >= 1 && part.factor < 1e18)) return std::nullopt;
    if (part.factor != std::floor(part.factor)) return std::nullopt;
    product = part;
  }
  return product;
}

// Returns whether `count` is a whole multiple of `extent` for all values of the symbols.
bool IsMultiple(const SymbolicCount& count, const SymbolicCount& extent) {
  const std::optional<Product> of = AsProduct(extent), is = AsProduct(count);
  return of && is && std::fmod(is->factor, of->factor) == 0 && (is->t || !of->t) &&
         (is->r || !of->r) && (is->s || !of->s);
}

// Returns whether each unit has its own part in an operand of that type.
bool HasParts(const ValueType& type, const Partition& partition) {
  if (!type.is_tensor()) return false;
  if (partition.domain == PartitionDomain::kColumns) {
    if (type.rank() == 0) return false;
    const Dim columns = type.dim(-1);
    return !columns.is_symbol() &&
           partition.extent == SymbolicCount{.c0 = static_cast<double>(columns.value())};
  }
  const std::optional<SymbolicCount> elements = CountElements(type.tensor.shape);
  return elements && IsMultiple(*elements, partition.extent);
}

template <class TypeOf>
absl::Status VerifyOwn(const Node& node, const std::vector<int32_t>& own, int32_t count,
                       std::string_view what, TypeOf type_of) {
  for (size_t i = 0; i < own.size(); ++i) {
    if (own[i] < 0 || own[i] >= count || (i > 0 && own[i] <= own[i - 1])) {
      return RecordError(node, StrCat("it gives units their own part of ", what, " ", own[i],
                                      ", which ", "does not exist or is out of order"));
    }
    if (!HasParts(type_of(own[i]), node.placement()->kernel_record.partition)) {
      return RecordError(node, StrCat(what, " ", own[i], ", ", ToString(type_of(own[i])),
                                      ", cannot be divided into its units"));
    }
  }
  return absl::OkStatus();
}

absl::Status VerifyPartition(const Node& node) {
  const Partition& partition = node.placement()->kernel_record.partition;
  if (!partition.is_cut()) {
    if (partition == Partition{}) return absl::OkStatus();
    return RecordError(node, "its work is not divided but has units");
  }
  if (node.op().traits.view)
    return RecordError(node, "a view runs no code that could be divided into units");
  if (partition.granule < 1 || !AsProduct(partition.extent)) {
    return RecordError(node, "its units must be one or more whole rows, columns or elements");
  }
  const int32_t inputs = static_cast<int32_t>(node.inputs().size());
  RETURN_IF_ERROR(VerifyOwn(node, partition.own_inputs, inputs, "input",
                            [&](int32_t i) -> const ValueType& { return node.input(i).type(); }));
  return VerifyOwn(node, partition.own_results, node.num_results(), "result",
                   [&](int32_t i) -> const ValueType& { return node.result(i).type; });
}

}  // namespace

absl::Status VerifyKernelRecord(const Node& node) {
  const KernelRecord& record = node.placement()->kernel_record;
  RETURN_IF_ERROR(VerifyPartition(node));
  if (record.workspace_bytes >= kMaxKernelBytes || record.scratch_bytes >= kMaxKernelBytes) {
    return RecordError(node,
                       StrCat("it needs ", record.workspace_bytes, " bytes of workspace and ",
                              record.scratch_bytes, " for each thread, expected less than 2^40"));
  }
  if (record.numerics_from < 0 || record.numerics_from > kMaxDim) {
    return RecordError(node, StrCat("its bits are the same from ", record.numerics_from,
                                    " tokens of a sequence on, expected 0 to ", kMaxDim));
  }
  if (record.weight_layouts.empty()) return absl::OkStatus();
  if (record.weight_layouts.size() != node.inputs().size()) {
    return RecordError(node, StrCat("it has layouts for ", record.weight_layouts.size(),
                                    " inputs, the number of inputs is ", node.inputs().size()));
  }
  for (size_t i = 0; i < record.weight_layouts.size(); ++i) {
    const bool weight = node.input(static_cast<int>(i)).node->op().traits.weight;
    if (weight != record.weight_layouts[i].empty()) continue;
    return RecordError(node, StrCat("input ", i,
                                    weight ? " is a weight without a layout"
                                           : " is not a weight but has a layout"));
  }
  return absl::OkStatus();
}

}  // namespace infer
