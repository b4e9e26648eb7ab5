// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { test } from "node:test";
import { differences } from "../installed.mjs";

test("packages of an older lock file are told from those of the present one", () => {
  const folder = mkdtempSync(`${tmpdir()}/infer-installed-`);
  const lock = (version) => {
    const packages = { "": {}, "node_modules/a": { version }, "node_modules/b": { version: "1.0.0", optional: true } };
    writeFileSync(`${folder}/package-lock.json`, JSON.stringify({ packages }));
  };
  try {
    lock("1.0.0");
    assert.deepEqual(differences(folder), ["node_modules/a: missing, not 1.0.0"]);
    mkdirSync(`${folder}/node_modules/a`, { recursive: true });
    writeFileSync(`${folder}/node_modules/a/package.json`, '{"version": "1.0.0"}');
    assert.deepEqual(differences(folder), []);
    lock("1.0.1");
    assert.deepEqual(differences(folder), ["node_modules/a: 1.0.0, not 1.0.1"]);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
