//! Demotes hits that say nothing new: the question itself, near copies of better hits, and
//! events whose only lesson is contested or no longer holds.

use std::collections::HashSet;

use crate::index::lexical::forward::{IS_QUESTION, actor_hash};
use crate::index::lexical::search::LexicalHits;
use crate::model::error::{ErrorCode, Result};
use crate::model::event::EventKind;
use crate::model::time::Timestamp;
use crate::recall::asked::present::Present;
use crate::recall::ranking::candidate::RecallCandidate;
use crate::recall::ranking::lesson_status::lesson_statuses;
use crate::recall::ranking::rank::sort;
use crate::recall::ranking::relevance::SPREAD_RANK;
use crate::recall::shown::read::is_question;
use crate::store::ReadTx;
use crate::text::scripts::is_unspaced;

/// How many of the best candidates are all checked for near-duplicates.
const DUPLICATE_TOP: usize = 40;
const DUPLICATE_SHARE: f32 = 0.9;
const DUPLICATE_MIN_WORDS: usize = 7;

/// How many of the best candidates are checked for the question asked before.
const QUESTION_TOP: usize = 40;
/// The exact match of an event that contains every word of the question: 1, less rounding.
const HOLDS_ALL_WORDS: f32 = 0.999;

/// Someone who asks again would find their earlier question first, which tells them nothing.
/// It is moved behind the turn after it, which may be the answer.
///
/// False if an event could not be read.
pub(in crate::recall) fn demote_asked_before(
    read: &ReadTx,
    hits: &LexicalHits<'_>,
    candidates: &mut [RecallCandidate],
    question: &str,
) -> Result<bool> {
    let asked = word_set(question);
    let first = &candidates[..candidates.len().min(QUESTION_TOP)];
    let (mut copies, is_complete) = find_question(
        read,
        first,
        |candidate| candidate.facts.flags & IS_QUESTION != 0 && candidate.exact >= HOLDS_ALL_WORDS,
        |content| word_set(content) == asked,
    )?;
    // If a question was repeated at once, the last copy moves first, so that the one before
    // it ends up behind that.
    copies.sort_by_key(|&index| std::cmp::Reverse(candidates[index].facts.seq));
    for &index in &copies {
        let Some(next) = hits.turn(candidates[index].handle, 1)? else {
            continue;
        };
        let answer = candidates.iter().find(|other| other.handle == next);
        if let Some(rank) = answer.map(|answer| answer.rank) {
            candidates[index].rank = candidates[index].rank.min(rank.next_down());
        }
    }
    if !copies.is_empty() {
        sort(candidates);
    }
    Ok(is_complete)
}

/// Like [`demote_asked_before`], but removes all prompts that equal the question, as it is stored.
pub(in crate::recall) fn drop_question(
    read: &ReadTx,
    candidates: &mut Vec<RecallCandidate>,
    question: &str,
) -> Result<bool> {
    let (copies, is_complete) = find_question(
        read,
        candidates,
        |candidate| candidate.facts.kind == EventKind::UserPrompt.number(),
        |content| is_question(content, question),
    )?;
    for index in copies.into_iter().rev() {
        candidates.remove(index);
    }
    Ok(is_complete)
}

/// Which of the candidates are the question itself, the best first, and whether all that might be
/// could be read.
fn find_question(
    read: &ReadTx,
    candidates: &[RecallCandidate],
    may_be: impl Fn(&RecallCandidate) -> bool,
    is: impl Fn(&str) -> bool,
) -> Result<(Vec<usize>, bool)> {
    let (mut found, mut is_complete) = (Vec::new(), true);
    for (index, candidate) in candidates.iter().enumerate() {
        if !may_be(candidate) {
            continue;
        }
        match read.with_record(candidate.facts.seq, |view| {
            Ok(is(view.archive()?.content.as_str()))
        }) {
            Ok(Some(true)) => found.push(index),
            Ok(_) => {}
            Err(error) if error.code() == ErrorCode::Corrupt => is_complete = false,
            Err(error) => return Err(error),
        }
    }
    Ok((found, is_complete))
}

/// What became of the copies among the candidates.
pub(in crate::recall) struct Duplicates {
    /// How many were demoted.
    pub(in crate::recall) count: usize,
    /// False if one of the candidates could not be read.
    pub(in crate::recall) is_whole: bool,
}

/// Moves passages that repeat a better one behind it, so that ten hits are not ten copies of
/// one tool output.
///
/// Looks only as far as the first `limit` and the ranks that the relevance depends on:
/// nothing below can rise. Behind the first [`DUPLICATE_TOP`], only what looks like a copy of
/// them is read: as many words, and the same score.
pub(in crate::recall) fn demote_duplicates(
    read: &ReadTx,
    candidates: &mut [RecallCandidate],
    limit: usize,
    demotion: f32,
) -> Result<Duplicates> {
    let mut found = Duplicates {
        count: 0,
        is_whole: true,
    };
    if demotion == 0.0 {
        return Ok(found);
    }
    let wanted = limit.max(SPREAD_RANK + 1) + 1;
    let mut kept = KeptPassages::default();
    let mut settled = 0;
    for (index, candidate) in candidates.iter_mut().enumerate() {
        if settled == wanted {
            break;
        }
        settled += 1;
        if index >= DUPLICATE_TOP && !kept.signatures.contains(&signature(candidate)) {
            continue;
        }
        let Some(words) = candidate.with_text(read, word_set)? else {
            // The hit itself is dropped when it has to be read.
            found.is_whole = false;
            continue;
        };
        if words.len() <= DUPLICATE_MIN_WORDS {
            continue;
        }
        kept.signatures.insert(signature(candidate));
        if kept.repeats(&words) {
            candidate.rank *= 1.0 - demotion;
            settled -= 1;
            found.count += 1;
        } else if index < DUPLICATE_TOP {
            kept.words.push(words);
        }
    }
    if found.count > 0 {
        sort(candidates);
    }
    Ok(found)
}

