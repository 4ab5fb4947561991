#!/usr/bin/env python3
"""Makes memory-core/data/static_table.bin: the static token table that the library embeds.

  make_static_table.py distil MINILM.onnx TOKENIZER.json OUT.npz
      distils a 128-d int4 token table from all-MiniLM-L6-v2, with no training text (the Model2Vec
      idea without its pooling weights): for every token the average of its own last hidden state
      and of the mean over [CLS] token [SEP]; then PCA to 128 dimensions, fitted without the
      [unusedN] tokens; then symmetric int4 rows with one f32 scale per row.
  make_static_table.py pack TABLE.npz TOKENIZER.json OUT.bin
      packs codes, scales, the WordPiece vocabulary as a hash table that is used in place, and a
      k-means of word vectors into 256 cells. Deterministic: the seed is fixed.
  make_static_table.py fixture TOKENIZER.json OUT.json
      writes the expected word pieces of a list of words, for the Rust test.

Needs numpy and tokenizers; `distil` also onnxruntime; `pack` also blake3.
TOKENIZER.json is the tokenizer of all-MiniLM-L6-v2 (Apache-2.0).

Layout of OUT.bin, all little-endian:
  0    magic "RCSTATIC"
  8    u32 version = 1, u32 tokens, u32 dimensions, u32 cells, u32 vocabulary slots, u32 pool bytes
  32   32 bytes BLAKE3 of everything from byte 64 on
  64   codes       u8 [tokens, dimensions / 2]: low nibble = even dimension, value = code - 8
       scales      f32 [tokens]
       norms       f32 [tokens]: length of the decoded row
       token_cells u8 [tokens]: nearest cell of the row
       centroids   i8 [cells, dimensions]
       centroid_scales f32 [cells]: centroid = code * scale, a unit vector
       slots       u16 [slots]: 0 = empty, else token + 1; open addressing, linear probing from
                   FNV-1a 32 of the piece's bytes (start value xor 0x9E3779B9 for "##" pieces), mod slots
       offsets     u32 [tokens + 1]: where each token's bytes (without "##") stand in the pool;
                   bit 31 marks a "##" piece
       pool        the bytes
"""
import json
import struct
import sys

import numpy as np

DIMENSIONS = 128
CELLS = 256
SLOTS = 65536
SEED = 20240607


def vocabulary(tokenizer_path):
    from tokenizers import Tokenizer

    vocab = Tokenizer.from_file(tokenizer_path).get_vocab()
    words = [None] * len(vocab)
    for word, index in vocab.items():
        words[index] = word
    return words


def distil(onnx_path, tokenizer_path, out):
    import onnxruntime as ort

    options = ort.SessionOptions()
    options.intra_op_num_threads = 1
    session = ort.InferenceSession(onnx_path, options, providers=["CPUExecutionProvider"])
    words = vocabulary(tokenizer_path)
    size = len(words)
    cls, sep = words.index("[CLS]"), words.index("[SEP]")
    own = np.zeros((size, 384), np.float32)
    mean = np.zeros_like(own)
    for start in range(0, size, 256):
        index = np.arange(start, min(size, start + 256))
        ids = np.stack([np.full(len(index), cls), index, np.full(len(index), sep)], 1)
        feed = {
            "input_ids": ids.astype(np.int64),
            "attention_mask": np.ones_like(ids, dtype=np.int64),
            "token_type_ids": np.zeros_like(ids, dtype=np.int64),
        }
        hidden = session.run(None, feed)[0]
        mean[index], own[index] = hidden.mean(1), hidden[:, 1]
    both = (own + mean) / 2
    real = np.array([not w.startswith("[unused") for w in words])
    centre = both[real].mean(0)
    _, axes = np.linalg.eigh(np.cov((both[real] - centre).T))
    table = ((both - centre) @ axes[:, ::-1][:, :DIMENSIONS]).astype(np.float32)
    scale = np.abs(table).max(1) / 7
    scale[scale == 0] = 1
    codes = (np.clip(np.round(table / scale[:, None]), -7, 7) + 8).astype(np.uint8)
    packed = codes[:, 0::2] | (codes[:, 1::2] << 4)
    np.savez_compressed(out, packed=packed, scale=scale.astype(np.float32))


def decode(packed):
    return np.stack([packed & 15, packed >> 4], 2).reshape(len(packed), -1).astype(np.float32) - 8


def unit(rows):
    norm = np.linalg.norm(rows, axis=1, keepdims=True)
    return rows / np.where(norm > 0, norm, 1)


def spherical_k_means(rows, rounds=30):
    rng = np.random.default_rng(SEED)
    centres = rows[np.sort(rng.choice(len(rows), CELLS, replace=False))].copy()
    for _ in range(rounds):
        nearest = (rows @ centres.T).argmax(1)
        for cell in range(CELLS):
            mine = rows[nearest == cell]
            centres[cell] = mine.mean(0) if len(mine) else rows[rng.integers(len(rows))]
        centres = unit(centres)
    return centres


