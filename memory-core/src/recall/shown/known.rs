//! Selects the learned items that a context shows: those that are current, or done, and matter to
//! the query, one line each with its proof.

use std::collections::BTreeSet;
use std::ops::Range;

use crate::model::context::ContextItem;
use crate::model::ids::{CitationId, Seq};
use crate::model::learned::{LearnedHit, LearnedKind, LearnedState, Proof};
use crate::model::query::{Hit, SearchResult};
use crate::recall::asked::given::covered;
use crate::rules::entries::{EntryType, Stage};
use crate::rules::levels::PREFERENCE;
use crate::rules::matching::MatchClass;
use crate::rules::relevance;
use crate::rules::statements::elliptical::is_with_question;
use crate::rules::statements::sentences;
use crate::text::show::{harmless_line, on_one_line};

/// The relevance that an item needs to enter a context; a search has a lower bar. Chosen by
/// hand: at .2 a prompt sharing one of five words with a task brought in that task, at .4
/// decisions phrased in other words were missed.
const MIN_RELEVANCE: f32 = 0.3;

/// A sentence covered by quotes of given lines to at least this share says nothing more.
const SAID: f64 = 0.5;

/// Words that say nothing beside a quote: how one begins, agrees and thanks.
const SAYS_NOTHING: &str = "ah also and anyway btw but fyi good great hello hey hi hmm i just note oh ok okay \
    please right so sure thank thanks then well yeah yep yes you 감사합니다 고마워 고마워요 그래 그래서 \
    그러면 그럼 그리고 근데 네 아 알겠어 예 오케이 음 응 자 좋아 ありがとう ありがとうございます うん \
    お疲れさまです お疲れ様です お願いします よろしくお願いします よろしくお願いいたします そして では はい よろしく 了解 了解です じゃ じゃあ 好 好吧 好的 嗯 是的 另外 谢谢 \
    对了 那 那么 那就";

/// How many times as long as its line a quote may be that the line says in other words.
const REPHRASED: usize = 3;

/// Longer texts are cut in their line, in bytes.
const LINE_BYTES: usize = 400;

/// How many citations a line has beyond its own.
const MORE_CITATIONS: usize = 2;

/// The lines in output order: decisions and preferences, then tasks, then everything else. At
/// most `most`, and at most half of them from one group while others wait.
pub(in crate::recall) fn chosen(learned: &[LearnedHit], most: usize) -> Vec<LearnedHit> {
    let shown: Vec<&LearnedHit> = learned.iter().filter(|hit| is_shown(hit)).collect();
    let mut groups: [Vec<&LearnedHit>; 3] = Default::default();
    for (at, &hit) in shown.iter().enumerate() {
        if !is_repeated(hit, &shown[..at], &shown) {
            groups[group_of(hit)].push(hit);
        }
    }
    let total: usize = groups.iter().map(Vec::len).sum();
    let mut left = most;
    let mut waiting = total;
    let mut chosen = Vec::new();
    for group in groups {
        waiting -= group.len();
        let others = waiting.min(left / 2);
        let taken = group.len().min(left - others);
        chosen.extend(group.into_iter().take(taken).cloned());
        left -= taken;
    }
    chosen
}

/// The better class of the events and of the learned items that a context shows.
pub(in crate::recall) fn confidence(events: MatchClass, learned: &[LearnedHit]) -> MatchClass {
    let shown = learned.iter().filter(|hit| is_shown(hit));
    let best = shown.map(|hit| hit.relevance).fold(0.0, f32::max);
    match events {
        MatchClass::High => MatchClass::High,
        _ if best >= relevance::HIGH => MatchClass::High,
        MatchClass::None if best > 0.0 => MatchClass::Suggested,
        events => events,
    }
}

/// Whether an item is relevant enough for a context, counts now and is of use. That a task is done
/// counts too: no event need say so.
fn is_shown(hit: &LearnedHit) -> bool {
    let counts = hit.state.is_current() || hit.state == LearnedState::Done;
    hit.relevance >= MIN_RELEVANCE && counts && is_proved(hit) && matters(hit)
}

/// Whether an insight is an entry of the same type and message in fewer words, or is what an earlier
/// one says: the same wish in two messages is two insights.
fn is_repeated(hit: &LearnedHit, before: &[&LearnedHit], all: &[&LearnedHit]) -> bool {
    let is_of = |other: &LearnedHit, kind| other.kind == kind && other.entry_type == hit.entry_type;
    let shares_proof = |other: &LearnedHit| {
        let mut proofs = hit.proofs.iter();
        proofs.any(|proof| other.proofs.iter().any(|it| it.seq == proof.seq))
    };
    hit.kind == LearnedKind::Insight
        && (all
            .iter()
            .any(|it| is_of(it, LearnedKind::Entry) && shares_proof(it))
            || before
                .iter()
                .any(|it| is_of(it, LearnedKind::Insight) && it.title == hit.title))
}

