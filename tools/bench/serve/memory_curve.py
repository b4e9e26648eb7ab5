#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Samples the memory of a running server, and plots it.

    tools/bench/serve/memory_curve.py sample PID curve.csv [SECONDS_BETWEEN_SAMPLES]
    tools/bench/serve/memory_curve.py plot curve.csv curve.svg "60 minutes of mixed load"
    tools/bench/serve/memory_curve.py check curve.csv WARM_UP_MINUTES ALLOWED_GROWTH_MIB

`sample` ends with the process or with Ctrl-C. Anonymous memory is what a leak grows; the resident total also has the
pages of the model's file, which come and go. `check` fails if the median of the last quarter exceeds that of the first
quarter after the warm-up by more than the allowed growth.
"""
import csv
import os
import statistics
import sys
import time

FIELDS = {"VmRSS": "resident_mib", "RssAnon": "anonymous_mib", "Threads": "threads"}
WIDTH, HEIGHT = 840, 320
LEFT, RIGHT, TOP, BOTTOM = 62, 20, 58, 44
INK, FAINT = "#222", "#ddd"
LINES = (("resident_mib", "#d55e00", "6 4", "resident"), ("anonymous_mib", "#0072b2", "", "anonymous"))


def read_status(pid):
    """Returns the fields of /proc/PID/status, or None if the process has gone."""
    try:
        with open(f"/proc/{pid}/status", encoding="utf-8") as file:
            lines = dict(line.split(":", 1) for line in file)
        values = {name: int(lines[field].split()[0]) for field, name in FIELDS.items() if field in lines}
        files = len(os.listdir(f"/proc/{pid}/fd"))
    except (FileNotFoundError, ProcessLookupError):
        return None
    if "resident_mib" not in values:
        return None  # a zombie
    for name in ("resident_mib", "anonymous_mib"):
        values[name] = f"{values[name] / 1024:.2f}"
    return values | {"files": files}


def sample(pid, target, period="1"):
    start = time.monotonic()
    columns = ["seconds", *FIELDS.values(), "files"]
    with open(target, "w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, columns)
        writer.writeheader()
        while (values := read_status(pid)) is not None:
            writer.writerow({"seconds": f"{time.monotonic() - start:.1f}"} | values)
            file.flush()
            time.sleep(float(period))


def read_rows(source):
    with open(source, encoding="utf-8") as file:
        rows = [{name: float(value) for name, value in row.items()} for row in csv.DictReader(file)]
    if len(rows) < 8:
        sys.exit(f"{source}: has {len(rows)} samples; expected at least 8")
    return rows


def check(source, warm_up_minutes, allowed_mib):
    rows = [r for r in read_rows(source) if r["seconds"] >= 60 * float(warm_up_minutes)]
    quarter = len(rows) // 4
    if quarter == 0:
        sys.exit(f"{source}: ends before the warm-up does")
    first = statistics.median(r["anonymous_mib"] for r in rows[:quarter])
    last = statistics.median(r["anonymous_mib"] for r in rows[-quarter:])
    print(f"anonymous memory: {first:.1f} MiB after the warm-up, {last:.1f} MiB at the end, most "
          f"{max(r['anonymous_mib'] for r in rows):.1f} MiB; files {rows[0]['files']:.0f} and {rows[-1]['files']:.0f}")
    if last - first > float(allowed_mib):
        sys.exit(f"memory grew by {last - first:.1f} MiB; allowed are {float(allowed_mib):.1f} MiB")


def nice_ceiling(value):
    """Returns the least number not below `value` that is four round steps."""
    quarters = (k * 10 ** e for e in range(8) for k in (1, 1.5, 2, 2.5, 3, 4, 5, 6, 7.5))
    return next(4 * q for q in quarters if 4 * q >= value)


def text(x, y, what, anchor="start", size=12, weight="normal", fill=INK):
    return (f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" font-size="{size}"'
            f' font-weight="{weight}" fill="{fill}">{what}</text>')


def plot(source, target, title):
    rows = read_rows(source)
    minutes = rows[-1]["seconds"] / 60
    top = nice_ceiling(max(r["resident_mib"] for r in rows) * 1.05)

    def at(x_minutes, value):
        return (LEFT + (WIDTH - LEFT - RIGHT) * x_minutes / minutes,
                TOP + (HEIGHT - TOP - BOTTOM) * (1 - value / top))

    body = ['<rect width="100%" height="100%" fill="white"/>', text(LEFT, 24, title, size=15, weight="bold"),
            text(LEFT, TOP - 10, "MiB", size=11)]
    for i in range(5):
        x0, y = at(0, top * i / 4)
        body.append(f'<line x1="{x0:.1f}" y1="{y:.1f}" x2="{WIDTH - RIGHT}" y2="{y:.1f}" stroke="{FAINT}"/>')
        body.append(text(x0 - 8, y + 4, f"{top * i / 4:g}", anchor="end"))
        x, y = at(minutes * i / 4, 0)
        body.append(text(x, y + 18, f"{minutes * i / 4:.3g}", anchor="middle"))
    body.append(text((LEFT + WIDTH - RIGHT) / 2, HEIGHT - 8, "minutes", anchor="middle", size=11))
    step = max(1, len(rows) // 1000)
    for name, colour, dashes, label in LINES:
        places = [at(r["seconds"] / 60, r[name]) for r in rows[::step]]
        path = " ".join(f"{x:.1f},{y:.1f}" for x, y in places)
        body.append(f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2"'
                    f' stroke-dasharray="{dashes}"/>')
        body.append(text(places[-1][0], places[-1][1] - 7, label, anchor="end", fill=colour))
    with open(target, "w", encoding="utf-8") as file:
        file.write(f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{HEIGHT}"'
                   f' viewBox="0 0 {WIDTH} {HEIGHT}" font-family="sans-serif" font-size="12">\n')
        file.write("\n".join(body) + "\n</svg>\n")


if __name__ == "__main__":
    commands = {"sample": (sample, (2, 3)), "plot": (plot, (3,)), "check": (check, (3,))}
    command, counts = commands.get(sys.argv[1] if len(sys.argv) > 1 else "", (None, ()))
    if len(sys.argv) - 2 not in counts:
        sys.exit(__doc__)
    try:
        command(*sys.argv[2:])
    except KeyboardInterrupt:
        pass
