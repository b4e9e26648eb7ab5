// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <histedit.h>

namespace infer {

// Binds keys to libedit's commands and to infer-interrupt, infer-suspend and infer-complete, which
// must have been added.
void BindEditKeys(EditLine* edit);

}  // namespace infer
