//! Query expansion: which words of the store match a query word, and with what boost.
//!
//! A query word matches its own stem fully, and up to 23 other stems with g = cos², the cosine of
//! their static vectors, if cos ≥ .2. A stem's vector is that of its shortest form in a segment: if
//! that form differs between segments, the larger boost counts until they are merged. An identifier
//! matches only itself: the vectors of its pieces would find others with similar digits.

use std::collections::{HashMap, HashSet};

use crate::embed::static_table::{self, CELLS, WordProbe};
use crate::index::lexical::analyser::Analyser;
use crate::index::lexical::layout::{CELL_ROW_BYTES, INLINE};
use crate::index::lexical::leaf::Leaf;
use crate::index::lexical::segment::NEAREST_WORDS;
use crate::index::lexical::semantic::generality;
use crate::index::lexical::term::{ExpansionTerm, LeafTerm, TermInfo};
use crate::model::error::Result;
use crate::text::scripts::is_unspaced;

/// Words less similar than this do not match.
pub const MIN_COSINE: f32 = 0.2;
/// The largest boost of another word. Only a word's own stem matches fully, even if other words
/// have the same pieces.
pub const MAX_EXPANSION_BOOST: f32 = 0.9;
/// The maximum number of stems that a query word matches, its own included.
pub const MAX_EXPANSIONS: usize = 24;
/// The minimum number of cells probed per word. Of the score that the 23 nearest words of the
/// vocabulary add, 32 of 256 cells cover 96 %, and 48 cells 98 % at 1.5 times the cost; on the
/// chats among 40,000 other events both give the same results.
pub const MIN_PROBED_CELLS: usize = 32;
/// More cells are probed until this many words were compared, so that a small store is searched
/// exactly.
pub const MIN_PROBED_WORDS: usize = 8_000;
/// From this many words on, caching the products with pieces pays off.
const REMEMBER_WORDS: usize = 2_000;
/// In a store of at least this many passages, a word that occurs in more than one passage in
/// [`COMMON_SHARE`] is not expanded: it discriminates little, and its neighbours less. On the chats
/// among 40,000 other events this changes no metric.
const LARGE_STORE: u64 = 20_000;
const COMMON_SHARE: u64 = 10;
/// The maximum number of words searched for. Of a longer question, first the words that no passage
/// contains are dropped, then the least informative ones.
pub const MAX_QUERY_TERMS: usize = 64;
/// The factors on the idf of a pair of hiragana, and of a pair with one hiragana, which mostly are
/// particles and inflections. .3 to .5 and .6 to .8 measure alike on documents and on chats; at 0,
/// chats lose .1 of recall@10.
const HIRAGANA_SHARE: f32 = 0.4;
const PARTLY_HIRAGANA_SHARE: f32 = 0.7;
/// Names of programming languages that seldom mean anything else.
const LANGUAGES: [&[u8]; 9] = [
    b"python",
    b"java",
    b"javascript",
    b"typescript",
    b"golang",
    b"kotlin",
    b"php",
    b"perl",
    b"matlab",
];
/// The factor on the idf of such a name, because code seldom names its own language and what names
/// it is mostly about other things. 0 to .5 measure alike on questions about code.
const LANGUAGE_SHARE: f32 = 0.5;
/// The factor on the idf of each part of a compound with hyphens. .3 to .7 measure alike on coding
/// sessions.
const COMPOUND_SHARE: f32 = 0.7;
/// How many compounds of a question are looked at.
const MAX_COMPOUNDS: usize = 16;
/// With fewer other words, a question is about the language or the compound itself: "which python
/// version?"
const WORDS_BESIDE: usize = 2;
/// The maximum number of digits at the end of a word that count as a version, as in `python3`.
const VERSION_DIGITS: usize = 2;
/// A number with at least this many digits is not a quantity with similar ones nearby.
const NUMBER_DIGITS: usize = 4;

