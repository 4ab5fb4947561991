//! tantivy as a library: an index of the words, with the texts stored in it.

use std::path::{Path, PathBuf};

use tantivy::collector::TopDocs;
use tantivy::merge_policy::NoMergePolicy;
use tantivy::query::{BooleanQuery, Occur, Query, TermQuery};
use tantivy::schema::{Field, IndexRecordOption, STORED, STRING, Schema, TEXT};
use tantivy::{Index, IndexReader, IndexWriter, ReloadPolicy, TantivyDocument, Term};

use super::{Event, Peer};
use crate::Result;

/// The memory for new documents of one thread, in bytes; the documentation's example uses 50 MB in
/// total.
const ARENA_BYTES: usize = 50_000_000;

pub(crate) struct Tantivy {
    index: Index,
    writer: IndexWriter,
    reader: IndexReader,
    session: Field,
    kind: Field,
    content: Field,
    folder: PathBuf,
}

impl Tantivy {
    pub(crate) fn new(folder: PathBuf) -> Result<Self> {
        let mut schema = Schema::builder();
        let session = schema.add_text_field("session", STRING | STORED);
        let kind = schema.add_text_field("kind", STRING | STORED);
        let content = schema.add_text_field("content", TEXT | STORED);
        let index = Index::create_in_dir(&folder, schema.build())?;
        let threads = std::thread::available_parallelism().map_or(1, usize::from);
        let writer = index.writer_with_num_threads(threads, threads * ARENA_BYTES)?;
        // Merging is upkeep: in the background, it would slow down whatever is measured next.
        writer.set_merge_policy(Box::new(NoMergePolicy));
        let reader = index
            .reader_builder()
            .reload_policy(ReloadPolicy::Manual)
            .try_into()?;
        Ok(Tantivy {
            index,
            writer,
            reader,
            session,
            kind,
            content,
            folder,
        })
    }
}

impl Peer for Tantivy {
    fn name(&self) -> &'static str {
        "tantivy"
    }

    fn append(&mut self, events: &[Event]) -> Result<()> {
        for event in events {
            let mut document = TantivyDocument::default();
            document.add_text(self.session, &event.session);
            document.add_text(self.kind, event.kind.as_str());
            document.add_text(self.content, &event.text);
            self.writer.add_document(document)?;
        }
        self.writer.commit()?;
        Ok(())
    }

    fn upkeep(&mut self) -> Result<()> {
        let segments = self.index.searchable_segment_ids()?;
        self.writer.merge(&segments).wait()?;
        self.writer.garbage_collect_files().wait()?;
        self.reader.reload()?;
        Ok(())
    }

    fn compact(&mut self) -> Result<()> {
        self.upkeep()
    }

    fn search(&mut self, question: &str) -> Result<Option<usize>> {
        let words = question.split(' ').map(|word| {
            let term = Term::from_field_text(self.content, &word.to_lowercase());
            let query = TermQuery::new(term, IndexRecordOption::WithFreqs);
            (Occur::Should, Box::new(query) as Box<dyn Query>)
        });
        let query = BooleanQuery::new(words.collect());
        let searcher = self.reader.searcher();
        let best = searcher.search(&query, &TopDocs::with_limit(10).order_by_score())?;
        for (_, address) in &best {
            std::hint::black_box(searcher.doc::<TantivyDocument>(*address)?);
        }
        Ok(Some(best.len()))
    }

    fn parts(&self) -> Result<Vec<(String, u64)>> {
        let (mut texts, mut rest) = (0, 0);
        for entry in std::fs::read_dir(&self.folder)? {
            let entry = entry?;
            let bytes = entry.metadata()?.len();
            match entry
                .path()
                .extension()
                .is_some_and(|ending| ending == "store")
            {
                true => texts += bytes,
                false => rest += bytes,
            }
        }
        Ok(vec![
            ("log".to_owned(), texts),
            ("indexes and the rest".to_owned(), rest),
        ])
    }

    fn folder(&self) -> &Path {
        &self.folder
    }
}
