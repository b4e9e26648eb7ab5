// SPDX-License-Identifier: Apache-2.0
import { h } from "../dom.js";
import * as format from "../format.js";
import { targetClass } from "../colours.js";
import { WAITING } from "../target_shares.js";

// Shows [[target or WAITING, number]] as parts of a bar.
export function bars(entries) {
  const total = entries.reduce((sum, [, n]) => sum + n, 0);
  return entries
    .filter(([, n]) => n > 0)
    .map(([target, n]) =>
      h(
        "span",
        {
          class: `part ${target === WAITING ? "waiting" : targetClass(target)}`,
          style: `flex-grow:${n / total}`,
          title: `${target} ${format.percent(n / total)}`,
        },
        n / total > 0.15 ? `${target} ${format.percent(n / total)}` : "",
      ),
    );
}
