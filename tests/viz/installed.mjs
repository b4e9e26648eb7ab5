// SPDX-License-Identifier: Apache-2.0
//
// installed.mjs FOLDER: ends with 0 if node_modules has the versions of package-lock.json, else names what differs.
import { existsSync, readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

const read = (file) => JSON.parse(readFileSync(file, "utf8"));

// Returns "PATH: VERSION, not VERSION" for each package that is not installed as the lock file says. One that is left out
// on other systems may be missing.
export function differences(folder) {
  const found = [];
  for (const [path, { version, optional }] of Object.entries(read(`${folder}/package-lock.json`).packages)) {
    const file = `${folder}/${path}/package.json`;
    if (!path || (optional && !existsSync(file))) continue;
    const installed = existsSync(file) ? read(file).version : "missing";
    if (installed !== version) found.push(`${path}: ${installed}, not ${version}`);
  }
  return found;
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  const found = differences(process.argv[2]);
  if (found.length) console.log(found.join("\n"));
  process.exitCode = found.length ? 1 : 0;
}
