#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Cells are marked with "# %%", as Jupyter and most editors understand them. As a script:
#
#   python3 placement.py [-m model.gguf] [--policy auto] [--place RULE]... [-o placement.png]

# %% [markdown]
# # Where does a model run?
# A Program holds one graph for each *regime*, an interval of the number of tokens in a call: 1 while a text is
# generated, more while a prompt is read. Every node has a target in every regime, and the rule that chose it.

# %%
import argparse

import matplotlib.pyplot as plt
import numpy
from matplotlib.patches import Patch

import infer

arguments = argparse.ArgumentParser()
arguments.add_argument("-m", "--model")
arguments.add_argument("--policy", default="")
arguments.add_argument("--place", action="append", default=[])
arguments.add_argument("-o", "--output", default="placement.png")
options, _ = arguments.parse_known_args()

model = infer.load(options.model)
program = model.compile(policy=options.policy, place=options.place)
print(program.summary)

# %% [markdown]
# The placement is a plain table; `pandas.DataFrame(table)` works too.

# %%
table = program.placement()
for node in table[:6]:
    print(f"T {node.min_tokens}..{node.max_tokens}  {node.name:44} {node.target:9} {node.decided_by}")

# %% [markdown]
# One row for each node of a layer in the middle and of what lies outside the layers, one column for each regime.

# %%
regimes = sorted({(node.min_tokens, node.max_tokens) for node in table})
layers = sorted({node.layer for node in table if node.layer >= 0})
shown_layer = layers[len(layers) // 2]
names = list(dict.fromkeys(node.name for node in table if node.layer in (-1, shown_layer)))
targets = sorted({node.target for node in table})
colours = dict(zip(targets, plt.get_cmap("tab10").colors))

grid = numpy.ones((len(names), len(regimes), 3))
micros = numpy.zeros((len(names), len(regimes)))
for node in table:
    if node.layer not in (-1, shown_layer):
        continue
    at = names.index(node.name), regimes.index((node.min_tokens, node.max_tokens))
    grid[at] = colours[node.target]
    micros[at] += node.estimate_ns_max / 1000  # parts of one op share its name

figure, (left, right) = plt.subplots(
    1, 2, figsize=(15, 2 + 0.32 * len(names)), width_ratios=(3, 2), layout="constrained"
)
left.imshow(grid, aspect="auto")
left.set_xticks(numpy.arange(len(regimes) + 1) - 0.5, minor=True)
left.set_yticks(numpy.arange(len(names) + 1) - 0.5, minor=True)
left.grid(which="minor", color="white", linewidth=2)
left.tick_params(which="minor", length=0)
for row, column in numpy.ndindex(micros.shape):
    if micros[row, column] > 0:
        left.text(column, row, f"{micros[row, column]:,.0f} µs", ha="center", va="center", color="white", fontsize=8)
left.set_xticks(range(len(regimes)), [f"{a}" if a == b else f"{a}..{b}" for a, b in regimes])
left.set_xlabel("tokens in a call (regime); estimated time at the upper end")
left.set_yticks(range(len(names)), names, fontsize=8)
left.set_title(f"{model.name}: layer {shown_layer} of {len(layers)} and what is outside the layers")
left.legend(
    handles=[Patch(color=colours[target], label=target) for target in targets],
    loc="upper center", bbox_to_anchor=(0.5, -0.12), ncols=len(targets), frameon=False,
)

# %% [markdown]
# What a call costs, by op: the estimates of all layers together, as shares of each regime.

# %%
ops = sorted({node.op for node in table}, key=lambda op: -sum(n.estimate_ns_max for n in table if n.op == op))[:8]
bottom = numpy.zeros(len(regimes))
totals = numpy.array([sum(n.estimate_ns_max for n in table if (n.min_tokens, n.max_tokens) == r) for r in regimes])
for op, colour in zip(ops, plt.get_cmap("Set2").colors):
    share = numpy.array(
        [sum(n.estimate_ns_max for n in table if n.op == op and (n.min_tokens, n.max_tokens) == r) for r in regimes]
    ) / numpy.maximum(totals, 1) * 100
    right.bar(range(len(regimes)), share, bottom=bottom, color=colour, label=op)
    bottom += share
right.set_xticks(range(len(regimes)), [f"{a}" if a == b else f"{a}..{b}" for a, b in regimes])
right.set_xlabel("tokens in a call (regime)")
right.set_ylabel("% of the estimated time")
right.legend(loc="center left", bbox_to_anchor=(1, 0.5), frameon=False)
right.set_title("estimated time by op")
figure.savefig(options.output, dpi=110)
print(options.output)
