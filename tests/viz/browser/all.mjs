// SPDX-License-Identifier: Apache-2.0
// The tests of the everyday run in one process, with one browser; agreement and size take minutes and run alone.
import "./page.test.mjs";
import "./views.test.mjs";
import "./experts.test.mjs";
import "./devices.test.mjs";
