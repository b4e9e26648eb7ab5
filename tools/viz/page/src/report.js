// SPDX-License-Identifier: Apache-2.0
import { copyText } from "./dom.js";
import * as format from "./format.js";
import { costsOf } from "./costs.js";
import { emulatedText } from "./emulated.js";
import { crossingText } from "./crossings.js";

export function reportText(app, redact) {
  const { program } = app;
  const lines = [
    `### ${redact ? "a model" : program.files}, policy ${program.policy.name}`,
    "",
    `machine: ${program.machine.origin}; ${format.times(program.overrides.length, "override")}${redact ? "" : program.overrides.map((o) => ` \`${o}\``).join("")}`,
    "",
    "| regime | nodes by target | cuts | barriers | arena | estimate | measured, mean |",
    "|---|---|---|---|---|---|---|",
  ];
  for (const regime of program.regimes) {
    const calls = program.calls(regime);
    const targets = Object.entries(regime.nodes_by_target)
      .filter(([, n]) => n)
      .map(([t, n]) => `${t} ${n}`)
      .join(", ");
    lines.push(
      `| ${regime.name} | ${targets} | ${regime.device_boundaries} | ${regime.barriers} | ${format.bytes(regime.arena_bytes)} | ${regime.estimate_ns ? format.span(format.time, regime.estimate_ns) : "-"} | ${calls ? format.time(calls.wall_ns / calls.calls) : "-"} |`,
    );
  }
  if (emulatedText([program])) lines.push("", emulatedText([program]));
  for (const regime of program.regimes) {
    if (regime.crossings.length) lines.push("", `Between devices in ${regime.name}:`, "");
    for (const crossing of regime.crossings) lines.push(`- ${crossingText(crossing)}`);
  }
  lines.push(
    "",
    `Most time in ${app.regime.name}:`,
    "",
    `| node | op | target | rule | ${program.calls(app.regime) ? "mean time" : "estimate"} |`,
    "|---|---|---|---|---|",
  );
  for (const row of costsOf(program, app.regime).slice(0, 10)) {
    const record = program.record(row.node);
    lines.push(`| ${row.name} | ${row.group.op} | ${record.target} | ${record.rule} | ${format.time(row.ns)} |`);
  }
  return lines.join("\n") + "\n";
}

export const copyReport = (app, redact) => copyText(reportText(app, redact));
