//! Wraps the storage engine's tables so that damage becomes an error at every step of
//! reading.
//!
//! The types have the engine's names and methods. In addition they report damage as
//! `corrupt`, naming file and table; read each value once before handing it out, so that
//! reading it again cannot fail; return from a range only keys within its bounds and in
//! order, whatever the pages say; and return from a whole table exactly as many rows as it
//! claims to have. Changes go through them too, so that a write can note which rows it
//! changed.

#![allow(clippy::disallowed_types, reason = "the one place that wraps them")]

use std::borrow::Borrow;
use std::cmp::Ordering;
use std::ops::{Bound, Deref, DerefMut};
use std::sync::Arc;

use parking_lot::Mutex;
use redb::{
    AccessGuard, Key, KeyRange, OwnedAccessGuard, ReadableDatabase, ReadableTableMetadata,
    StorageError, TableDefinition, TableHandle, Value,
};

use crate::model::error::{Error, ErrorCode, Result};
use crate::store::database::panics::{self, catch_panic, drop_quietly};
use crate::store::database::watched::{Database, Watch};
use crate::store::generations::changed_keys::ChangedKeys;

/// A part of the engine that is dropped inside the net. Otherwise a destructor that runs
/// into the state left by an assertion, while that one unwinds, would abort the process.
pub(in crate::store) struct Held<T>(Option<T>);

impl<T> Held<T> {
    pub(in crate::store) fn new(part: T) -> Self {
        Held(Some(part))
    }

    /// Moves the part out, for a call that consumes it.
    pub(in crate::store) fn into_inner(mut self) -> T {
        self.0.take().expect("only this and the drop take it out")
    }
}

impl<T> Deref for Held<T> {
    type Target = T;

    fn deref(&self) -> &T {
        self.0.as_ref().expect("only the drop takes it out")
    }
}

impl<T> DerefMut for Held<T> {
    fn deref_mut(&mut self) -> &mut T {
        self.0.as_mut().expect("only the drop takes it out")
    }
}

impl<I: Iterator> Iterator for Held<I> {
    type Item = I::Item;

    fn next(&mut self) -> Option<I::Item> {
        self.0.as_mut().and_then(Iterator::next)
    }
}

impl<T> Drop for Held<T> {
    fn drop(&mut self) {
        let part = self.0.take();
        drop_quietly(|| drop(part));
    }
}

/// A file being read: its name in errors, and its watch.
#[derive(Clone, Debug)]
struct Source {
    name: Arc<str>,
    watch: Arc<Watch>,
}

/// The place of a read, for errors. Reads of a write transaction are watched with the write
/// as a whole.
#[derive(Clone, Debug)]
struct ReadPlace {
    source: Option<Source>,
    table: Arc<str>,
}

impl ReadPlace {
    /// Runs a step of reading; an error about damage names the place.
    fn run<T>(&self, step: impl FnOnce() -> Result<T>) -> Result<T> {
        let done = match &self.source {
            Some(source) => source.watch.reading(step),
            None => catch_panic(step),
        };
        done.map_err(|error| match error.code() {
            ErrorCode::Corrupt => self.corrupt(error.message()),
            _ => error,
        })
    }

    fn corrupt(&self, problem: &str) -> Error {
        let file = self
            .source
            .as_ref()
            .map_or(String::new(), |source| format!("{}, ", source.name));
        Error::new(
            ErrorCode::Corrupt,
            format!("{file}table {}: {problem}", self.table),
        )
    }
}

/// One consistent view of a store file.
pub(crate) struct ReadTransaction {
    transaction: Held<redb::ReadTransaction>,
    source: Source,
}

impl ReadTransaction {
    /// Begins to read; errors name `file`.
    pub(in crate::store) fn begin(database: &Database, file: &str) -> Result<Self> {
        let watch = database.watch().clone();
        let transaction = watch.reading(|| Ok(database.engine().begin_read()?))?;
        Ok(ReadTransaction {
            transaction: Held::new(transaction),
            source: Source {
                name: file.into(),
                watch,
            },
        })
    }

