// SPDX-License-Identifier: Apache-2.0

// Compares two lists of line numbers as [[" ", line], ["-", line], ["+", line]]: a longest common subsequence by Myers'
// greedy method. If more than `most` lines differ, the middle is shown as removed and added.
export function lineDiff(a, b, most = 3000) {
  let begin = 0;
  while (begin < a.length && begin < b.length && a[begin] === b[begin]) ++begin;
  let [enda, endb] = [a.length, b.length];
  while (enda > begin && endb > begin && a[enda - 1] === b[endb - 1]) {
    --enda;
    --endb;
  }
  return [
    ...a.slice(0, begin).map((line) => [" ", line]),
    ...middle(a.slice(begin, enda), b.slice(begin, endb), most),
    ...a.slice(enda).map((line) => [" ", line]),
  ];
}

function middle(a, b, most) {
  const plain = () => [...a.map((line) => ["-", line]), ...b.map((line) => ["+", line])];
  if (!a.length || !b.length) return plain();
  const limit = Math.min(a.length + b.length, most);
  const reach = new Int32Array(2 * limit + 2);
  const trail = [];
  for (let d = 0; d <= limit; ++d) {
    trail.push(reach.slice(limit - d, limit + d + 2));
    for (let k = -d; k <= d; k += 2) {
      const down = k === -d || (k !== d && reach[limit + k - 1] < reach[limit + k + 1]);
      let x = down ? reach[limit + k + 1] : reach[limit + k - 1] + 1;
      let y = x - k;
      while (x < a.length && y < b.length && a[x] === b[y]) {
        ++x;
        ++y;
      }
      reach[limit + k] = x;
      if (x >= a.length && y >= b.length) return walkBack(a, b, trail, d);
    }
  }
  return plain();
}

function walkBack(a, b, trail, last) {
  const out = [];
  let [x, y] = [a.length, b.length];
  for (let d = last; d > 0; --d) {
    const reach = trail[d];
    const at = (k) => reach[k + d];
    const k = x - y;
    const down = k === -d || (k !== d && at(k - 1) < at(k + 1));
    const former = down ? k + 1 : k - 1;
    const fx = at(former);
    const fy = fx - former;
    while (x > fx && y > fy && x > 0 && y > 0 && a[x - 1] === b[y - 1]) {
      out.push([" ", a[x - 1]]);
      --x;
      --y;
    }
    if (down) out.push(["+", b[--y]]);
    else out.push(["-", a[--x]]);
  }
  while (x > 0 && y > 0) {
    out.push([" ", a[x - 1]]);
    --x;
    --y;
  }
  return out.reverse();
}
