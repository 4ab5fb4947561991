"""Draws what `recallite-benches peers --csv FILE` measured.

    python3 plot.py FILE FOLDER

writes latency.svg, hook.svg and disk.svg into FOLDER.
"""

import csv
import os
import sys

import matplotlib

matplotlib.use("svg")
# The same input gives the same bytes; text stays text.
matplotlib.rcParams.update({"svg.hashsalt": "recallite", "svg.fonttype": "none"})

from matplotlib import pyplot
from matplotlib.ticker import StrMethodFormatter

RECALL = "warm recall, new questions of 7 words, best 10"
HOOK = "a hook as a whole process: open, append one event, best 10, exit"
STEPS = "the steps of a hook, means in ms"
PARTS = "bytes on disk by part, compacted"
# Pictures are drawn and shown at about this many inches.
WIDTH = 7
# SQLite that does not sync reads and keeps the same as SQLite that does.
SYNCED = ", full"


def read(path):
    """The values as {(title, column): {side: {events: value}}}, in the order of the file."""
    values = {}
    with open(path, encoding="utf-8", newline="") as lines:
        for row in csv.DictReader(lines, delimiter=";"):
            sides = values.setdefault((row["title"], row["column"]), {})
            sides.setdefault(row["side"], {})[int(row["events"])] = float(row["value"])
    return values


def save(figure, folder, name):
    path = os.path.join(folder, name)
    figure.savefig(path, bbox_inches="tight", facecolor="white", metadata={"Date": None})
    pyplot.close(figure)


def latency(values, folder):
    """Median and 99th percentile of recall and of a hook by the size of the store."""
    figure, axes = pyplot.subplots(1, 2, figsize=(WIDTH, 3.2))
    for axis, title, name in zip(axes, (RECALL, HOOK), ("warm recall", "a hook")):
        for side, by_size in values[title, "p50 ms"].items():
            (line,) = axis.plot(
                by_size.keys(), by_size.values(), marker="o", label=side.removesuffix(SYNCED)
            )
            worst = values[title, "p99 ms"][side]
            axis.plot(
                worst.keys(), worst.values(), linestyle=":", color=line.get_color()
            )
        axis.set(xscale="log", yscale="log", xlabel="events", title=f"{name}, ms")
        axis.set_xticks(list(by_size), [f"{size:,}" for size in by_size])
        axis.minorticks_off()
        axis.yaxis.set_major_formatter(StrMethodFormatter("{x:g}"))
        axis.legend(loc="upper center", bbox_to_anchor=(0.5, -0.2), fontsize=7, frameon=False)
    figure.text(0.5, 1, "solid: p50, dotted: p99", ha="center", fontsize=8)
    save(figure, folder, "latency.svg")


def stacked(axis, sides, layers):
    """Horizontal bars of layers one after another, the first side on top."""
    begin = [0.0] * len(sides)
    for name, widths in layers.items():
        axis.barh(sides, widths, left=begin, label=name)
        begin = [a + b for a, b in zip(begin, widths)]
    for side, end in zip(sides, begin):
        shown = f"{end:,.0f}" if end >= 100 else f"{end:.3g}"
        axis.annotate(f" {shown}", (end, side), va="center", fontsize=8)
    axis.invert_yaxis()
    axis.margins(x=0.12)
    axis.legend(loc="upper center", bbox_to_anchor=(0.4, -0.4), ncols=5, fontsize=7, frameon=False)


def hook(values, folder):
    """Where a hook's time goes in the largest store that all were measured with."""
    columns = [column for title, column in values if title == STEPS]
    by_column = {column: values[STEPS, column] for column in columns}
    first = by_column[columns[0]]
    events = max(set.intersection(*(set(by_size) for by_size in first.values())))
    layers = {
        column: [by_size[events] for by_size in sides.values()]
        for column, sides in by_column.items()
    }
    figure, axis = pyplot.subplots(figsize=(WIDTH, 0.5 + 0.45 * len(first)))
    stacked(axis, list(first), layers)
    axis.set(xlabel=f"a hook at {events:,} events, mean of its steps in ms")
    save(figure, folder, "hook.svg")


def disk(values, folder):
    """What each program keeps for each byte of text, compacted, in the largest store."""
    sides = {}
    for name, by_size in values[PARTS, "times the payload"].items():
        side, part = name.split(": ")
        events = max(by_size)
        sides.setdefault(side.removesuffix(SYNCED), {})[part] = by_size[events]
    parts = list(dict.fromkeys(part for parts in sides.values() for part in parts))
    layers = {part: [parts.get(part, 0.0) for parts in sides.values()] for part in parts}
    figure, axis = pyplot.subplots(figsize=(WIDTH, 0.5 + 0.45 * len(sides)))
    stacked(axis, list(sides), layers)
    axis.set(xlabel=f"bytes on disk for each byte of text, {events:,} events, compacted")
    save(figure, folder, "disk.svg")


def main():
    path, folder = sys.argv[1:]
    values = read(path)
    os.makedirs(folder, exist_ok=True)
    latency(values, folder)
    hook(values, folder)
    disk(values, folder)


if __name__ == "__main__":
    main()
