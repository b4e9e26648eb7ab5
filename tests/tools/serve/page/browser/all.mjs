// SPDX-License-Identifier: Apache-2.0
// All tests in one process, with one browser.
import "./chat.test.mjs";
import "./errors.test.mjs";
import "./hostile.test.mjs";
import "./keeping.test.mjs";
import "./layout.test.mjs";
import "./live.test.mjs";
import "./long.test.mjs";
