// SPDX-License-Identifier: Apache-2.0
// Chromium for tests, on machines where it starts slowly: a cold disk, two cores that are compiling.
import { chromium } from "playwright-core";

// How long a test waits for something to appear. Long, since only a defect makes a test wait for all of it.
export const PATIENCE_MS = 120_000;

export function launchChromium() {
  return chromium.launch({
    executablePath: process.env.INFER_CHROMIUM,
    timeout: PATIENCE_MS,
    // Containers often have 64 MB of /dev/shm: a tab that needs more of it dies.
    args: ["--no-sandbox", "--disable-dev-shm-usage"],
  });
}
