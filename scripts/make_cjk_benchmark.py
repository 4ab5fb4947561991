#!/usr/bin/env python3
"""Writes benches/data/cjk.json, the Korean, Japanese and Chinese recall benchmark.

    python3 scripts/make_cjk_benchmark.py            write the file
    python3 scripts/make_cjk_benchmark.py --check    fail if the file differs
    python3 scripts/make_cjk_benchmark.py --measure  print what plain BM25 finds

The sentences are hand-written and stand in scripts/cjk_bank/<language>.txt,
one per line:

    names: ...                 speakers, drawn in pairs
    = topic
    F: turn || question || hard question || answer
    D: turn                    says something about the topic, answers nothing
    R: turn                    small talk, fits anywhere (last section)

`{a|b|c}` is a choice. In a turn it is the fact; `$1` in the answer is what was
chosen. In a question it is a choice of wording. `@A` is the speaker of the
turn. Each topic is the main topic of two conversations, which differ in
speakers, facts asked for and choices, and a side topic of two others.

The output is a function of the banks and of SEED. Its format is that of a
LoCoMo conversation file, with the fields `language` and `hard_questions` added.
A question has one evidence turn and category 4 (single fact). A question is
worded differently from its turn but shares one to three content words with it.
A hard question asks for the same fact in synonyms, mostly with no word in
common. Five facts of each language are asked for in their hard wording in
`questions` too, as people do; otherwise the hard ones stand apart, because
lexical search cannot answer them, and are reported beside the others.
"""

import json
import math
import random
import re
import sys
import unicodedata
from collections import Counter
from pathlib import Path

SEED = 20260311
LANGUAGES = ("ko", "ja", "zh")
ROOT = Path(__file__).resolve().parent.parent
BANKS = ROOT / "scripts" / "cjk_bank"
OUTPUT = ROOT / "benches" / "data" / "cjk.json"
MONTHS = "January February March April May June July August September October November December".split()

CHOICE = re.compile(r"\{([^{}]*)\}")
# Korean particles whose form depends on the last sound before them:
# after a consonant, after a vowel.
PARTICLES = (
    ("을", "를"), ("이", "가"), ("은", "는"), ("과", "와"), ("으로", "로"),
    ("이라고", "라고"), ("이라서", "라서"), ("이야", "야"), ("이었어", "였어"), ("이라", "라"),
)
PARTICLE = re.compile(
    "^(" + "|".join(sorted({form for pair in PARTICLES for form in pair}, key=len, reverse=True)) + r")(?=[\s.,?!]|$)"
)
# How the digits 0 to 9 end when read in Korean: final consonant or none.
DIGIT_FINALS = ("ㅇ", "ㄹ", "", "ㅁ", "", "", "ㄱ", "ㄹ", "ㄹ", "")


def final_sound(text):
    """The final consonant of the last syllable, "" for a vowel, None if unknown."""
    last = text[-1]
    if last.isdigit():
        return DIGIT_FINALS[int(last)]
    if "가" <= last <= "힣":
        jamo = unicodedata.normalize("NFD", last)
        return jamo[2] if len(jamo) == 3 else ""
    return None


def fit_particle(chosen, rest):
    """Puts the particle at the start of `rest` into the form that `chosen` asks for."""
    found = PARTICLE.match(rest)
    final = final_sound(chosen)
    if not found or final is None:
        return rest
    for closed, open_ in PARTICLES:
        if found.group(1) in (closed, open_):
            # 으로 becomes 로 after ㄹ too.
            is_open = not final or (closed == "으로" and unicodedata.normalize("NFKC", final) in ("ᆯ", "ㄹ"))
            return (open_ if is_open else closed) + rest[found.end():]
    return rest