    pub(in crate::store) fn open_table<K: Key + 'static, V: Value + 'static>(
        &self,
        table: TableDefinition<'_, K, V>,
    ) -> Result<ReadOnlyTable<K, V>> {
        let place = ReadPlace {
            source: Some(self.source.clone()),
            table: table.name().into(),
        };
        let table = place.run(|| Ok(self.transaction.open_table(table)?))?;
        Ok(ReadOnlyTable {
            table: Held::new(table),
            place,
        })
    }

    /// The number of tables in the file.
    pub(in crate::store) fn count_tables(&self) -> Result<usize> {
        let tables = || Ok(self.transaction.list_tables()?.count());
        self.source.watch.reading(tables)
    }

    /// Whether the file has this table.
    pub(in crate::store) fn has_table(&self, name: &str) -> Result<bool> {
        self.source.watch.reading(|| {
            let mut tables = self.transaction.list_tables()?;
            Ok(tables.any(|table| table.name() == name))
        })
    }
}

/// A table of a [`ReadTransaction`].
pub(crate) struct ReadOnlyTable<K: Key + 'static, V: Value + 'static> {
    table: Held<redb::ReadOnlyTable<K, V>>,
    place: ReadPlace,
}

impl<K: Key + 'static, V: Value + 'static> ReadOnlyTable<K, V> {
    /// The number of rows that the table claims to have.
    pub(in crate::store) fn len(&self) -> Result<u64> {
        self.place.run(|| Ok(self.table.len()?))
    }

    pub(in crate::store) fn is_empty(&self) -> Result<bool> {
        Ok(self.len()? == 0)
    }

    /// The value of a key; it keeps its page and this view of the file alive.
    pub(in crate::store) fn get_held<'a>(
        &self,
        key: impl Borrow<K::SelfType<'a>>,
    ) -> Result<Option<HeldValue<V>>> {
        self.place.run(|| {
            let found = self.table.get_owned(key)?;
            if let Some(value) = &found {
                let _ = value.value();
            }
            Ok(found.map(|value| HeldValue(Held::new(value))))
        })
    }
}

/// A value that outlives the table it was read from.
pub(in crate::store) struct HeldValue<V: Value + 'static>(Held<OwnedAccessGuard<V>>);

impl<V: Value + 'static> HeldValue<V> {
    pub(in crate::store) fn value(&self) -> V::SelfType<'_> {
        self.0.value()
    }
}

/// Reading a table, in a read or a write transaction.
pub(crate) trait ReadableTable<K: Key + 'static, V: Value + 'static> {
    /// The value of a key.
    fn get<'a>(&self, key: impl Borrow<K::SelfType<'a>>) -> Result<Option<AccessGuard<'_, V>>>;

    /// The rows between two keys, in order.
    fn range(&self, range: impl KeyRange<K>) -> Result<Range<'_, K, V>>;

    /// Every row, in order.
    fn iter(&self) -> Result<Range<'_, K, V>>;

    /// The first row.
    fn first(&self) -> Result<Option<Row<'_, K, V>>> {
        self.iter()?.next().transpose()
    }

    /// The last row.
    fn last(&self) -> Result<Option<Row<'_, K, V>>> {
        self.iter()?.next_back().transpose()
    }
}

/// A row as a range gives it.
type Row<'a, K, V> = (AccessGuard<'a, K>, AccessGuard<'a, V>);

impl<K: Key + 'static, V: Value + 'static> ReadableTable<K, V> for ReadOnlyTable<K, V> {
    fn get<'a>(&self, key: impl Borrow<K::SelfType<'a>>) -> Result<Option<AccessGuard<'_, V>>> {
        self.place.run(|| {
            let found = redb::ReadableTable::get(&*self.table, key)?;
            if let Some(value) = &found {
                let _ = value.value();
            }
            Ok(found)
        })
    }

    fn range(&self, range: impl KeyRange<K>) -> Result<Range<'_, K, V>> {
        let bounds = range.key_bounds();
        let inner = self
            .place
            .run(|| Ok(redb::ReadableTable::range(&*self.table, range)?))?;
        Ok(Range::new(inner, bounds, self.place.clone()))
    }

    fn iter(&self) -> Result<Range<'_, K, V>> {
        let (inner, rows) = self
            .place
            .run(|| Ok((redb::ReadableTable::iter(&*self.table)?, self.table.len()?)))?;
        Ok(Range::whole(inner, rows, self.place.clone()))
    }
}