/// A word of the query.
#[derive(Clone, Debug)]
pub struct QueryTerm {
    /// Its stem.
    pub stem: Vec<u8>,
    /// Its surface, in lower case.
    #[cfg(test)]
    pub surface: Vec<u8>,
    /// The number of passages that contain its stem.
    pub df: u64,
    /// Whether a passage that the query's filter allows contains its stem, once that was noted.
    pub is_known: bool,
    /// ln(1 + (N − df + ½) / (df + ½)) over N passages.
    pub idf: f32,
    /// The score of a full match.
    pub weight: f32,
    /// False for words that only frame the question: they are used for phrase proximity, but not
    /// searched for.
    pub is_searched: bool,
    /// Whether it is not searched for only because the question has too many words.
    pub is_cut: bool,
    /// False for identifiers: they match only themselves.
    pub is_expanded: bool,
    /// Whether it is a pair of letters of a script without spaces.
    pub is_pair: bool,
    /// The factor on its idf.
    rarity_share: f32,
    pub(crate) hash: u32,
    pub(crate) pieces: Vec<u16>,
    pub(crate) positions: Vec<u8>,
}

/// The words of a query, and which of them are adjacent.
#[derive(Clone, Debug, Default)]
pub(crate) struct QueryTerms {
    pub terms: Vec<QueryTerm>,
    pub pairs: Vec<(usize, usize)>,
}

impl QueryTerms {
    pub(crate) fn new(analyser: &mut Analyser, text: &str) -> Self {
        analyser.analyse("", text);
        let mut terms: Vec<QueryTerm> = analyser
            .terms()
            .map(|term| QueryTerm {
                stem: term.stem.to_vec(),
                #[cfg(test)]
                surface: term.surface.to_vec(),
                df: 0,
                is_known: false,
                idf: 0.0,
                weight: 0.0,
                is_searched: !term.is_question_stop,
                is_cut: false,
                is_expanded: !is_identifier(term.surface),
                is_pair: is_pair(term.surface),
                rarity_share: generality(term.pieces).sqrt() * hiragana_share(term.surface),
                hash: term.hash,
                pieces: term.pieces.to_vec(),
                positions: term.positions.to_vec(),
            })
            .collect();
        if terms.iter().all(|term| !term.is_searched) {
            terms.iter_mut().for_each(|term| term.is_searched = true);
        }
        fade_languages(&mut terms);
        let mut pairs = adjacent(&terms);
        let mut known = HashSet::new();
        for compound in compounds(text).take(MAX_COMPOUNDS) {
            analyser.analyse("", compound);
            let parts: Vec<u32> = analyser.terms().map(|term| term.hash).collect();
            // One that is named again says no less for that.
            if known.insert(parts.clone()) {
                fade_compound(&parts, &mut terms, &mut pairs);
            }
        }
        QueryTerms { terms, pairs }
    }

    /// Computes idf and weights for a store with this many passages.
    pub(crate) fn weigh(&mut self, passages: u64) {
        for term in &mut self.terms {
            term.idf = idf(passages, term.df);
            term.weight = term.idf * term.rarity_share;
        }
        let searched = self.terms.iter().filter(|t| t.is_searched).count();
        if searched > MAX_QUERY_TERMS {
            let mut order: Vec<usize> = (0..self.terms.len())
                .filter(|&t| self.terms[t].is_searched)
                .collect();
            let unknown = |term: usize| self.terms[term].df == 0;
            let weight = |term: usize| self.terms[term].weight;
            order.sort_by(|&a, &b| {
                let known_first = unknown(a).cmp(&unknown(b));
                known_first.then(weight(b).total_cmp(&weight(a)))
            });
            for &term in &order[MAX_QUERY_TERMS..] {
                self.terms[term].is_searched = false;
                self.terms[term].is_cut = true;
            }
        }
    }
}

/// The inverse document frequency of a stem in `df` of `passages` passages.
pub fn idf(passages: u64, df: u64) -> f32 {
    let (n, df) = (passages as f64, df.min(passages) as f64);
    (1.0 + (n - df + 0.5) / (df + 0.5)).ln() as f32
}