def choose(text, turn_of_choice, language):
    """Resolves the choices of `text`; returns the text and what was chosen."""
    chosen = []
    while found := CHOICE.search(text):
        options = found.group(1).split("|")
        option = options[turn_of_choice % len(options)]
        chosen.append(option)
        rest = text[found.end():]
        if language == "ko":
            rest = fit_particle(option, rest)
        text = text[: found.start()] + option + rest
    return text, chosen


def read_bank(language):
    names, topics, replies = [], [], []
    for number, line in enumerate((BANKS / f"{language}.txt").read_text(encoding="utf-8").splitlines(), 1):
        if not line or line.startswith("#"):
            continue
        if line.startswith("names:"):
            names = line.removeprefix("names:").split()
        elif line.startswith("= "):
            topics.append({"facts": [], "asides": []})
        elif line.startswith("F: "):
            parts = line[3:].split(" || ")
            if len(parts) != 4:
                raise ValueError(f"{language}.txt:{number}: a fact has a turn, two questions and an answer")
            fact_number = sum(len(topic["facts"]) for topic in topics)
            if fact_number % 18 == 7:
                parts[1] = parts[2]
            topics[-1]["facts"].append(parts)
        elif line.startswith("D: "):
            topics[-1]["asides"].append(line[3:])
        elif line.startswith("R: "):
            replies.append(line[3:])
        else:
            raise ValueError(f"{language}.txt:{number}: unknown line")
    return names, [topic for topic in topics if topic["facts"]], replies


def date_time(day_number, rng):
    month, day = divmod(day_number, 28)
    hour, minute = rng.randrange(8, 22), rng.randrange(60)
    half = "am" if hour < 12 else "pm"
    return f"{(hour - 1) % 12 + 1}:{minute:02d} {half} on {day + 1} {MONTHS[month % 12]}, {2025 + month // 12}"


def conversation(language, number, bank, rng):
    names, topics, replies = bank
    main = topics[number % len(topics)]
    second_time = number // len(topics)
    side = topics[(number + (3 if second_time else 1)) % len(topics)]
    speakers = [names[number % len(names)], names[(number + 7 + second_time) % len(names)]]

    # The two conversations of a topic ask for different facts but for two.
    facts = [(fact, second_time) for fact in (main["facts"][3:] if second_time else main["facts"][:5])]
    facts += [(fact, 2) for fact in (side["facts"][5:] if second_time else side["facts"][3:6])]
    asides = rng.sample(main["asides"], 8) + rng.sample(side["asides"], 6)
    rng.shuffle(asides)
    # Facts nobody asks for: they speak of the same things as those asked for.
    unasked = (main["facts"][:3] if second_time else main["facts"][5:]) + rng.sample(side["facts"][:3], 2)

    items = [(choose(text, second_time + 1, language)[0], None) for text, *_ in unasked]
    for (text, question, hard_question, answer), choice in facts:
        text, chosen = choose(text, choice, language)
        if rng.random() < 0.3:
            aside = asides.pop()
            text = f"{aside}{'' if language in ('ja', 'zh') else ' '}{text}"
        wordings = [choose(wording, choice, language)[0] for wording in (question, hard_question)]
        items.append((text, (wordings, answer.replace("$1", chosen[0]))))
    items += [(aside, None) for aside in asides]
    session_count = 3 + number % 2
    small_talk = rng.sample(replies, session_count + 7)
    openings, small_talk = small_talk[:session_count], small_talk[session_count:]
    items += [(reply, None) for reply in small_talk]
    rng.shuffle(items)

    sessions, questions = [], []
    day = rng.randrange(0, 200)
    borders = [round(len(items) * part / session_count) for part in range(session_count + 1)]
    for part, opening in enumerate(openings):
        turns = []
        speaker = rng.randrange(2)
        for text, asked in [(opening, None), *items[borders[part]:borders[part + 1]]]:
            dia_id = f"D{part + 1}:{len(turns) + 1}"
            turns.append({"dia_id": dia_id, "speaker": speakers[speaker], "text": text})
            if asked:
                questions.append([
                    {"qid": 0, "category": 4, "question": wording.replace("@A", speakers[speaker]), "answer": asked[1], "evidence": [dia_id]}
                    for wording in asked[0]
                ])
            speaker = 1 - speaker
        sessions.append({"session_id": f"session_{part + 1}", "date_time": date_time(day, rng), "turns": turns})
        day += rng.randrange(2, 20)
    rng.shuffle(questions)
    for qid, wordings in enumerate(questions):
        for wording in wordings:
            wording["qid"] = qid
    return {
        "id": f"{language}-{number + 1:02d}",
        "language": language,
        "speakers": speakers,
        "sessions": sessions,
        "questions": [question for question, _ in questions],
        "hard_questions": [hard for _, hard in questions],
    }