/// The passages that say something new, and what copies of all that were read look like.
#[derive(Default)]
struct KeptPassages {
    words: Vec<Vec<u32>>,
    signatures: HashSet<(u32, u32)>,
}

impl KeptPassages {
    fn repeats(&self, words: &[u32]) -> bool {
        self.words.iter().any(|other| {
            let least = words.len().min(other.len());
            shared(words, other) as f32 >= DUPLICATE_SHARE * least as f32
        })
    }
}

/// What two copies of a passage have in common without being read.
fn signature(candidate: &RecallCandidate) -> (u32, u32) {
    (candidate.words, candidate.own.to_bits())
}

/// Demotes events whose only lesson is contested or over, behind what replaced it.
pub(in crate::recall) fn demote_past(
    (read, present): (&ReadTx, &Present),
    candidates: &mut [RecallCandidate],
    limit: usize,
    demotion: f32,
) -> Result<()> {
    let count = limit.saturating_mul(2).min(candidates.len());
    let events = candidates[..count].iter().map(|candidate| {
        let at = Timestamp::from_millis_clamped(candidate.facts.timestamp);
        (candidate.facts.seq, at)
    });
    let Some(statuses) = lesson_statuses(read, events, present)? else {
        return Ok(());
    };
    let mut replaced = Vec::new();
    for (candidate, status) in candidates.iter_mut().zip(statuses) {
        let Some(status) = status else { continue };
        candidate.is_past = true;
        candidate.status_factor = 1.0 - demotion;
        candidate.rank *= candidate.status_factor;
        let old = (candidate.rank, candidate.facts.seq);
        replaced.extend(status.by.map(|(by, _)| (old, by.0)));
    }
    if demotion > 0.0 {
        for ((rank, old), by) in replaced {
            let mut found = candidates.iter_mut();
            // A question in the words of the past means the present.
            if let Some(newer) = found.find(|other| other.facts.seq == by && !other.is_past)
                && newer.rank <= rank
            {
                newer.rank = rank.next_up();
                newer.replaces = Some(old);
            }
        }
    }
    if candidates.iter().any(|candidate| candidate.is_past) {
        sort(candidates);
    }
    Ok(())
}

/// The hashes of the distinct words of a text, ascending. Where a script has no spaces, the
/// pairs of neighbouring letters are its words.
fn word_set(text: &str) -> Vec<u32> {
    let mut words: Vec<u32> = Vec::new();
    for word in text.split(|c: char| !(c.is_alphanumeric() || c == '_')) {
        if word.contains(is_unspaced) && word.chars().nth(1).is_some() {
            let places = word.char_indices().map(|(at, c)| at..at + c.len_utf8());
            let pairs = places.clone().zip(places.skip(1));
            words.extend(pairs.map(|(one, two)| actor_hash(&word[one.start..two.end])));
        } else if !word.is_empty() {
            words.push(actor_hash(word));
        }
    }
    words.sort_unstable();
    words.dedup();
    words
}

/// How many values two ascending lists have in common.
fn shared(a: &[u32], b: &[u32]) -> usize {
    let (mut a, mut b, mut count) = (a, b, 0);
    while let (Some((x, rest_a)), Some((y, rest_b))) = (a.split_first(), b.split_first()) {
        match x.cmp(y) {
            std::cmp::Ordering::Less => a = rest_a,
            std::cmp::Ordering::Greater => b = rest_b,
            std::cmp::Ordering::Equal => (a, b, count) = (rest_a, rest_b, count + 1),
        }
    }
    count
}

#[cfg(test)]
mod tests {
    use crate::recall::ranking::demote::*;

    #[test]
    fn a_copy_is_recognised_in_every_script() {
        for (text, copy, other) in [
            (
                "The nightly job copies the ledger to the cold store at three.",
                "Note: the nightly job copies The ledger to the cold store at three.",
                "The hourly job reads the invoices from the warm queue at noon.",
            ),
            (
                "夜間ジョブは三時に台帳をコールドストアへコピーします。",
                "メモ：夜間ジョブは三時に台帳をコールドストアへコピーします",
                "毎時のジョブは正午に請求書をキューから読み取ります。",
            ),
            (
                "夜间任务在三点把账本复制到冷存储。",
                "备注：夜间任务在三点把账本复制到冷存储",
                "每小时的任务在中午从队列读取发票。",
            ),
        ] {
            let (text, copy, other) = (word_set(text), word_set(copy), word_set(other));
            assert!(text.len() > DUPLICATE_MIN_WORDS, "{text:?}");
            let share = |one: &[u32], two: &[u32]| {
                shared(one, two) as f32 / one.len().min(two.len()) as f32
            };
            assert!(
                share(&text, &copy) >= DUPLICATE_SHARE,
                "{}",
                share(&text, &copy)
            );
            assert!(share(&text, &other) < DUPLICATE_SHARE / 2.0);
        }
        // A letter that stands alone has no neighbour.
        assert_eq!(word_set("家").len(), 1);
    }
}