/// One write transaction, inside the net of the call that makes it.
pub(crate) struct WriteTransaction {
    transaction: Held<redb::WriteTransaction>,
    /// The changed rows, if they are being noted.
    changed: Option<Mutex<ChangedKeys>>,
}

impl WriteTransaction {
    pub(in crate::store) fn begin(database: &Database) -> Result<Self> {
        let begun = catch_panic(|| Ok(database.engine().begin_write()?))?;
        Ok(WriteTransaction {
            transaction: Held::new(begun),
            changed: None,
        })
    }

    pub(in crate::store) fn open_table<K: Key + 'static, V: Value + 'static>(
        &self,
        table: TableDefinition<'_, K, V>,
    ) -> Result<Table<'_, K, V>> {
        Ok(Table {
            changed: self.changed.as_ref(),
            table: Held::new(self.transaction.open_table(table)?),
        })
    }

    pub(in crate::store) fn delete_table<K: Key + 'static, V: Value + 'static>(
        &self,
        table: TableDefinition<'_, K, V>,
    ) -> Result<bool> {
        if let Some(changed) = &self.changed {
            changed.lock().add_all(table.name());
        }
        Ok(self.transaction.delete_table(table)?)
    }

    /// Starts noting which rows are changed.
    pub(in crate::store) fn note_changes(&mut self) {
        self.changed = Some(Mutex::default());
    }

    /// Takes the changed rows and stops noting.
    pub(in crate::store) fn changes(&mut self) -> ChangedKeys {
        self.changed
            .take()
            .map(Mutex::into_inner)
            .unwrap_or_default()
    }

    pub(in crate::store) fn set_quick_repair(&mut self, is_quick: bool) {
        self.transaction.set_quick_repair(is_quick);
    }

    /// Commits, unless a damaged page was read in the meantime.
    pub(in crate::store) fn commit(self) -> Result<()> {
        panics::no_damage()?;
        catch_panic(|| Ok(self.transaction.into_inner().commit()?))
    }

    pub(in crate::store) fn abort(self) -> Result<()> {
        catch_panic(|| Ok(self.transaction.into_inner().abort()?))
    }
}

/// A table of a [`WriteTransaction`]: the engine's own, with checked reads and noted
/// changes.
pub(crate) struct Table<'t, K: Key + 'static, V: Value + 'static> {
    table: Held<redb::Table<'t, K, V>>,
    changed: Option<&'t Mutex<ChangedKeys>>,
}

impl<'t, K: Key + 'static, V: Value + 'static> Deref for Table<'t, K, V> {
    type Target = redb::Table<'t, K, V>;

    fn deref(&self) -> &Self::Target {
        &self.table
    }
}

/// Changes rows, with the engine's names and errors.
impl<'t, K: Key + 'static, V: Value + 'static> Table<'t, K, V> {
    /// Notes that a row changes.
    pub(in crate::store) fn note(&self, key: &K::SelfType<'_>) {
        note::<K>(self.changed, self.table.name(), key);
    }

