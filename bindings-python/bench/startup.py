"""How long a hook's process takes: what importing the package, opening a memory and one recall add
to an empty process.

    python bench/startup.py [APP] [RUNS]

APP is a folder where the package is installed (`pip install --target APP …`); without it, or as "",
the package of this Python counts. Each process is started RUNS times (21 unless given), in turns, so
that a busy moment of the machine hits all of them. Printed in milliseconds, with how many times as
long each takes as an empty process: the fastest and the median time, and the median of the
processor's time, which a busy machine changes least.
"""

from __future__ import annotations

import os
import platform
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

EVENTS = 1000
PROMPT = 'kind="user_prompt", session="bench", dedupe="none", content="Which port?"'
# What the process itself has used of the processor.
REPORT = "import time; print(time.process_time() * 1000)"


def programs(store: str) -> dict[str, str]:
    """The processes that are compared, by what they do."""
    opened = f"import recallite; memory = recallite.open({store!r})"
    question = '"port of service 12"'
    return {
        "an empty process": "",
        "import": "import recallite",
        "import and open": opened,
        "… and search": f"{opened}; memory.search({question})",
        "… context, append: the hook": (
            f'{opened}; memory.context({question}, session="bench"); memory.append({PROMPT})'
        ),
    }


def environment(app: str) -> dict[str, str]:
    """That of the processes, in which the package is found."""
    found = dict(os.environ)
    if app:
        found["PYTHONPATH"] = str(Path(app).resolve())
    return found


def fill(store: str, found: dict[str, str]) -> None:
    """Makes the memory that the processes open."""
    source = f"""
import recallite
with recallite.open({store!r}) as memory:
    memory.append_batch([
        dict(kind="user_prompt", session=f"s{{index % 20}}",
             content=f"Note {{index}}: service {{index % 37}} listens on port {{4000 + index}}.")
        for index in range({EVENTS})
    ])
"""
    subprocess.run([sys.executable, "-c", source], env=found, check=True)


def measured(source: str, found: dict[str, str]) -> tuple[float, float]:
    """The time of one process and that of the processor, in milliseconds."""
    begun = time.perf_counter()
    done = subprocess.run(
        [sys.executable, "-c", f"{source}\n{REPORT}"], env=found, check=True, capture_output=True
    )
    return (time.perf_counter() - begun) * 1000, float(done.stdout)


def main() -> None:
    app = sys.argv[1] if len(sys.argv) > 1 else ""
    runs = int(sys.argv[2]) if len(sys.argv) > 2 else 21
    found = environment(app)
    with tempfile.TemporaryDirectory(prefix="recallite-startup-") as folder:
        store = str(Path(folder, "memory"))
        fill(store, found)
        compared = programs(store)
        times: dict[str, list[tuple[float, float]]] = {name: [] for name in compared}
        for _ in range(runs):
            for name, source in compared.items():
                times[name].append(measured(source, found))
    rows = {}
    for name, all_of_it in times.items():
        wall, used = zip(*all_of_it, strict=True)
        rows[name] = (min(wall), statistics.median(wall), statistics.median(used))
    version = f"{platform.python_implementation()} {platform.python_version()}"
    print(f"{version}, {platform.machine()}, a store of {EVENTS:,} events, {runs} runs")
    print(f"{'':34}" + "".join(f"{name:>18}" for name in ("fastest", "median", "processor")))
    empty = rows["an empty process"]
    for name, row in rows.items():
        shown = (f"{ms:>9.1f} {f'({ms / bare:.2f}×)':>8}" for ms, bare in zip(row, empty, strict=True))
        print(f"{name:34}" + "".join(shown))


if __name__ == "__main__":
    main()
