"""The progress bar of long calls: `tqdm` if it is installed, otherwise nothing."""

from __future__ import annotations

from typing import Any

from ._generated.log import ImportProgress


class Bar:
    """A callback that shows the progress of an import in bytes."""

    def __init__(self) -> None:
        try:
            from tqdm.auto import tqdm  # type: ignore[import-untyped,import-not-found,unused-ignore] # pyright: ignore
        except ImportError:
            self._bar: Any = None
        else:
            self._bar = tqdm(unit="B", unit_scale=True, unit_divisor=1024, desc="import")

    def __call__(self, now: ImportProgress) -> None:
        if self._bar is not None:
            self._bar.total = now.bytes_total
            self._bar.n = now.bytes_done
            self._bar.set_postfix(events=now.events_stored, refresh=False)
            self._bar.refresh()

    def close(self) -> None:
        if self._bar is not None:
            self._bar.close()