/// [`HIRAGANA_SHARE`] or [`PARTLY_HIRAGANA_SHARE`] for words with hiragana, 1 for others.
fn hiragana_share(surface: &[u8]) -> f32 {
    let text = std::str::from_utf8(surface).unwrap_or_default();
    let count = |is: fn(&char) -> bool| text.chars().filter(is).count();
    let hiragana = count(|letter| matches!(letter, 'ぁ'..='ゟ'));
    match hiragana {
        0 => 1.0,
        all if all == count(|_| true) => HIRAGANA_SHARE,
        _ => PARTLY_HIRAGANA_SHARE,
    }
}

/// Applies [`LANGUAGE_SHARE`] to the language in a question such as "parse a date in python".
fn fade_languages(terms: &mut [QueryTerm]) {
    let is_language = |term: &&mut QueryTerm| {
        let digits = term
            .stem
            .iter()
            .rev()
            .take_while(|byte| byte.is_ascii_digit());
        LANGUAGES.contains(&&term.stem[..term.stem.len() - digits.count()])
    };
    let searched = terms.iter().filter(|term| term.is_searched).count();
    let languages = terms
        .iter_mut()
        .filter(|term| term.is_searched)
        .filter(is_language);
    let languages: Vec<&mut QueryTerm> = languages.collect();
    if searched >= languages.len() + WORDS_BESIDE {
        languages
            .into_iter()
            .for_each(|term| term.rarity_share *= LANGUAGE_SHARE);
    }
}

/// The compounds with hyphens in a text, such as `billing-api`.
fn compounds(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !(c.is_alphanumeric() || matches!(c, '-' | '_')))
        .filter(|word| word.contains('-'))
        .filter(|word| {
            let mut parts = word.split('-');
            parts.all(|part| !part.is_empty() && part.bytes().all(|b| b.is_ascii_alphabetic()))
        })
}

/// Applies [`COMPOUND_SHARE`] to the parts of a compound, given by their hashes, and no longer counts
/// them as neighbours: together they name one thing, often the project that everything is about.
fn fade_compound(parts: &[u32], terms: &mut [QueryTerm], pairs: &mut Vec<(usize, usize)>) {
    let is_part = |term: &QueryTerm| term.is_searched && parts.contains(&term.hash);
    let others = terms
        .iter()
        .filter(|term| term.is_searched && !is_part(term));
    let known = terms.iter().filter(|term| is_part(term)).count();
    if known < 2 || others.count() < WORDS_BESIDE {
        return;
    }
    pairs.retain(|(a, b)| !(is_part(&terms[*a]) && is_part(&terms[*b])));
    for term in terms.iter_mut().filter(|term| is_part(term)) {
        term.rarity_share *= COMPOUND_SHARE;
    }
}

/// Whether a word is from a script without spaces, which is indexed as pairs of letters.
fn is_pair(surface: &[u8]) -> bool {
    let text = std::str::from_utf8(surface).unwrap_or_default();
    text.chars().next().is_some_and(is_unspaced)
}

/// Whether a lower-case word identifies one thing, like `rs647161`, `c0ffee1` or a ticket number:
/// letters mixed with digits, other than a version at the end, and long numbers other than years.
fn is_identifier(surface: &[u8]) -> bool {
    if !surface.iter().any(u8::is_ascii_digit) {
        return false;
    }
    if surface.iter().all(u8::is_ascii_digit) {
        let is_year = surface.len() == 4 && matches!(&surface[..2], b"19" | b"20");
        return surface.len() >= NUMBER_DIGITS && !is_year;
    }
    let digits = surface
        .iter()
        .rev()
        .take_while(|byte| byte.is_ascii_digit());
    let digits = digits.count();
    let word = &surface[..surface.len() - digits];
    word.iter().any(u8::is_ascii_digit) || digits > VERSION_DIGITS
}

