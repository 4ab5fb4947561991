"""Models in a folder. The tests with a real model need `RECALLITE_MODEL_DIR` (see
`scripts/make_minilm_onnx.py`) and the package `onnxruntime`."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import recallite
from recallite import FastembedOptions, _options

MODEL = os.environ.get("RECALLITE_MODEL_DIR")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with the files of a model, as far as opening reads them."""
    if MODEL is None:
        pytest.skip("RECALLITE_MODEL_DIR is not set")
    return Path(MODEL)


@pytest.fixture
def without_runtime(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ORT_DYLIB_PATH", raising=False)
    monkeypatch.setitem(sys.modules, "onnxruntime", None)


@pytest.mark.usefixtures("without_runtime")
def test_a_missing_runtime_names_the_remedy(tmp_path: Path) -> None:
    with pytest.raises(recallite.Unsupported) as caught:
        recallite.open(tmp_path / "m", fastembed=FastembedOptions(tmp_path))
    assert "pip install 'recallite[fastembed]'" in str(caught.value)
    assert caught.value.argument == "fastembed.onnxruntime_library"
    assert not (tmp_path / "m").exists()


def test_wrong_options_name_the_argument(tmp_path: Path) -> None:
    library = tmp_path / "libonnxruntime.so"
    wrong: list[tuple[str, dict[str, Any]]] = [
        ("fastembed.model_dir", {}),
        ("fastembed.model_dir", {"model_dir": ""}),
        ("fastembed.max_tokens", {"model_dir": tmp_path, "max_tokens": 2}),
        ("fastembed.max_tokens", {"model_dir": tmp_path, "max_tokens": "2"}),
        ("fastembed.threads", {"model_dir": tmp_path, "threads": 0}),
        ("fastembed.colour", {"model_dir": tmp_path, "colour": 1}),
    ]
    for argument, options in wrong:
        if "model_dir" in options:
            options = {"onnxruntime_library": library, **options}
        with pytest.raises(recallite.InvalidArgument) as caught:
            recallite.open(tmp_path / "m", fastembed=options)
        assert caught.value.argument == argument
    with pytest.raises(recallite.InvalidArgument) as caught:
        recallite.open(
            tmp_path / "m",
            embedder=recallite.CallbackEmbedder("a", 1, lambda texts: [[1.0]] * len(texts)),
            fastembed={"model_dir": tmp_path},
        )
    assert caught.value.argument == "fastembed"


def test_a_folder_without_a_model_is_not_found(tmp_path: Path) -> None:
    options = FastembedOptions(tmp_path, onnxruntime_library=tmp_path / "lib.so")
    with pytest.raises(recallite.NotFound) as caught:
        recallite.open(tmp_path / "m", fastembed=options)
    assert str(tmp_path) in str(caught.value)
    assert caught.value.argument in {None, "fastembed.model_dir"}
    assert not (tmp_path / "m").exists()


def test_the_library_is_found_in_the_package(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package = tmp_path / "site" / "onnxruntime"
    (package / "capi").mkdir(parents=True)
    (package / "__init__.py").write_text("raise RuntimeError('it must not be imported')")
    monkeypatch.setattr(sys, "path", [str(tmp_path / "site"), *sys.path])
    for platform, name in [
        ("linux", "libonnxruntime.so.1.24.0"),
        ("darwin", "libonnxruntime.1.24.0.dylib"),
        ("win32", "onnxruntime.dll"),
    ]:
        monkeypatch.setattr(sys, "platform", platform)
        assert _options.find_onnxruntime() is None
        (package / "capi" / name).touch()
        assert _options.find_onnxruntime() == package / "capi" / name


def test_a_real_model_finds_by_meaning(folder: Path, tmp_path: Path) -> None:
    """In a process of its own: a process has one runtime."""
    pytest.importorskip("onnxruntime")
    program = (
        "import recallite, sys\n"
        "options = recallite.FastembedOptions(sys.argv[1], threads=1, max_tokens=64)\n"
        "with recallite.open(sys.argv[2], fastembed=options) as memory:\n"
        "    for text in ('A kitten rests on a rug.', 'The migration failed at midnight.'):\n"
        "        memory.append(kind='user_prompt', session='s', content=text)\n"
        "    done = memory.process_outbox()\n"
        "    assert done.succeeded == 2, done\n"
        "    assert memory.stats().embedding.dimensions == 384\n"
        "    found = memory.search('sleeping feline', limit=1)\n"
        "    assert not found.degraded\n"
        "    print(found.items[0].passage.text)\n"
    )
    environment = {name: value for name, value in os.environ.items() if name != "ORT_DYLIB_PATH"}
    done = subprocess.run(
        [sys.executable, "-c", program, str(folder), str(tmp_path / "m")],
        capture_output=True,
        text=True,
        env=environment,
        timeout=300,
    )
    assert done.stderr == ""
    assert done.stdout == "A kitten rests on a rug.\n"
