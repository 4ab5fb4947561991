"""What the programs beside recallite share: how they are called and what they print.

    python3 sqlite_vec_hook.py fill FOLDER EVENTS VECTORS
    python3 sqlite_vec_hook.py hook FOLDER < HOOK

EVENTS is JSON Lines of session, kind and content; VECTORS their embeddings, 32-bit floats
one after another; HOOK an object of session, kind, content and vector. The embeddings are
given: what it takes to make them is left out of what is measured.
"""

import json
import sys
import time

BATCH = 10_000
DIMENSIONS = 128
BEST = 10


class Phases:
    """Milliseconds from one step of a hook to the next."""

    def __init__(self, begun):
        self.last = begun
        self.told = {}

    def end(self, name):
        now = time.perf_counter()
        self.told[f"{name}_ms"] = (now - self.last) * 1e3
        self.last = now


def batches(events, vectors):
    """The events of a file with their vectors as bytes, many at a time."""
    batch = []
    with open(events, encoding="utf-8") as lines, open(vectors, "rb") as numbers:
        for line in lines:
            batch.append((json.loads(line), numbers.read(4 * DIMENSIONS)))
            if len(batch) == BATCH:
                yield batch
                batch = []
    if batch:
        yield batch


def main(phases, fill, hook):
    """Does what the command line says and prints what came of it."""
    command, folder, *files = sys.argv[1:]
    if command == "fill":
        seconds = 0.0
        step = fill(folder)
        for batch in batches(*files):
            begun = time.perf_counter()
            step(batch)
            seconds += time.perf_counter() - begun
        # Upkeep, which is not counted for recallite either.
        step(None)
        print(json.dumps({"seconds": seconds}))
        return
    event = json.load(sys.stdin)
    found = hook(folder, event, phases)
    print(json.dumps({**phases.told, "found": len(found)}))