    /// The engine's table, for changes that are noted elsewhere or not at all.
    pub(in crate::store) fn unnoted(&mut self) -> &mut redb::Table<'t, K, V> {
        &mut self.table
    }

    pub(in crate::store) fn insert<'k, 'v>(
        &mut self,
        key: impl Borrow<K::SelfType<'k>>,
        value: impl Borrow<V::SelfType<'v>>,
    ) -> Result<Option<AccessGuard<'_, V>>, StorageError> {
        self.note(key.borrow());
        self.table.insert(key, value)
    }

    pub(in crate::store) fn remove<'k>(
        &mut self,
        key: impl Borrow<K::SelfType<'k>>,
    ) -> Result<Option<AccessGuard<'_, V>>, StorageError> {
        self.note(key.borrow());
        self.table.remove(key)
    }

    pub(in crate::store) fn retain(
        &mut self,
        stays: impl for<'f> FnMut(K::SelfType<'f>, V::SelfType<'f>) -> bool,
    ) -> Result<(), StorageError> {
        let name = self.table.name().to_owned();
        self.table.retain(noting::<K, V>(self.changed, name, stays))
    }

    /// Removes every row; rows that are not visited stay.
    pub(in crate::store) fn extract_all(&mut self) -> Result<Extracted<'_, K, V>, StorageError> {
        let rows = self
            .changed
            .map(|changed| (changed, self.table.name().to_owned()));
        let all = self.table.extract_if(|_, _| true)?;
        Ok(Box::new(
            all.inspect(move |row| note_row::<K, V>(&rows, row)),
        ))
    }

    /// Like [`Table::extract_all`], for the rows between two keys.
    pub(in crate::store) fn extract_in(
        &mut self,
        range: impl KeyRange<K>,
    ) -> Result<Extracted<'_, K, V>, StorageError> {
        let rows = self
            .changed
            .map(|changed| (changed, self.table.name().to_owned()));
        let some = self.table.extract_from_if(range, |_, _| true)?;
        Ok(Box::new(
            some.inspect(move |row| note_row::<K, V>(&rows, row)),
        ))
    }
}

/// An iterator that removes the rows it returns from a table.
type Extracted<'a, K, V> = Box<dyn Iterator<Item = Result<Row<'a, K, V>, StorageError>> + 'a>;

fn note_row<K: Key + 'static, V: Value + 'static>(
    rows: &Option<(&Mutex<ChangedKeys>, String)>,
    row: &Result<Row<'_, K, V>, StorageError>,
) {
    if let (Some((changed, table)), Ok((key, _))) = (rows, row) {
        note::<K>(Some(changed), table, &key.value());
    }
}

fn note<K: Key>(changed: Option<&Mutex<ChangedKeys>>, table: &str, key: &K::SelfType<'_>) {
    if let Some(changed) = changed {
        changed.lock().add(table, K::as_bytes(key).as_ref());
    }
}

/// A retain predicate that notes the removed rows.
fn noting<'t, K: Key + 'static, V: Value + 'static>(
    changed: Option<&'t Mutex<ChangedKeys>>,
    table: String,
    mut stays: impl for<'f> FnMut(K::SelfType<'f>, V::SelfType<'f>) -> bool,
) -> impl for<'f> FnMut(K::SelfType<'f>, V::SelfType<'f>) -> bool {
    move |key, value| {
        let bytes = changed.map(|_| K::as_bytes(&key).as_ref().to_vec());
        let stays = stays(key, value);
        if let (Some(changed), Some(bytes), false) = (changed, bytes, stays) {
            changed.lock().add(&table, &bytes);
        }
        stays
    }
}

impl<K: Key + 'static, V: Value + 'static> ReadableTable<K, V> for Table<'_, K, V> {
    fn get<'a>(&self, key: impl Borrow<K::SelfType<'a>>) -> Result<Option<AccessGuard<'_, V>>> {
        Ok(redb::ReadableTable::get(&**self, key)?)
    }

    fn range(&self, range: impl KeyRange<K>) -> Result<Range<'_, K, V>> {
        let bounds = range.key_bounds();
        let inner = redb::ReadableTable::range(&**self, range)?;
        Ok(Range::new(inner, bounds, place_of(&**self)))
    }

    fn iter(&self) -> Result<Range<'_, K, V>> {
        let inner = redb::ReadableTable::iter(&**self)?;
        Ok(Range::whole(inner, self.len()?, place_of(&**self)))
    }
}

fn place_of(table: &impl TableHandle) -> ReadPlace {
    ReadPlace {
        source: None,
        table: table.name().into(),
    }
}