fn group_of(hit: &LearnedHit) -> usize {
    match (hit.kind, hit.entry_type) {
        (
            LearnedKind::Entry,
            Some(EntryType::Decision | EntryType::Preference | EntryType::Constraint),
        ) => 0,
        (LearnedKind::Task, _) => 1,
        _ => 2,
    }
}

/// Whether its quotes were found: what a model made up is not told to another as a fact.
fn is_proved(hit: &LearnedHit) -> bool {
    hit.stage.is_none_or(|stage| stage >= Stage::Verified)
}

/// Whether an agent can use it: that a topic recurs tells it nothing.
fn matters(hit: &LearnedHit) -> bool {
    hit.kind != LearnedKind::Insight || hit.entry_type != Some(EntryType::Pattern)
}

/// A learned item as one line: what it is, its state, what it says, and with `cites` the
/// citations of its further proofs.
pub(in crate::recall) fn line(hit: &LearnedHit, cites: bool) -> String {
    let mut line = format!("{}, {}: ", name_of(hit), state_of(hit));
    let (title, text) = (hit.title.trim(), hit.text.trim());
    if is_beginning(hit) {
        line.push_str(cut(text));
    } else {
        line.push_str(title);
    }
    if !text.is_empty() && !is_beginning(hit) {
        if !title.ends_with(['.', '!', '?', '。', '！', '？']) {
            line.push('.');
        }
        line.push(' ');
        line.push_str(cut(text));
    }
    let citations = if cites {
        more_citations(hit)
    } else {
        Vec::new()
    };
    for citation in citations {
        line.push_str(&format!(" [{citation}]"));
    }
    harmless_line(&line).into_owned()
}

/// Whether a title is a text, or the beginning of one that has no title of its own.
fn is_beginning(hit: &LearnedHit) -> bool {
    let (title, text) = (hit.title.trim(), hit.text.trim());
    let is_title = text == title || is_with_question(text, title);
    !text.is_empty() && (is_title || hit.kind == LearnedKind::Memory)
}

/// Whether passages that are shown say all that a line would say.
pub(in crate::recall) fn is_shown_by(hit: &LearnedHit, shown: &[ContextItem]) -> bool {
    let said = match hit.text.trim() {
        "" => hit.title.trim(),
        text => text,
    };
    hit.kind == LearnedKind::Entry
        && hit.state == LearnedState::InForce
        && hit.proofs.iter().any(|proof| {
            let shows = |item: &&ContextItem| {
                item.seq == proof.seq && item.start <= proof.start && proof.end <= item.end
            };
            let mut items = shown.iter().filter(shows);
            items.any(|item| item.text.contains(said) && item.text.contains(hit.title.trim()))
        })
}

fn name_of(hit: &LearnedHit) -> String {
    let name = match (hit.kind, hit.entry_type) {
        (LearnedKind::Entry, Some(entry_type)) => entry_type.as_str(),
        (kind, _) => kind.as_str(),
    };
    let mut name = name.replace('_', " ");
    if let Some(first) = name.get_mut(..1) {
        first.make_ascii_uppercase();
    }
    name
}

fn state_of(hit: &LearnedHit) -> String {
    match hit.state {
        LearnedState::Contested => "contested, another entry says otherwise".to_owned(),
        LearnedState::Blocked if !hit.blockers.is_empty() => {
            format!("blocked by {}", cut(&hit.blockers.join("; ")))
        }
        state => state.as_str().replace('_', " "),
    }
}

/// The first bytes of a text, up to the end of a sentence or word.
fn cut(text: &str) -> &str {
    if text.len() <= LINE_BYTES {
        return text;
    }
    let head = &text[..text.floor_char_boundary(LINE_BYTES)];
    &head[..end_of_part(head)]
}

/// The citations of the other proofs.
pub(in crate::recall) fn more_citations(hit: &LearnedHit) -> Vec<&CitationId> {
    let mut more: Vec<&CitationId> = Vec::new();
    for proof in &hit.proofs {
        let citation = &proof.citation;
        if proof.citation != hit.citation
            && !more.contains(&citation)
            && more.len() < MORE_CITATIONS
        {
            more.push(citation);
        }
    }
    more
}

/// How many lines precede the index of a smart search.
const MAX_LINES_ABOVE_INDEX: usize = 5;

/// The learned items that the Markdown of a smart search shows.
pub(in crate::recall) fn above_index(learned: &[LearnedHit]) -> Vec<LearnedHit> {
    chosen(learned, MAX_LINES_ABOVE_INDEX)
}