def training_rows(words, table):
    """Whole words, and as many made-up words of 2 to 6 pieces: real stores are full of identifiers,
    hashes and names, which would otherwise all fall into the one cell nearest to the mean."""
    whole = np.array([w.isascii() and w.isalpha() and len(w) > 1 for w in words])
    heads = np.array([i for i, w in enumerate(words) if w.isascii() and w.isalnum() and len(w) <= 5])
    tails = np.array([i for i, w in enumerate(words) if w.startswith("##") and w.isascii() and 2 < len(w) <= 5])
    rng = np.random.default_rng(SEED)
    made = [
        table[np.append(rng.choice(heads), rng.choice(tails, rng.integers(1, 6)))].mean(0)
        for _ in range(whole.sum())
    ]
    return unit(np.concatenate([table[whole], np.array(made, np.float32)]))


def fnv1a(data, continuation):
    value = 0x811C9DC5 ^ (0x9E3779B9 if continuation else 0)
    for byte in data:
        value = ((value ^ byte) * 0x01000193) & 0xFFFFFFFF
    return value


def pack(npz, tokenizer_path, out):
    import blake3

    data = np.load(npz)
    packed, scale = data["packed"], data["scale"].astype("<f4")
    words = vocabulary(tokenizer_path)
    assert len(words) == len(packed) and packed.shape[1] * 2 == DIMENSIONS
    table = decode(packed) * scale[:, None]
    norms = np.linalg.norm(table, axis=1).astype("<f4")
    units = unit(table)
    rows = training_rows(words, table)
    centres = spherical_k_means(rows)
    centre_scale = (np.abs(centres).max(1) / 127).astype("<f4")
    centre_codes = np.round(centres / centre_scale[:, None]).astype(np.int8)
    token_cells = (units @ (centre_codes * centre_scale[:, None]).T).argmax(1).astype(np.uint8)
    slots = np.zeros(SLOTS, "<u2")
    offsets, pool = [], b""
    for index, word in enumerate(words):
        continuation = word.startswith("##") and len(word) > 2
        piece = (word[2:] if continuation else word).encode()
        offsets.append(len(pool) | (0x80000000 if continuation else 0))
        pool += piece
        slot = fnv1a(piece, continuation) % SLOTS
        while slots[slot]:
            slot = (slot + 1) % SLOTS
        slots[slot] = index + 1
    offsets.append(len(pool))
    body = b"".join([
        packed.tobytes(), scale.tobytes(), norms.tobytes(), token_cells.tobytes(),
        centre_codes.tobytes(), centre_scale.tobytes(), slots.tobytes(),
        np.array(offsets, "<u4").tobytes(), pool,
    ])
    head = b"RCSTATIC" + struct.pack("<6I", 1, len(words), DIMENSIONS, CELLS, SLOTS, len(pool))
    with open(out, "wb") as file:
        file.write(head + blake3.blake3(body).digest() + body)
    print(f"{out}: {64 + len(body)} bytes; norms {norms.min():.3f}..{norms.max():.3f}")


FIXTURE = """the cats memory Recallite embedding café naïve Zürich façade coöperate résumé Ångström señor Straße
tokenization unbelievably antidisestablishmentarianism snake_case camelCase HTTPServer x86_64 sha256 0xdeadbeef
foo.bar foo-bar don't it's rock'n'roll C++ C# .NET node.js v1.2.3 2023 20th 3.14159 1,000,000 50% $100 a@b.com
東京 北京大学 日本語 こんにちは カタカナ 안녕하세요 서울 한국어 김치 привет мир Москва ελληνικά αθήνα שלום العربية مرحبا
हिन्दी नमस्ते ไทย ภาษาไทย 😀 👩‍👩‍👧 🇰🇷 Ⅳ ﬁne ① ½ ﬀ Ｆｕｌｌｗｉｄｔｈ İstanbul ıstanbul ß ẞ œuvre æther
a I x zzzzzz qwertyuiop asdfghjkl kubernetes postgresql redb rkyv fastembed onnxruntime lz4 zstd utf8 UTF-8
[CLS] [UNK] ##ing __init__ _private -- ... ¿qué? “quoted” —dash ☃ ♥ ™ © e\u0301 o\u0308 \u200bzero\u200b \u00adsoft\u00ad""".split() + [
    "hello world", "two  spaces", "tab\there", "line\nbreak", "no\u00a0break", "", " ", "a" * 100, "a" * 101, "supercalifragilistic" * 3,
]


def fixture(tokenizer_path, out):
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_file(tokenizer_path)
    tokenizer.no_truncation()
    tokenizer.no_padding()
    specials = {t.content for t in tokenizer.get_added_tokens_decoder().values()}
    cases = [w for w in FIXTURE if w not in specials]
    rows = [{"text": w, "pieces": tokenizer.encode(w, add_special_tokens=False).ids} for w in cases]
    with open(out, "w", encoding="utf-8") as file:
        file.write("[\n" + ",\n".join(json.dumps(r) for r in rows) + "\n]\n")


if __name__ == "__main__":
    {"distil": distil, "pack": pack, "fixture": fixture}[sys.argv[1]](*sys.argv[2:])
