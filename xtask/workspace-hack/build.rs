//! Does nothing: without a build script, the features of the build dependencies would not count.

fn main() {}
