#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let folder = tempfile::tempdir().expect("a temporary folder");
    recallite::testing::fuzz::operations(folder.path(), bytes).expect("a sound disk");
});
