#!/usr/bin/env python3
"""Fits a model of relevance in memory-core/src/rules/relevance.rs: that by words, or that with an
embedder's vectors.

  fit_relevance.py [--with-vectors] FEATURES.jsonl...

Reads what `recallite-benches corpus --features` and `transcripts --features` write, prints the weights
as Rust, and for every genre how well relevance holds: as it was in the run, fitted on the other
genres, and fitted on all. Needs numpy and scipy.

- A logistic regression over the features in FITTED, each genre with the same weight in total,
  first hits before later ones; unanswerable questions, and questions whose answer was left out of
  the store, together weigh UNANSWERABLE of the others.
- A feature counts only in the direction that its list says (`raises`, `lowers`).
- Corpora of small stores (scripts/small_stores.py) weigh SMALL of the others, and as much without an
  answer as with one: a small store has not heard of most things.
- The weights of `lacking` and `unknown_identifiers` are given, not fitted: there are too few questions
  without an answer. With these "none" is said for two in five of those about coding sessions, and for
  at most .03 of the questions with an answer, but for transcripts.
- With vectors, a hit may answer in other words than the question's, even in a small store, where words
  alone would decide: what words the event holds literally is no feature, `lacking` weighs less (the
  question may be in another language), and `log_chars` is given, because the sets have no question of one
  or two words and a fitted weight calls them unanswerable.
- Calibration is that of the first hit over questions that have an answer, debiased as the bench does.
"""
import collections
import json
import sys

import numpy as np
from scipy.optimize import minimize

GENRES = {
    "locomo": "chats", "realtalk": "chats", "beam100k": "assistants", "realmem": "assistants",
    "opencode": "coding sessions", "transcripts": "transcripts", "code_cosqa": "code",
    "ja_jaquad": "Japanese", "zh_squad": "Chinese",
}
BY_WORDS = {
    "raises": ["context", "lead", "spread", "date", "temporal", "few_exact"],
    "lowers": ["drop"],
    "free": ["log_chars", "few"],
    "given": {"lacking": -6.5, "unknown_identifiers": -2.5},
}
WITH_VECTORS = {
    "raises": ["context", "lead", "spread", "date", "temporal"],
    "lowers": ["drop"],
    "free": ["few"],
    "given": {"lacking": -2.5, "unknown_identifiers": -2.5, "log_chars": 0.3},
}
MODEL = WITH_VECTORS if "--with-vectors" in sys.argv else BY_WORDS
RAISES, LOWERS, GIVEN = MODEL["raises"], MODEL["lowers"], MODEL["given"]
FITTED = [*RAISES, *LOWERS, *MODEL["free"]]
UNANSWERABLE = 0.02
SMALL, UNANSWERABLE_SMALL = 0.05, 0.5
# A real question without an answer counts as much as so many made-up ones.
REAL = 5
LATER_HITS = 0.15
PLACES = (0, 1, 3, 7)
RIDGE = 0.5
SURE, NONE = 0.75, 0.08


def read(paths):
    """The hits of all searches, as arrays."""
    rows = collections.defaultdict(list)
    for number, line in enumerate(line for path in paths for line in open(path)):
        search = json.loads(line)
        for place, hit in enumerate(search["hits"]):
            if place not in PLACES:
                continue
            rows["search"].append(number)
            rows["place"].append(place)
            rows["corpus"].append(search["corpus"])
            corpus = search["corpus"].removeprefix("small_")
            rows["is_small"].append(corpus != search["corpus"])
            rows["genre"].append(GENRES.get(corpus, corpus))
            rows["has_answer"].append(search["has_answer"])
            rows["is_withheld"].append(search["is_withheld"])
            rows["right"].append(float(hit["right"]))
            rows["before"].append(hit["relevance"])
            rows["fitted"].append([hit["features"].get(name, 0.0) for name in FITTED])
            rows["given"].append(sum(w * hit["features"].get(name, 0.0) for name, w in GIVEN.items()))
    return {name: np.array(values) for name, values in rows.items()}


def weights_of(hits):
    """How much each hit counts."""
    base = np.where(hits["place"] == 0, 1.0, LATER_HITS)
    weights = np.zeros(len(base))
    for genre, is_small in set(zip(hits["genre"], hits["is_small"])):
        total, share = (200 * SMALL, UNANSWERABLE_SMALL) if is_small else (200, UNANSWERABLE)
        mine = (hits["genre"] == genre) & (hits["is_small"] == is_small)
        answerable = mine & hits["has_answer"]
        weights[answerable] = total * base[answerable] / base[answerable].sum()
        others = mine & ~hits["has_answer"]
        counts = base * np.where(hits["is_withheld"], 1, REAL)
        if others.any():
            weights[others] = total * share * counts[others] / counts[others].sum()
    return weights


