// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace infer::emulation {

// From now on a shader's access to memory that is not mapped (the page behind a buffer, a null
// pointer, the page below a fiber's stack) fails its dispatch instead of ending the process. Such
// accesses by other code go to the handler that was there before.
void CatchMemoryFaults();

// Gives the calling OS thread the stack that the handler needs; a fiber's own may be used up.
void PrepareThreadForMemoryFaults();

}  // namespace infer::emulation