/// Whether the line of an entry or a task says what an event says that proves it: it puts the quote
/// into other words. An insight and a consolidated memory are proved by whole events, of which they
/// may say nothing: see [`Lines`].
fn says(hit: &LearnedHit, proof: &Proof) -> bool {
    let (title, text) = (hit.title.trim(), cut(hit.text.trim()));
    let shown = match text == title {
        true => title.len(),
        false => title.len() + text.len(),
    };
    !quotes_whole_events(hit) && proof.quote.trim().len() <= REPHRASED * shown
}

/// Whether the proofs of an item are events as a whole.
fn quotes_whole_events(hit: &LearnedHit) -> bool {
    matches!(hit.kind, LearnedKind::Insight | LearnedKind::Memory)
}

/// What insights and consolidated memories show word for word: their lines and sentences.
struct Lines(BTreeSet<String>);

impl Lines {
    /// Of the items that an event proves.
    fn proved_by(seq: Seq, given: &[LearnedHit]) -> Self {
        let mut lines = BTreeSet::new();
        for hit in given {
            if quotes_whole_events(hit) && hit.proofs.iter().any(|proof| proof.seq == seq) {
                let shown = match hit.text.trim() {
                    "" => hit.title.trim(),
                    text => cut(text),
                };
                for line in shown.lines() {
                    let line = line.trim().trim_start_matches("- ");
                    // What the rules put before a person's words.
                    let line = line.strip_prefix(PREFERENCE).unwrap_or(line);
                    lines.insert(bare(line));
                    let sentences = sentences::split(line, 0..line.len(), &[]);
                    lines.extend(sentences.into_iter().map(|part| bare(&line[part])));
                }
            }
        }
        lines.remove("");
        Lines(lines)
    }

    fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    fn have(&self, sentence: &str) -> bool {
        !self.is_empty() && self.0.contains(&bare(sentence))
    }
}

/// A sentence on one line without its end mark.
fn bare(sentence: &str) -> String {
    let line = on_one_line(sentence);
    line.trim_end_matches(['.', '!', '。', '！']).to_owned()
}

/// Whether a passage of an event only proves what given lines already say: each of its sentences
/// does. One may be learned, and the next be what is asked for.
pub(in crate::recall) fn is_said(
    seq: Seq,
    passage: Range<usize>,
    text: &str,
    given: &[LearnedHit],
) -> bool {
    let mut quoted: Vec<Range<usize>> = given
        .iter()
        .flat_map(|hit| hit.proofs.iter().map(move |proof| (hit, proof)))
        .filter(|(_, proof)| proof.seq == seq && proof.end > passage.start)
        .filter(|(hit, proof)| says(hit, proof))
        .map(|(_, proof)| proof.start.saturating_sub(passage.start)..proof.end - passage.start)
        .collect();
    let lines = Lines::proved_by(seq, given);
    if quoted.is_empty() && lines.is_empty() {
        return false;
    }
    quoted.sort_by_key(|part| part.start);
    let mut sentences = sentences::split(text, 0..text.len(), &[]).into_iter();
    sentences.all(|sentence| {
        let length = text[sentence.clone()].trim().len();
        let said = &text[sentence.clone()];
        covered(&quoted, sentence) as f64 >= SAID * length as f64
            || lines.have(said)
            || !says_something(said)
    })
}

/// Whether the passage of a hit only proves what given lines already say.
pub(in crate::recall) fn is_proof(hit: &Hit, given: &[LearnedHit]) -> bool {
    let passage = &hit.passage;
    is_said(hit.seq, passage.start..passage.end, &passage.text, given)
}

/// Marks the hits that only prove what a result has learned.
pub(in crate::recall) fn mark_proofs(found: &mut SearchResult) {
    for hit in &mut found.items {
        hit.is_proof = is_proof(hit, &found.learned);
    }
}

/// Whether a part of a message has a word that says something.
fn says_something(part: &str) -> bool {
    let mut words = part.split(|c: char| !c.is_alphanumeric());
    words.any(|word| {
        let says_nothing = || {
            let lower = word.to_lowercase();
            SAYS_NOTHING.split_whitespace().any(|other| other == lower)
        };
        !word.is_empty() && !says_nothing()
    })
}

/// Where a text may be cut: after a sentence if one ends in its second half, else between
/// words.
pub(in crate::recall) fn end_of_part(head: &str) -> usize {
    let half = head.len() / 2;
    let sentence = head
        .rmatch_indices(['.', '!', '?', '。', '！', '？', '\n'])
        .map(|(at, end)| at + end.len())
        .next()
        .filter(|&end| end > half);
    let word = head.rfind(char::is_whitespace).filter(|&end| end > half);
    sentence.or(word).unwrap_or(head.len())
}
