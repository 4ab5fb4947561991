#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let folder = tempfile::tempdir().expect("a temporary folder");
    recallite::testing::fuzz::forged_log(folder.path(), bytes).expect("a usable store");
});
