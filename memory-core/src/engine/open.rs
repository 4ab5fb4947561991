//! Opens a memory: the one place where its parts are wired together.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use crate::embed::GuardedEmbedder;
use crate::engine::Engine;
use crate::engine::accesses::Accesses;
use crate::engine::embedding::Embedding;
use crate::engine::injections::PendingInjections;
use crate::engine::learned_index::LearnedIndex;
use crate::engine::lexical::LexicalIndex;
use crate::engine::logger::Target;
use crate::engine::options::Settings;
use crate::engine::recall_cache::RecallCaches;
use crate::index::vector::hnsw;
use crate::model::error::{Error, ErrorCode, Result};
use crate::model::zone::Zone;
use crate::privacy::{NAME_SECRET, PrivacyFilter, check_name};
use crate::store::Store;
use crate::store::log::tombstone::is_tombstone;
use crate::store::running::Operations;

/// Checks the settings that need no store, and finds the time zone.
fn check(settings: &mut Settings) -> Result<()> {
    check_name("project", &settings.project)?;
    settings.recall_weights.check()?;
    let kinds = settings.lifetime.retention_ms.keys();
    if let Some(kind) = kinds.copied().find(|kind| is_tombstone(*kind)) {
        return Err(Error::invalid(
            "retention_ms",
            format_args!("{kind} events are tombstones; they are not forgotten"),
        ));
    }
    if settings.graphs.is_on() && !hnsw::IS_BUILT_IN {
        return Err(Error::new(
            ErrorCode::Unsupported,
            "this library was built without the graph feature",
        )
        .about("vector_graph_from"));
    }
    if let Some(name) = &settings.time_zone {
        settings.zone = Zone::named(name)?;
    }
    Ok(())
}

impl Engine {
    /// Opens the store in the folder `path` and everything on top of it.
    pub(crate) fn open(path: &Path, mut settings: Settings) -> Result<Engine> {
        check(&mut settings)?;
        let filter = PrivacyFilter::new(settings.privacy.clone())?;
        let guard = settings
            .embedder
            .as_ref()
            .map(|embedder| GuardedEmbedder::new(embedder.0.clone()))
            .transpose()?;
        let store = Store::open(
            path,
            &settings.store,
            settings.clock.clone(),
            settings.ids.clone(),
        )?;
        let secret = || Ok(store.read()?.derived_secret(NAME_SECRET));
        let project = match filter.kept_name(&settings.project, secret)? {
            Some(kept) => kept.name,
            None => settings.project.clone(),
        };
        let embedding = guard
            .map(|guard| {
                Embedding::activate(&store, guard, settings.embedding_timeout, settings.graphs)
            })
            .transpose()?;
        let engine = Engine::over(store, filter, project, embedding, settings);
        engine.log_opening();
        engine.finish_erasures();
        Ok(engine)
    }

    /// Goes on with erasures that an earlier process did not finish. What blocks one now (a file
    /// open in another process, a failing disk) must not block readers: the order stays open, and
    /// `stats` and `check` report it.
    fn finish_erasures(&self) {
        let erased = self.resume_erasures(Duration::ZERO);
        let vectors = self.store.take_out_vectors(Duration::ZERO).err();
        for error in erased.as_ref().err().into_iter().chain(&vectors) {
            self.logger.warn(Target::Open, || {
                let code = error.code();
                format!("an earlier erasure is incomplete ({code}); call maintain() to finish it")
            });
        }
        if erased.is_err() || vectors.is_some() {
            // What an erasure could not write keeps nobody from reading.
            let _ = self.store.heal();
        }
        if erased.is_ok_and(|erased| erased.requests > 0) {
            self.logger.warn(Target::Open, || {
                "an erasure was ordered and not carried out; call maintain() to finish it"
                    .to_owned()
            });
        }
    }

    /// Logs what opening the store involved.
    fn log_opening(&self) {
        for note in self.store.take_notes() {
            self.logger
                .log(note.level(), Target::Open, || note.to_string());
        }
    }

    /// Builds everything on top of an open store.
    fn over(
        store: Arc<Store>,
        filter: PrivacyFilter,
        project: String,
        embedding: Option<Embedding>,
        settings: Settings,
    ) -> Engine {
        Engine {
            store,
            filter,
            tool_limits: settings.tool_limits,
            tool_policy: settings.tool_policy,
            project,
            lexical: LexicalIndex::new(settings.index_cache_bytes),
            embedding,
            lifetime: settings.lifetime,
            operations: Operations::default(),
            logger: settings.logger,
            accesses: Accesses::default(),
            learned_index: LearnedIndex::default(),
            #[cfg(test)]
            fails_at: parking_lot::Mutex::new(None),
            injections: PendingInjections::default(),
            signed_answers: Default::default(),
            caches: RecallCaches::new(settings.recall_cache, &settings.tuning.caches),
            recall_weights: settings.recall_weights,
            learns_by_rules: settings.learns_by_rules,
            zone: settings.zone,
            tuning: settings.tuning,
            effective: settings.effective,
            closed: AtomicBool::new(false),
            process: std::process::id(),
        }
    }

    /// An engine over a store that a test opened on its own disk.
    #[cfg(test)]
    pub(crate) fn on_test_store(store: Arc<Store>) -> Result<Engine> {
        // As in `open`.
        if store.resume_erasures(Duration::ZERO).is_err() {
            let _ = store.heal();
        }
        let settings = Settings {
            index_cache_bytes: 4 << 20,
            ..Settings::default()
        };
        let filter = PrivacyFilter::new(settings.privacy.clone())?;
        Ok(Engine::over(store, filter, String::new(), None, settings))
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;

    use super::*;
    use crate::Memory;
    use crate::model::event::{EventKind, NewEvent};

    #[test]
    fn handles_of_one_store_wait_as_long_as_the_first_of_them() {
        let folder = tempfile::tempdir().unwrap();
        let open = |ms| {
            let builder = Memory::builder().busy_timeout_ms(ms);
            builder.open(folder.path()).unwrap()
        };
        let (first, second) = (open(50), open(60_000));
        let (has_locked, is_locked) = mpsc::channel();
        let (may_end, end) = mpsc::channel();
        let store = &first.engine.store;
        std::thread::scope(|scope| {
            scope.spawn(move || {
                let locked = store.write(|_| {
                    has_locked.send(()).unwrap();
                    // If the second handle waited longer, it would have its turn.
                    let _ = end.recv_timeout(Duration::from_secs(5));
                    Ok(())
                });
                locked.unwrap();
            });
            is_locked.recv().unwrap();
            let refused = second.append(NewEvent::new(EventKind::UserPrompt, "s", "text"));
            assert_eq!(refused.unwrap_err().code(), ErrorCode::Busy);
            may_end.send(()).unwrap();
        });
    }
}
