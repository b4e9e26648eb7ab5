// SPDX-License-Identifier: Apache-2.0
// node time_limit.mjs SECONDS SCRIPT [argument...]: runs a script, and ends it after this time. What it wrote is kept.
import { spawnSync } from "node:child_process";

const [seconds, ...command] = process.argv.slice(2);
const run = spawnSync(process.execPath, command, { stdio: "inherit", timeout: seconds * 1000, killSignal: "SIGKILL" });
if (run.error?.code === "ETIMEDOUT") console.error(`${command[0]} took longer than ${seconds} s and was ended`);
else if (run.error) console.error(String(run.error));
process.exitCode = run.status ?? 1;
