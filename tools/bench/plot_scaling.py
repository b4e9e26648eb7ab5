#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Plots tokens per second over threads from the output of infer-bench.

    infer-bench -m model.gguf -p 512 -n 32 -t 1,2,4,8,16 -o json > scaling.json
    llama-bench -m model.gguf -p 512 -n 32 -t 1,2,4,8,16 -o json > peer.json
    tools/bench/plot_scaling.py scaling.json scaling.svg "16 cores of an Intel Xeon" peer.json

Decode is drawn beside what the read bandwidth of as many threads allows, prefill beside as many
times the speed of one thread, and both beside another program, if its measurements are given.
"""
import json
import sys

WIDTH, HEIGHT = 420, 300
LEFT, RIGHT, TOP, BOTTOM = 62, 20, 58, 44
INK, FAINT, MEASURED, LIMIT, PEER = "#222", "#ddd", "#0072b2", "#d55e00", "#666"  # lines also differ by dashes


def nice_ceiling(value):
    """Returns the least number not below `value` that is four round steps."""
    quarters = (k * 10 ** e for e in range(8) for k in (1, 1.5, 2, 2.5, 3, 4, 5, 6, 7.5))
    return next(4 * q for q in quarters if 4 * q >= value)


class Panel:
    def __init__(self, x, title, unit, threads, top):
        self.x, self.title, self.unit, self.threads, self.top = x, title, unit, threads, top

    def at(self, threads, value):
        x = self.x + LEFT + (WIDTH - LEFT - RIGHT) * threads / self.threads[-1]
        y = TOP + (HEIGHT - TOP - BOTTOM) * (1 - value / self.top)
        return f"{x:.1f}", f"{y:.1f}"

    def frame(self):
        yield text(self.x + LEFT, 34, self.title, size=15, weight="bold")
        yield text(self.x + LEFT, TOP - 8, self.unit, size=11)
        for i in range(5):
            value = self.top * i / 4
            (x0, y), (x1, _) = self.at(0, value), self.at(self.threads[-1], value)
            yield f'<line x1="{x0}" y1="{y}" x2="{x1}" y2="{y}" stroke="{FAINT}"/>'
            yield text(float(x0) - 8, float(y) + 4, f"{value:g}", anchor="end")
        for n in self.threads:
            x, y = self.at(n, 0)
            yield text(float(x), float(y) + 18, str(n), anchor="middle")
        x, y = self.at(self.threads[-1] / 2, 0)
        yield text(float(x), float(y) + 36, "threads", anchor="middle", size=11)

    def line(self, points, colour, label, dashes="", below=False):
        places = [self.at(n, value) for n, value in points]
        path = " ".join(f"{x},{y}" for x, y in places)
        yield (f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2.2"'
               f' stroke-dasharray="{dashes}"/>')
        if not dashes:
            for (x, y), (n, value) in zip(places, points):
                yield (f'<circle cx="{x}" cy="{y}" r="3.6" fill="{colour}">'
                       f"<title>{n} threads: {value:.1f}</title></circle>")
        x, y = places[-1]
        yield text(float(x), float(y) + (26 if below else -9), label, anchor="end", fill=colour)


def text(x, y, what, anchor="start", size=12, weight="normal", fill=INK):
    return (f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" font-size="{size}"'
            f' font-weight="{weight}" fill="{fill}">{what}</text>')


def read(source):
    """Returns the rows of decode and those of prefill, by number of threads."""
    with open(source, encoding="utf-8") as file:
        rows = json.load(file)
    decode = sorted((r for r in rows if r["n_gen"]), key=lambda r: r["n_threads"])
    prefill = sorted((r for r in rows if r["n_prompt"]), key=lambda r: r["n_threads"])
    if not decode or not prefill:
        sys.exit(f"{source}: has no rows of both prefill and decode; measure with -p and -n")
    return decode, prefill


def main(source, target, title, peer=None):
    decode, prefill = read(source)
    limit = [(r["n_threads"], r["avg_ts"] * r["peak_read_gb_per_s"] / r["gb_per_s"]) for r in decode]
    ideal = [(r["n_threads"], prefill[0]["avg_ts"] / prefill[0]["n_threads"] * r["n_threads"])
             for r in prefill]
    threads = [r["n_threads"] for r in decode]
    panels = [
        Panel(0, f"Decode, {decode[0]['n_gen']} tokens", "tokens a second", threads,
              nice_ceiling(max(v for _, v in limit) * 1.08)),
        Panel(WIDTH, f"Prefill, {prefill[0]['n_prompt']} tokens", "tokens a second", threads,
              nice_ceiling(max(v for _, v in ideal) * 1.08)),
    ]
    body = [f'<rect width="100%" height="100%" fill="white"/>', text(LEFT, 14, title, size=11)]
    for panel in panels:
        body += panel.frame()
    body += panels[0].line(limit, LIMIT, "what the read bandwidth allows", "6 4")
    body += panels[0].line([(r["n_threads"], r["avg_ts"]) for r in decode], MEASURED, "measured",
                           below=True)
    body += panels[1].line(ideal, LIMIT, "times one thread", "6 4")
    body += panels[1].line([(r["n_threads"], r["avg_ts"]) for r in prefill], MEASURED, "measured",
                           below=True)
    for panel, rows in zip(panels, read(peer) if peer else ()):
        body += panel.line([(r["n_threads"], r["avg_ts"]) for r in rows], PEER, "llama.cpp", below=True)
    with open(target, "w", encoding="utf-8") as file:
        file.write(f'<svg xmlns="http://www.w3.org/2000/svg" width="{2 * WIDTH}" height="{HEIGHT}"'
                   f' viewBox="0 0 {2 * WIDTH} {HEIGHT}" font-family="sans-serif" font-size="12">\n')
        file.write("\n".join(body) + "\n</svg>\n")


if __name__ == "__main__":
    if len(sys.argv) not in (4, 5):
        sys.exit(__doc__)
    main(*sys.argv[1:])
