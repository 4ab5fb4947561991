//! Whether a stream has colours.

use clap::ColorChoice;

/// The colour choice of the arguments for a stream that decides by itself.
pub(crate) fn choice(color: ColorChoice) -> anstream::ColorChoice {
    match color {
        ColorChoice::Auto => anstream::ColorChoice::Auto,
        ColorChoice::Always => anstream::ColorChoice::Always,
        ColorChoice::Never => anstream::ColorChoice::Never,
    }
}
