// SPDX-License-Identifier: Apache-2.0
//
// RETURN_IF_ERROR and ASSIGN_OR_RETURN for absl::Status. Abseil provides its own only from 20260526
// on, and Debian's version is older.
#pragma once

#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

#define RETURN_IF_ERROR(expr)                                         \
  do {                                                                \
    if (::absl::Status infer_status_ = (expr); !infer_status_.ok()) { \
      return infer_status_;                                           \
    }                                                                 \
  } while (false)

#define INFER_CONCAT_INNER_(a, b) a##b
#define INFER_CONCAT_(a, b) INFER_CONCAT_INNER_(a, b)

// ASSIGN_OR_RETURN(auto x, F()): declares or assigns x, or returns F's error.
#define ASSIGN_OR_RETURN(lhs, expr) \
  INFER_ASSIGN_OR_RETURN_(INFER_CONCAT_(infer_statusor_, __LINE__), lhs, expr)

#define INFER_ASSIGN_OR_RETURN_(tmp, lhs, expr) \
  auto tmp = (expr);                            \
  if (!tmp.ok()) {                              \
    return std::move(tmp).status();             \
  }                                             \
  lhs = *std::move(tmp)