def benchmark():
    conversations = []
    for language in LANGUAGES:
        bank = read_bank(language)
        rng = random.Random(f"{SEED}:{language}")
        for number in range(2 * len(bank[1])):
            conversations.append(conversation(language, number, bank, rng))
    return {"source": "hand-written sentences, put together by scripts/make_cjk_benchmark.py", "split": "cjk", "conversations": conversations}


def bigrams(text):
    """Two neighbouring characters each, inside runs of letters and digits."""
    found = []
    for run in re.findall(r"\w+", unicodedata.normalize("NFKC", text).lower()):
        found += [run[i:i + 2] for i in range(len(run) - 1)] or [run]
    return found


def bm25_ranking(query, texts, k1=1.2, b=0.75):
    documents = [Counter(bigrams(text)) for text in texts]
    lengths = [sum(document.values()) for document in documents]
    mean = sum(lengths) / len(lengths)
    frequency = Counter(term for document in documents for term in document)
    scores = []
    for document, length in zip(documents, lengths):
        score = 0.0
        for term in set(bigrams(query)):
            if term in document:
                idf = math.log(1 + (len(texts) - frequency[term] + 0.5) / (frequency[term] + 0.5))
                score += idf * document[term] * (k1 + 1) / (document[term] + k1 * (1 - b + b * length / mean))
        scores.append(score)
    # Turns that share nothing with the query are not found at all.
    return [i for i in sorted(range(len(texts)), key=lambda i: (-scores[i], i)) if scores[i] > 0]


def measure(data, show_misses):
    print("character-bigram BM25, one store per conversation")
    for language in LANGUAGES:
        picked = [talk for talk in data["conversations"] if talk["language"] == language]
        for kind in ("questions", "hard_questions"):
            hits = {1: 0, 5: 0, 10: 0}
            total = 0
            for talk in picked:
                turns = [turn for session in talk["sessions"] for turn in session["turns"]]
                for question in talk[kind]:
                    ranking = bm25_ranking(question["question"], [turn["text"] for turn in turns])
                    ids = [turns[i]["dia_id"] for i in ranking]
                    total += 1
                    for depth in hits:
                        hits[depth] += question["evidence"][0] in ids[:depth]
                    if show_misses and kind == "questions" and question["evidence"][0] not in ids[:10]:
                        text = next(turn["text"] for turn in turns if turn["dia_id"] == question["evidence"][0])
                        print("  missed:", talk["id"], question["question"], "<-", text)
            found = ", ".join(f"recall@{depth} {count / total:.3f}" for depth, count in hits.items())
            print(f"{language}: {len(picked)} conversations, {total} {kind}: {found}")


def main():
    data = benchmark()
    text = json.dumps(data, ensure_ascii=False, indent=1) + "\n"
    if "--measure" in sys.argv:
        measure(data, "--misses" in sys.argv)
    elif "--check" in sys.argv:
        if OUTPUT.read_text(encoding="utf-8") != text:
            sys.exit(f"{OUTPUT} is not what the banks give; run {Path(__file__).name}")
    else:
        OUTPUT.parent.mkdir(parents=True, exist_ok=True)
        OUTPUT.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
