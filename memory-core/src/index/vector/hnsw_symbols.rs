//! Keeps the C functions of `hnsw_rs` out of the exports of our shared libraries.
//!
//! `hnsw_rs` defines 64 of them without a prefix (in its `libext.rs`), and rustc exports such
//! functions of every dependency. If two shared libraries of a process export the same name, the
//! first one serves both. ELF linkers give a symbol the most constrained visibility that any object
//! file declares, with and without LTO, so declaring it here is enough. On other platforms the
//! exports of one library do not interpose those of another.
//!
//! In static libraries, and thus in programs, they remain ordinary symbols. The tests of the C,
//! Node and Python packages compare the actual exports with the intended ones.

#![allow(
    unsafe_code,
    reason = "no code: the names of symbols and their visibility"
)]

/// Called by users of the crate so that linkers pull in the object file with these declarations,
/// which nothing else refers to.
#[inline(never)]
pub(super) fn take_in() {}

std::arch::global_asm!(
    ".hidden drop_hnsw_f32",
    ".hidden drop_hnsw_u16",
    ".hidden file_dump_f32",
    ".hidden file_dump_i32",
    ".hidden file_dump_u16",
    ".hidden file_dump_u32",
    ".hidden file_dump_u8",
    ".hidden get_hnswio",
    ".hidden init_hnsw_f32",
    ".hidden init_hnsw_i32",
    ".hidden init_hnsw_ptrdist_f32",
    ".hidden init_hnsw_ptrdist_i32",
    ".hidden init_hnsw_ptrdist_u16",
    ".hidden init_hnsw_ptrdist_u32",
    ".hidden init_hnsw_ptrdist_u8",
    ".hidden init_hnsw_u16",
    ".hidden init_hnsw_u32",
    ".hidden init_hnsw_u8",
    ".hidden init_rust_log",
    ".hidden insert_f32",
    ".hidden insert_i32",
    ".hidden insert_u16",
    ".hidden insert_u32",
    ".hidden insert_u8",
    ".hidden load_hnsw_description",
    ".hidden load_hnswdump_NoData_DistNoDist",
    ".hidden load_hnswdump_f32_DistCosine",
    ".hidden load_hnswdump_f32_DistDot",
    ".hidden load_hnswdump_f32_DistJeffreys",
    ".hidden load_hnswdump_f32_DistJensenShannon",
    ".hidden load_hnswdump_f32_DistL1",
    ".hidden load_hnswdump_f32_DistL2",
    ".hidden load_hnswdump_i32_DistHamming",
    ".hidden load_hnswdump_i32_DistL1",
    ".hidden load_hnswdump_i32_DistL2",
    ".hidden load_hnswdump_u16_DistHamming",
    ".hidden load_hnswdump_u16_DistL1",
    ".hidden load_hnswdump_u16_DistL2",
    ".hidden load_hnswdump_u16_DistLevenshtein",
    ".hidden load_hnswdump_u32_DistHamming",
    ".hidden load_hnswdump_u32_DistJaccard",
    ".hidden load_hnswdump_u32_DistL1",
    ".hidden load_hnswdump_u32_DistL2",
    ".hidden load_hnswdump_u8_DistHamming",
    ".hidden load_hnswdump_u8_DistJaccard",
    ".hidden load_hnswdump_u8_DistL1",
    ".hidden load_hnswdump_u8_DistL2",
    ".hidden new_hnsw_f32",
    ".hidden new_hnsw_u16",
    ".hidden parallel_insert_f32",
    ".hidden parallel_insert_i32",
    ".hidden parallel_insert_u16",
    ".hidden parallel_insert_u32",
    ".hidden parallel_insert_u8",
    ".hidden parallel_search_neighbours_f32",
    ".hidden parallel_search_neighbours_i32",
    ".hidden parallel_search_neighbours_u16",
    ".hidden parallel_search_neighbours_u32",
    ".hidden parallel_search_neighbours_u8",
    ".hidden search_neighbours_f32",
    ".hidden search_neighbours_i32",
    ".hidden search_neighbours_u16",
    ".hidden search_neighbours_u32",
    ".hidden search_neighbours_u8",
);

#[cfg(test)]
mod tests {
    /// A Rust host reads their names in the documentation of the crate.
    #[test]
    fn every_symbol_is_in_the_documentation_of_the_crate() {
        let declared: Vec<&str> = include_str!("hnsw_symbols.rs")
            .lines()
            .filter_map(|line| line.trim().strip_prefix("\".hidden "))
            .filter_map(|line| line.strip_suffix("\","))
            .collect();
        assert_eq!(declared.len(), 64);
        let told = include_str!("../../lib.rs");
        for name in declared {
            assert!(told.contains(&format!("`{name}`")), "{name}");
        }
    }
}
