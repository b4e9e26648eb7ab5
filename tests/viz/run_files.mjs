// SPDX-License-Identifier: Apache-2.0
// run_files.mjs FILE...: runs test files in one process, since starting node takes longer than the tests of a module.
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";

for (const file of process.argv.slice(2)) await import(pathToFileURL(resolve(file)));