/// Keys in the engine's encoding and order.
type Bounds = (Bound<Vec<u8>>, Bound<Vec<u8>>);

/// Rows in key order. The iterator ends after an error.
pub(crate) struct Range<'a, K: Key + 'static, V: Value + 'static> {
    inner: Held<redb::Range<'a, K, V>>,
    /// The bounds of the remaining keys.
    bounds: Bounds,
    /// The expected number of rows; known only for a whole table.
    rows: Option<u64>,
    given: u64,
    place: ReadPlace,
    has_failed: bool,
}

impl<'a, K: Key + 'static, V: Value + 'static> Range<'a, K, V> {
    fn new(inner: redb::Range<'a, K, V>, bounds: Bounds, place: ReadPlace) -> Self {
        Range {
            inner: Held::new(inner),
            bounds,
            rows: None,
            given: 0,
            place,
            has_failed: false,
        }
    }

    fn whole(inner: redb::Range<'a, K, V>, rows: u64, place: ReadPlace) -> Self {
        Range {
            rows: Some(rows),
            ..Range::new(inner, (Bound::Unbounded, Bound::Unbounded), place)
        }
    }

    fn step(
        &mut self,
        take: impl FnOnce(&mut redb::Range<'a, K, V>) -> Option<Result<Row<'a, K, V>, StorageError>>,
        narrow: impl FnOnce(&mut Bounds, &[u8]),
    ) -> Option<Result<Row<'a, K, V>>> {
        if self.has_failed {
            return None;
        }
        let (inner, bounds) = (&mut self.inner, &mut self.bounds);
        let (rows, given) = (self.rows, &mut self.given);
        let step = self.place.run(|| {
            let Some(row) = take(&mut *inner) else {
                return match rows {
                    Some(rows) if rows != *given => Err(panics::damaged_because(&format!(
                        "{given} of {rows} rows can be read"
                    ))),
                    _ => Ok(None),
                };
            };
            *given += 1;
            let row = row?;
            {
                let key = row.0.value();
                let key = K::as_bytes(&key);
                if !is_within::<K>(bounds, key.as_ref()) {
                    return Err(panics::damaged_because("its keys are out of order"));
                }
                narrow(bounds, key.as_ref());
                let _ = row.1.value();
            }
            Ok(Some(row))
        });
        self.has_failed = step.is_err();
        step.transpose()
    }
}

fn is_within<K: Key>(bounds: &Bounds, key: &[u8]) -> bool {
    let is_after = match &bounds.0 {
        Bound::Unbounded => true,
        Bound::Included(first) => K::compare(first, key) != Ordering::Greater,
        Bound::Excluded(before) => K::compare(before, key) == Ordering::Less,
    };
    is_after
        && match &bounds.1 {
            Bound::Unbounded => true,
            Bound::Included(last) => K::compare(key, last) != Ordering::Greater,
            Bound::Excluded(after) => K::compare(key, after) == Ordering::Less,
        }
}

/// Moves `bound` to a key, reusing its memory.
fn exclude(bound: &mut Bound<Vec<u8>>, key: &[u8]) {
    let mut bytes = match std::mem::replace(bound, Bound::Unbounded) {
        Bound::Included(bytes) | Bound::Excluded(bytes) => bytes,
        Bound::Unbounded => Vec::new(),
    };
    bytes.clear();
    bytes.extend_from_slice(key);
    *bound = Bound::Excluded(bytes);
}

impl<'a, K: Key + 'static, V: Value + 'static> Iterator for Range<'a, K, V> {
    type Item = Result<Row<'a, K, V>>;

    fn next(&mut self) -> Option<Self::Item> {
        self.step(Iterator::next, |bounds, key| exclude(&mut bounds.0, key))
    }
}

impl<K: Key + 'static, V: Value + 'static> DoubleEndedIterator for Range<'_, K, V> {
    fn next_back(&mut self) -> Option<Self::Item> {
        self.step(DoubleEndedIterator::next_back, |bounds, key| {
            exclude(&mut bounds.1, key)
        })
    }
}
