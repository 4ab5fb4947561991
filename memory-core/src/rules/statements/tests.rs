//! Tests of the rules together, from a message to its findings and to what they replace.

mod labelled;
mod lookalikes;
mod replaced;

use super::*;
use crate::rules::pattern::tests::holds_for_matches;

#[test]
fn what_may_match_is_compiled() {
    for pattern in [&HANDS_OVER, &CHOOSES, &DECIDES] {
        holds_for_matches(&pattern.source());
    }
}