def fit(features, given, right, weights):
    """Weights and constant, with a small ridge over standardised features."""
    mean = np.average(features, 0, weights)
    spread = np.sqrt(np.average((features - mean) ** 2, 0, weights))
    spread[spread < 1e-9] = 1
    table = np.c_[(features - mean) / spread, np.ones(len(features))]
    ridge = np.full(table.shape[1], RIDGE)
    ridge[-1] = 1e-9

    def loss(found):
        likely = np.clip(logistic(table @ found + given), 1e-12, 1 - 1e-12)
        missed = -(weights * (right * np.log(likely) + (1 - right) * np.log(1 - likely))).sum()
        gradient = table.T @ (weights * (likely - right)) + ridge * found
        return missed + (ridge * found**2).sum() / 2, gradient

    bounds = [(0, None) if n in RAISES else (None, 0) if n in LOWERS else (None, None) for n in FITTED]
    bounds.append((None, None))
    found = minimize(loss, np.zeros(table.shape[1]), jac=True, bounds=bounds, method="L-BFGS-B").x
    model = found[:-1] / spread
    return model, found[-1] - (model * mean).sum()


def logistic(x):
    return 1 / (1 + np.exp(-np.clip(x, -30, 30)))


def debiased_error(relevance, right, rng):
    bins = np.minimum(9, (relevance * 10).astype(int))
    count, sums = np.bincount(bins, minlength=10), np.bincount(bins, relevance, 10)
    hits = np.bincount(bins, right, 10)
    error = np.abs(sums - hits).sum() / len(right)
    share = np.divide(hits, count, where=count > 0, out=np.zeros(10))
    drawn = np.mean([np.abs(sums - rng.binomial(count, share)).sum() / len(right) for _ in range(50)])
    return max(0.0, 2 * error - drawn)


def auc(good, bad):
    bad = np.sort(bad)
    return np.mean((np.searchsorted(bad, good, "left") + np.searchsorted(bad, good, "right")) / 2 / len(bad))


def interval(figure, *groups):
    """A figure with the interval of 95 % of its bootstrap resamples."""
    rng = np.random.default_rng(7)
    drawn = [figure(*(g[rng.integers(len(g), size=len(g))] for g in groups)) for _ in range(300)]
    low, high = np.nanquantile(drawn, [0.025, 0.975])
    return f"{figure(*groups):.3f} [{low:.3f}, {high:.3f}]"


def report(name, hits, relevance):
    print(f"{name}\n{'':24} {'n':>4}  calibration error      sure and right        covering               none   unanswerable: AUC, none")
    first, rng = hits["place"] == 0, np.random.default_rng(1)
    real = ~hits["is_withheld"]
    small = {"small_" + genre for genre in hits["genre"][hits["is_small"]]}
    for genre in sorted(set(hits["genre"])) + ["beam100k"] + sorted(small):
        is_small = genre.startswith("small_")
        of_genre = (hits["genre"] == genre.removeprefix("small_")) & (hits["is_small"] == is_small)
        mine = first & (of_genre | (hits["corpus"] == genre))
        # Small stores have no questions without an answer but made-up ones.
        mine &= real | is_small
        have, lack = mine & hits["has_answer"], mine & ~hits["has_answer"]
        pairs = np.c_[relevance[have], hits["right"][have]]
        if not len(pairs):
            continue
        sure = lambda p: p[p[:, 0] >= SURE, 1].mean() if (p[:, 0] >= SURE).any() else np.nan
        line = [
            interval(lambda p: debiased_error(p[:, 0], p[:, 1], rng), pairs), interval(sure, pairs),
            interval(lambda p: (p[:, 0] >= SURE).mean(), pairs), f"{(pairs[:, 0] < NONE).mean():.3f}",
        ]
        if lack.any():
            line += [interval(auc, relevance[have], relevance[lack]), f"{(relevance[lack] < NONE).mean():.3f}"]
        print(f"{genre:24} {len(pairs):>4}  " + "  ".join(line))


def main():
    paths = [path for path in sys.argv[1:] if path != "--with-vectors"]
    hits = read(paths)
    weights, right, given = weights_of(hits), hits["right"], hits["given"]
    report("before", hits, hits["before"])
    held_out = np.zeros(len(right))
    for genre in set(hits["genre"]):
        rest = hits["genre"] != genre
        model, constant = fit(hits["fitted"][rest], given[rest], right[rest], weights[rest])
        held_out[~rest] = logistic(hits["fitted"][~rest] @ model + constant + given[~rest])
    report("fitted on the other genres", hits, held_out)
    model, constant = fit(hits["fitted"], given, right, weights)
    report("fitted on all", hits, logistic(hits["fitted"] @ model + constant + given))
    for name, weight in [*zip(FITTED, model), *GIVEN.items(), ("constant", constant)]:
        print(f"{name}: {weight:.3f},")


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    main()
