#!/usr/bin/env python3
"""Makes a corpus of small stores from a corpus, for scripts/fit_relevance.py.

  small_stores.py CORPUS.json[.gz] OUT.json

Each store holds the answer of one question, said once to four times, and 1 to 40 events that stood
side by side elsewhere in its conversation: what a new user of a memory has. The same in every run.
"""
import gzip
import json
import random
import sys

STORES = 120
OTHERS = (1, 2, 5, 10, 20, 40)
TIMES_SAID = (1, 1, 1, 2, 3, 4)
MAX_EVIDENCE, MAX_EVENTS_OF_ANSWER = 4, 40


def key(event, level):
    """What evidence calls an event."""
    if event.get("group"):
        return event["group"]
    return event["session"] if level == "session" else event["eid"]


def small(conversation, question, number, level, rng):
    """A store of the answer and a few other events, or nothing."""
    events, wanted = conversation["events"], set(question["evidence"])
    answer = [e for e in events if key(e, level) in wanted]
    if not 0 < len(answer) <= MAX_EVENTS_OF_ANSWER:
        return None
    others = [e for e in events if key(e, level) not in wanted]
    start = rng.randrange(len(others)) if others else 0
    others = others[start:start + OTHERS[number % len(OTHERS)]]
    times = TIMES_SAID[number // len(OTHERS) % len(TIMES_SAID)]
    said = [dict(e, eid=f"{e['eid']}#{n}" if n else e["eid"]) for e in answer for n in range(times)]
    asked = {name: value for name, value in question.items() if name != "before"}
    asked["evidence"] = sorted({key(e, level) for e in said})
    return {
        "id": f"{conversation['id']}-{number}",
        "events": sorted(others + said, key=lambda e: e["time"] or ""),
        "questions": [asked],
    }


def main(source, out):
    opened = gzip.open if source.endswith(".gz") else open
    with opened(source, "rt", encoding="utf-8") as file:
        corpus = json.load(file)
    rng = random.Random(5)
    asked = [
        (c, q) for c in corpus["conversations"] for q in c["questions"]
        if 0 < len(q["evidence"]) <= MAX_EVIDENCE
    ]
    rng.shuffle(asked)
    stores = [small(c, q, n, corpus["level"], rng) for n, (c, q) in enumerate(asked[:STORES])]
    corpus.update(name="small_" + corpus["name"], conversations=[s for s in stores if s])
    with open(out, "w", encoding="utf-8") as file:
        json.dump(corpus, file)


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(*sys.argv[1:])
