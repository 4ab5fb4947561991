"""A memory of SQLite: a log, FTS5 over it, and sqlite-vec, fused by reciprocal rank.

Needs a Python whose sqlite3 loads extensions (Debian's does).
"""

import time

begun = time.perf_counter()

import importlib.util
import os
import sqlite3
import struct

import common

CANDIDATES = 100
RANK_CONSTANT = 60


def connect(folder):
    connection = sqlite3.connect(os.path.join(folder, "memory.db"), isolation_level=None)
    connection.enable_load_extension(True)
    # The module itself imports numpy where that is installed, which a hook does not need.
    (place,) = importlib.util.find_spec("sqlite_vec").submodule_search_locations
    connection.load_extension(os.path.join(place, "vec0"))
    connection.execute("pragma journal_mode = wal")
    connection.execute("pragma synchronous = full")
    return connection


def append(connection, session, kind, content, vector):
    statement = "insert into log (session, kind, content) values (?, ?, ?)"
    row = connection.execute(statement, (session, kind, content)).lastrowid
    connection.execute("insert into words (rowid, content) values (?, ?)", (row, content))
    connection.execute("insert into vectors (rowid, embedding) values (?, ?)", (row, vector))


def fill(folder):
    os.makedirs(folder)
    connection = connect(folder)
    connection.executescript(
        f"""
        create table log (id integer primary key, session text not null,
            kind text not null, content text not null);
        create virtual table words using fts5(content, content = 'log',
            content_rowid = 'id');
        create virtual table vectors using vec0(
            embedding float[{common.DIMENSIONS}] distance_metric = cosine);
        """
    )

    def step(batch):
        if batch is None:
            connection.execute("insert into words (words) values ('optimize')")
            connection.execute("pragma wal_checkpoint(truncate)")
            return
        connection.execute("begin")
        for event, vector in batch:
            append(connection, event["session"], event["kind"], event["content"], vector)
        connection.execute("commit")

    return step


def search(connection, question, vector):
    wanted = " OR ".join(f'"{word}"' for word in question.split())
    by_words = connection.execute(
        "select rowid from words where words match ? order by rank limit ?",
        (wanted, CANDIDATES),
    )
    by_meaning = connection.execute(
        "select rowid from vectors where embedding match ? and k = ? order by distance",
        (vector, CANDIDATES),
    )
    scores = {}
    for ranking in (by_words, by_meaning):
        for rank, (row,) in enumerate(ranking, start=1):
            scores[row] = scores.get(row, 0.0) + 1 / (RANK_CONSTANT + rank)
    best = sorted(scores, key=scores.get, reverse=True)[: common.BEST]
    texts = "select content from log where id = ?"
    return [connection.execute(texts, (row,)).fetchone()[0] for row in best]


def hook(folder, event, phases):
    phases.end("import")
    connection = connect(folder)
    phases.end("open")
    vector = struct.pack(f"<{common.DIMENSIONS}f", *event["vector"])
    connection.execute("begin immediate")
    append(connection, event["session"], event["kind"], event["content"], vector)
    connection.execute("commit")
    phases.end("append")
    found = search(connection, event["content"], vector)
    phases.end("search")
    return found


if __name__ == "__main__":
    common.main(common.Phases(begun), fill, hook)
