//! The graph between events, entries and entities.

use recallite::Result;
use recallite::rules::entries::EntryId;
use recallite::rules::graph::NodeType;
use recallite::rules::tasks::EntityId;

use crate::call::{guard_free, optional_out, out, with_memory};
use crate::error::recallite_error;
use crate::input::{self, Input};
use crate::open::recallite_memory;
use crate::owned::{self, Parts};
use crate::owned::{Listed, Show, give_list};
use crate::status::recallite_status;
use crate::text::recallite_str;
use crate::words::{self};

/// A node of the graph. Begin with RECALLITE_INIT(recallite_node); both fields
/// must be given.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct recallite_node {
    /// sizeof(recallite_node).
    pub struct_size: usize,
    /// The entry, entity or event.
    pub id: recallite_str,
    /// What it is: one of recallite_node_type.
    pub node_type: i32,
}

// SAFETY: repr(C), the size comes first, and numbers, bytes and raw pointers
// take every bit pattern.
unsafe impl Input for recallite_node {
    const FIRST_SIZE: usize = size_of::<recallite_node>();
}

/// An entry that proves something about the same entities as another.
#[derive(Debug)]
#[repr(C)]
pub struct recallite_related_entry {
    /// The entry.
    pub entry_id: recallite_str,
    /// The entities that both prove something about.
    pub entities: *const recallite_str,
    /// How many.
    pub entities_len: usize,
}

/// Several related entries. Free it with recallite_related_entry_list_free.
#[derive(Debug)]
#[repr(C)]
pub struct recallite_related_entry_list {
    /// Pointers to the related entries.
    pub items: *const *const recallite_related_entry,
    /// How many.
    pub len: usize,
}

/// Replaces every edge of one relation from a node, at once.
///
/// @param[in] memory the memory.
/// @param[in] source where the edges start.
/// @param[in] relation what they say: one of recallite_relation.
/// @param[in] targets the new destinations, each with the same struct_size.
/// @param[in] targets_len how many, at most 10,000; 0 removes the edges.
/// @param[out] removed how many edges were removed; may be NULL.
/// @param[out] added how many were made; may be NULL.
/// @param[out] error set on failure; may be NULL.
/// @return as recallite_knowledge_add_edge, naming "source" or the target, for example
///     "targets[3]". Nothing is changed then.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recallite_knowledge_replace_edges(
    memory: *mut recallite_memory,
    source: *const recallite_node,
    relation: i32,
    targets: *const recallite_node,
    targets_len: usize,
    removed: *mut usize,
    added: *mut usize,
    error: *mut *mut recallite_error,
) -> recallite_status {
    with_memory(memory, error, |memory| {
        // SAFETY: the caller's pointers are valid or NULL, as the header asks.
        let (source, targets, removed, added) = unsafe {
            let source = input::read("source", source)?;
            (
                node(&source).map_err(|error| input::within("source", error))?,
                // SAFETY: the texts of the nodes are absent or readable.
                input::structs("targets", targets, targets_len, |target| node(target))?,
                optional_out("removed", removed)?,
                optional_out("added", added)?,
            )
        };
        let relation = words::word("relation", relation)?;
        let counts = memory
            .knowledge()
            .replace_edges((source.0, &source.1), relation, &targets)?;
        removed.set(counts.0);
        added.set(counts.1);
        Ok(())
    })
}

/// The entries that prove something about an entity which this entry proves
/// something about too.
///
/// @param[in] memory the memory.
/// @param[in] entry the entry.
/// @param[out] related the entries by ascending id, to be freed with
///     recallite_related_entry_list_free.
/// @param[out] error set on failure; may be NULL.
/// @return RECALLITE_NOT_FOUND when there is no such entry; RECALLITE_CORRUPT
///     or RECALLITE_IO when the store cannot be read.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recallite_knowledge_related_entries(
    memory: *mut recallite_memory,
    entry: recallite_str,
    related: *mut *mut recallite_related_entry_list,
    error: *mut *mut recallite_error,
) -> recallite_status {
    with_memory(memory, error, |memory| {
        // SAFETY: the caller's pointers are valid or NULL, as the header asks.
        let (entry, related) = unsafe { (entry.required("entry")?, out("related", related)?) };
        let found: Vec<_> = memory
            .knowledge()
            .related_entries(&EntryId::new(entry))?
            .into_iter()
            .collect();
        related.set(give_list(found));
        Ok(())
    })
}

/// Frees a list of related entries. NULL is fine.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recallite_related_entry_list_free(
    related: *mut recallite_related_entry_list,
) {
    // SAFETY: a pointer of this library that was not freed yet, or NULL.
    guard_free(|| unsafe { owned::free(related) });
}

/// # Safety
/// The text of `node` is absent or readable.
unsafe fn node(node: &recallite_node) -> Result<(NodeType, String)> {
    // SAFETY: the caller keeps the same condition.
    let id = unsafe { node.id.required("id") }?;
    Ok((words::word("node_type", node.node_type)?, id.to_owned()))
}

impl Show for (EntryId, Vec<EntityId>) {
    type View = recallite_related_entry;

    fn show(self, parts: &mut Parts) -> recallite_related_entry {
        let (entry, entities) = self;
        let (entities, entities_len) = parts.values(entities);
        recallite_related_entry {
            entry_id: entry.show(parts),
            entities,
            entities_len,
        }
    }
}

impl Listed for (EntryId, Vec<EntityId>) {
    type List = recallite_related_entry_list;

    fn listed(
        items: *const *const recallite_related_entry,
        len: usize,
    ) -> recallite_related_entry_list {
        recallite_related_entry_list { items, len }
    }
}
