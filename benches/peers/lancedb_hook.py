"""A memory of LanceDB: one table with a full-text index, searched by words and vector,
fused by its own reciprocal ranks. LanceDB does not wait for the disk."""

import time

begun = time.perf_counter()

import lancedb
import pyarrow as pa
from lancedb.index import FTS

import common

VECTOR = pa.list_(pa.float32(), common.DIMENSIONS)
SCHEMA = pa.schema(
    [
        ("session", pa.string()),
        ("kind", pa.string()),
        ("content", pa.string()),
        ("vector", VECTOR),
    ]
)


def fill(folder):
    table = lancedb.connect(folder).create_table("events", schema=SCHEMA)

    def step(batch):
        if batch is None:
            table.create_index("content", config=FTS(with_position=False))
            table.optimize()
            return
        columns = [
            pa.array([event[name] for event, _ in batch], pa.string())
            for name in ("session", "kind", "content")
        ]
        numbers = pa.py_buffer(b"".join(vector for _, vector in batch))
        count = len(batch) * common.DIMENSIONS
        flat = pa.Array.from_buffers(pa.float32(), count, [None, numbers])
        columns.append(pa.FixedSizeListArray.from_arrays(flat, common.DIMENSIONS))
        table.add(pa.Table.from_arrays(columns, schema=SCHEMA))

    return step


def hook(folder, event, phases):
    phases.end("import")
    table = lancedb.connect(folder).open_table("events")
    phases.end("open")
    table.add([event])
    phases.end("append")
    question = table.search(query_type="hybrid").vector(event["vector"]).text(event["content"])
    found = question.limit(common.BEST).to_list()
    phases.end("search")
    return found


if __name__ == "__main__":
    common.main(common.Phases(begun), fill, hook)