/// Pairs of different words that are adjacent in the query, ignoring stop words between them.
fn adjacent(terms: &[QueryTerm]) -> Vec<(usize, usize)> {
    let mut positions: Vec<(u8, usize)> = terms
        .iter()
        .enumerate()
        .flat_map(|(t, term)| term.positions.iter().map(move |&p| (p, t)))
        .collect();
    positions.sort_unstable();
    let mut distinct: Vec<u8> = positions.iter().map(|&(p, _)| p).collect();
    distinct.dedup();
    let mut pairs = Vec::new();
    for two in distinct.windows(2) {
        for &(_, a) in positions.iter().filter(|(p, _)| *p == two[0]) {
            for &(_, b) in positions.iter().filter(|(p, _)| *p == two[1]) {
                let known = pairs.contains(&(a, b)) || pairs.contains(&(b, a));
                if a != b && !known && pairs.len() < MAX_QUERY_TERMS {
                    pairs.push((a, b));
                }
            }
        }
    }
    pairs
}

/// The expansions of a word: per leaf, the stems and their boost g < 1.
pub(crate) fn expand(
    term: &QueryTerm,
    leaves: &[Leaf<'_>],
    cell_words: &[usize; CELLS],
    passages: u64,
) -> Result<Vec<Vec<(f32, LeafTerm)>>> {
    let mut lists: Vec<Vec<(f32, LeafTerm)>> = leaves.iter().map(|_| Vec::new()).collect();
    let is_common = passages >= LARGE_STORE && term.df > passages / COMMON_SHARE;
    if is_common || !term.is_expanded {
        return Ok(lists);
    }
    let Some(mut probe) = WordProbe::new(&term.pieces) else {
        return Ok(lists);
    };
    let nearest = static_table::nearest_cells(probe.codes());
    let (mut cells, mut words) = (0, 0);
    while cells < CELLS && (cells < MIN_PROBED_CELLS || words < MIN_PROBED_WORDS) {
        words += cell_words[nearest[cells] as usize];
        cells += 1;
    }
    let mut found: Vec<(usize, ExpansionTerm)> = Vec::new();
    let key = (term.pieces.clone(), term.hash, cells as u16);
    let mut is_prepared = words < REMEMBER_WORDS;
    for (number, leaf) in leaves.iter().enumerate() {
        if let Leaf::Segment(segment, _) = leaf
            && let Some(known) = segment.nearest.lock().get(&key)
        {
            found.extend(known.iter().map(|candidate| (number, *candidate)));
            continue;
        }
        if !std::mem::replace(&mut is_prepared, true) {
            probe.remember_pieces();
        }
        let best = nearest_in(leaf, term, &probe, &nearest[..cells])?;
        found.extend(best.iter().map(|candidate| (number, *candidate)));
        if let Leaf::Segment(segment, _) = leaf {
            let mut nearest = segment.nearest.lock();
            if nearest.len() >= NEAREST_WORDS {
                nearest.clear();
            }
            nearest.insert(key.clone(), best.into());
        }
    }
    let cosines = best_stems(&found, MAX_EXPANSIONS - usize::from(term.df > 0));
    for (number, candidate) in found {
        if let Some(&cosine) = cosines.get(&candidate.hash) {
            let boost = (cosine * cosine).min(MAX_EXPANSION_BOOST);
            lists[number].push((boost, candidate.term));
        }
    }
    Ok(lists)
}

/// The stems of a leaf that are nearest to a word, from the probed cells of a segment.
fn nearest_in(
    leaf: &Leaf<'_>,
    term: &QueryTerm,
    probe: &WordProbe,
    cells: &[u8],
) -> Result<Vec<ExpansionTerm>> {
    let mut best = Best::new(term);
    match leaf {
        Leaf::Segment(segment, blocks) => {
            for &cell in cells {
                let sizes = segment.layout.cell_sizes[cell as usize];
                if sizes == [0; 3] {
                    continue;
                }
                let bytes = segment.cell(*blocks, cell)?;
                if scan_cell(&bytes, sizes, probe, &mut best).is_none() {
                    return Err(segment.corrupt("cell"));
                }
            }
        }
        Leaf::Memtable(memtable) => {
            for (id, word) in memtable.inverted.terms.iter().enumerate() {
                let pieces = memtable.inverted.pieces(word);
                let cosine = match pieces {
                    [] => continue,
                    [one] => probe.cosine_of_piece(*one),
                    many => probe.cosine(many.iter().copied(), word.norm),
                };
                let pieces = pieces.iter().copied();
                best.offer(cosine, pieces, || {
                    (word.hash, LeafTerm::Memtable(id as u32))
                });
            }
        }
    }
    Ok(best.finish())
}

/// The nearest stems of all leaves, each with its best cosine. A stem in several leaves counts
/// once.
fn best_stems(
    found: &[(usize, ExpansionTerm)],
    most: usize,
) -> HashMap<u32, f32, foldhash::fast::FixedState> {
    let mut cosines: HashMap<u32, f32, foldhash::fast::FixedState> = HashMap::default();
    for (_, candidate) in found {
        let cosine = cosines.entry(candidate.hash).or_insert(0.0);
        *cosine = cosine.max(candidate.cosine);
    }
    let mut order: Vec<(u32, f32)> = cosines.into_iter().collect();
    order.sort_unstable_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    order.truncate(most);
    order.into_iter().collect()
}

/// The best [`MAX_EXPANSIONS`] candidates of a leaf.
struct Best {
    own: u32,
    /// The digits of the query word.
    digits: Vec<u8>,
    threshold: f32,
    kept: Vec<ExpansionTerm>,
}

impl Best {
    fn new(term: &QueryTerm) -> Self {
        Best {
            own: term.hash,
            digits: static_table::digits(term.pieces.iter().copied()).collect(),
            threshold: MIN_COSINE,
            kept: Vec::with_capacity(MAX_EXPANSIONS * 4),
        }
    }

    #[inline]
    fn offer(
        &mut self,
        cosine: f32,
        pieces: impl Iterator<Item = u16>,
        candidate: impl FnOnce() -> (u32, LeafTerm),
    ) {
        if cosine < self.threshold || self.has_other_digits(pieces) {
            return;
        }
        let (hash, term) = candidate();
        if hash == self.own {
            return;
        }
        self.kept.push(ExpansionTerm { cosine, hash, term });
        if self.kept.len() == MAX_EXPANSIONS * 4 {
            self.trim();
        }
    }

    /// Words with different digits name different things, however similar their vectors.
    #[inline]
    fn has_other_digits(&self, pieces: impl Iterator<Item = u16>) -> bool {
        if self.digits.is_empty() {
            return false;
        }
        let mut others = static_table::digits(pieces).peekable();
        others.peek().is_some() && !others.eq(self.digits.iter().copied())
    }

    fn trim(&mut self) {
        if self.kept.len() > MAX_EXPANSIONS {
            self.kept
                .sort_unstable_by(|a, b| b.cosine.total_cmp(&a.cosine).then(a.hash.cmp(&b.hash)));
            self.kept.truncate(MAX_EXPANSIONS);
            self.threshold = self.kept[MAX_EXPANSIONS - 1].cosine;
        }
    }

    fn finish(mut self) -> Vec<ExpansionTerm> {
        self.trim();
        self.kept
    }
}

/// Offers the words of a cell. `None` if the cell is damaged.
fn scan_cell(bytes: &[u8], sizes: [u32; 3], probe: &WordProbe, best: &mut Best) -> Option<()> {
    let [singles, multis, multi_bytes] = sizes.map(|n| n as usize);
    let (pieces, rest) = bytes.split_at_checked(singles * 2)?;
    let (mut words, rows) = rest.split_at_checked(multi_bytes)?;
    if rows.len() != (singles + multis) * CELL_ROW_BYTES {
        return None;
    }
    let row = |at: usize| -> (u32, LeafTerm) {
        let row = &rows[at * CELL_ROW_BYTES..(at + 1) * CELL_ROW_BYTES];
        let u32_at =
            |at: usize| u32::from_le_bytes([row[at], row[at + 1], row[at + 2], row[at + 3]]);
        let df = u32_at(4);
        let info = TermInfo {
            df: df & !INLINE,
            inline: df & INLINE != 0,
            offset: u32_at(8),
            extent: 0,
        };
        (u32_at(0), LeafTerm::Segment(info))
    };
    for (at, piece) in pieces.as_chunks::<2>().0.iter().enumerate() {
        let piece = u16::from_le_bytes(*piece);
        let cosine = probe.cosine_of_piece(piece);
        best.offer(cosine, std::iter::once(piece), || row(at));
    }
    for at in singles..singles + multis {
        let (head, rest) = words.split_at_checked(3)?;
        let (pieces, rest) = rest.split_at_checked(head[0] as usize * 2)?;
        let norm = u16::from_le_bytes([head[1], head[2]]);
        let pieces = pieces.as_chunks::<2>().0;
        let pieces = pieces.iter().map(|p| u16::from_le_bytes(*p));
        let cosine = probe.cosine(pieces.clone(), norm);
        best.offer(cosine, pieces, || row(at));
        words = rest;
    }
    words.is_empty().then_some(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_that_frame_a_question_are_not_searched() {
        let mut analyser = Analyser::new();
        let query = QueryTerms::new(&mut analyser, "What did Caroline make for the art show?");
        let searched: Vec<_> = query
            .terms
            .iter()
            .filter(|t| t.is_searched)
            .map(|t| String::from_utf8(t.surface.clone()).unwrap())
            .collect();
        assert_eq!(searched, ["caroline", "art", "show"]);
        let words: Vec<_> = query.terms.iter().map(|t| &t.surface[..]).collect();
        let pairs: Vec<_> = query
            .pairs
            .iter()
            .map(|&(a, b)| (words[a], words[b]))
            .collect();
        assert_eq!(
            pairs,
            [
                (&b"caroline"[..], &b"make"[..]),
                (b"make", b"art"),
                (b"art", b"show")
            ]
        );
        // If there are no other words, they are.
        let query = QueryTerms::new(&mut analyser, "get it done quickly? use one");
        assert!(query.terms.iter().any(|t| t.is_searched));
    }

    #[test]
    fn common_words_weigh_less() {
        let mut analyser = Analyser::new();
        let mut query = QueryTerms::new(&mut analyser, "city zanzibar kubernetes");
        query.weigh(1000);
        let weights: Vec<f32> = query.terms.iter().map(|t| t.weight).collect();
        assert!(
            weights[0] < weights[1] && weights[1] <= weights[2],
            "{weights:?}"
        );
        assert!(idf(1000, 1) > idf(1000, 10) && idf(1000, 1000) > 0.0);
    }

    #[test]
    fn a_long_question_keeps_the_words_that_the_store_holds() {
        let mut analyser = Analyser::new();
        let unknown: Vec<String> = (0..80).map(|n| format!("zq{n}x")).collect();
        let text = format!("{} harbour crane", unknown.join(" "));
        let mut query = QueryTerms::new(&mut analyser, &text);
        for term in query.terms.iter_mut().rev().take(2) {
            term.df = 3;
        }
        query.weigh(1000);
        let searched = query.terms.iter().filter(|term| term.is_searched);
        assert_eq!(searched.clone().count(), MAX_QUERY_TERMS);
        assert_eq!(searched.filter(|term| term.df > 0).count(), 2);
        assert_eq!(query.terms.iter().filter(|term| term.is_cut).count(), 18);
    }

    #[test]
    fn the_language_says_less_in_a_question_about_code() {
        let share = |question: &str| {
            let query = QueryTerms::new(&mut Analyser::new(), question);
            let term = query
                .terms
                .iter()
                .find(|term| term.stem.starts_with(b"python"));
            term.unwrap().rarity_share
        };
        let whole = share("python");
        assert_eq!(share("which python version"), whole);
        assert_eq!(share("parse a date in python"), LANGUAGE_SHARE * whole);
        let numbered = share("python3");
        assert_eq!(share("parse a date in python3"), LANGUAGE_SHARE * numbered);
    }

    #[test]
    fn the_parts_of_a_compound_count_as_one_name() {
        let query = |question: &str| QueryTerms::new(&mut Analyser::new(), question);
        let share = |query: &QueryTerms, stem: &[u8]| {
            let term = query.terms.iter().find(|term| term.stem == stem);
            term.unwrap().rarity_share
        };
        let apart = query("external services of the billing gateway");
        let joined = query("external services of the billing-gateway");
        assert_eq!(joined.pairs.len() + 1, apart.pairs.len());
        for part in [&b"bill"[..], b"gateway"] {
            let expected = COMPOUND_SHARE * share(&apart, part);
            assert_eq!(share(&joined, part), expected);
        }
        assert_eq!(share(&joined, b"servic"), share(&apart, b"servic"));
        let again = query("services of the billing-gateway, external to the billing-gateway");
        assert_eq!(share(&again, b"gateway"), share(&joined, b"gateway"));
        // Alone, its parts are what is asked for.
        let alone = query("what is the billing-gateway?");
        assert_eq!(share(&alone, b"gateway"), share(&apart, b"gateway"));
        assert_eq!(alone.pairs.len(), 1);
        let found: Vec<&str> =
            compounds("a-b, (end-to-end) 2026-02-03 -x PROJ-12 snake_a-b").collect();
        assert_eq!(found, ["a-b", "end-to-end"]);
    }

    #[test]
    fn hiragana_says_less_than_its_rarity() {
        let mut analyser = Analyser::new();
        let mut query = QueryTerms::new(&mut analyser, "東京です カフェ");
        query.weigh(1000);
        let weight = |word: &str| {
            let term = query.terms.iter().find(|t| t.surface == word.as_bytes());
            term.unwrap().weight / query.terms[0].weight
        };
        assert_eq!(["東京", "カフ"].map(weight), [1.0, 1.0]);
        assert!((weight("京で") - PARTLY_HIRAGANA_SHARE).abs() < 1e-6);
        assert!((weight("です") - HIRAGANA_SHARE).abs() < 1e-6);
    }

    #[test]
    fn pairs_of_letters_are_told_from_words() {
        let mut analyser = Analyser::new();
        let query = QueryTerms::new(&mut analyser, "東京タワー 배포 gateway 4599 über");
        let pairs = query.terms.iter().filter(|term| term.is_pair);
        let pairs: Vec<_> = pairs
            .map(|term| std::str::from_utf8(&term.stem).unwrap())
            .collect();
        assert_eq!(pairs, ["東京", "京タ", "タワ", "ワー"]);
    }

    #[test]
    fn words_with_other_digits_are_not_related() {
        let mut analyser = Analyser::new();
        let query = QueryTerms::new(&mut analyser, "node14 gateway");
        let [with_digits, without] = [0, 1].map(|at| Best::new(&query.terms[at]));
        let pieces = |word: &str| {
            let mut pieces = Vec::new();
            static_table::word_pieces(word, &mut pieces);
            pieces.into_iter()
        };
        assert!(with_digits.has_other_digits(pieces("node16")));
        assert!(with_digits.has_other_digits(pieces("node140")));
        assert!(!with_digits.has_other_digits(pieces("node")));
        assert!(!with_digits.has_other_digits(pieces("nodes14")));
        assert!(!without.has_other_digits(pieces("gateway2")));
    }

    #[test]
    fn identifiers_stand_for_themselves() {
        for word in [
            "rs647161", "c0ffee1", "k8s", "3a", "4599", "20261", "1234567",
        ] {
            assert!(is_identifier(word.as_bytes()), "{word}");
        }
        for word in [
            "python3", "utf16", "v2", "2026", "1999", "42", "443", "gateway", "東京",
        ] {
            assert!(!is_identifier(word.as_bytes()), "{word}");
        }
    }
}
