// SPDX-License-Identifier: Apache-2.0
int Warns(int unused) { return 0; }
