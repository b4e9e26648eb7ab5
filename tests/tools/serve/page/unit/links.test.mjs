// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import { safeLink } from "../../../../../tools/serve/page/src/markdown/links.js";

test("only web and mail addresses become links", () => {
  assert.deepEqual(safeLink("https://example.com/a?b#c"), { href: "https://example.com/a?b#c", site: "example.com" });
  assert.deepEqual(safeLink("HTTP://Example.com:81"), { href: "http://example.com:81/", site: "example.com:81" });
  assert.deepEqual(safeLink("mailto:a@example.com"), { href: "mailto:a@example.com", site: "a@example.com" });
  // Looks like another site: the reader is shown which one it is.
  assert.equal(safeLink("https://ex\u0430mple.com").site, "xn--exmple-4nf.com");
  for (const address of [
    "javascript:alert(1)",
    " javascript:alert(1)",
    "java\nscript:alert(1)",
    "JaVaScRiPt:alert(1)",
    "data:text/html,x",
    "vbscript:x",
    "file:///etc/passwd",
    "blob:https://example.com/x",
    "/v1/models",
    "//example.com",
    "?q",
    "#x",
    "",
    "https://bank.example@evil.example",
    "https://user:pass@example.com",
    "https://",
    "about:blank",
    "ftp://example.com",
    "view-source:https://example.com",
    "chrome://settings",
  ])
    assert.equal(safeLink(address), null, address);
});
