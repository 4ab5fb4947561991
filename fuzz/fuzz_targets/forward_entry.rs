#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| recallite::testing::fuzz::forward_entry(bytes));
