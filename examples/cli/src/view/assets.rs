//! The files that the pages load, in the program itself.

use std::hash::{DefaultHasher, Hash as _, Hasher as _};

macro_rules! assets {
    ($($name:literal: $kind:literal),* $(,)?) => {
        const ASSETS: &[(&str, &str, &str)] =
            &[$(($name, $kind, include_str!(concat!("assets/", $name)))),*];
    };
}

assets! {
    "app.js": "text/javascript; charset=utf-8",
    "api.js": "text/javascript; charset=utf-8",
    "dom.js": "text/javascript; charset=utf-8",
    "graph.js": "text/javascript; charset=utf-8",
    "pages.js": "text/javascript; charset=utf-8",
    "parts.js": "text/javascript; charset=utf-8",
    "remove.js": "text/javascript; charset=utf-8",
    "words.js": "text/javascript; charset=utf-8",
    "style.css": "text/css; charset=utf-8",
    "icon.svg": "image/svg+xml",
}

pub(super) struct Assets {
    /// A separate asset folder for each build, so that a browser may cache the assets and never
    /// mixes two builds.
    version: String,
}

impl Assets {
    pub(super) fn new() -> Assets {
        let mut hasher = DefaultHasher::new();
        ASSETS.hash(&mut hasher);
        Assets {
            version: format!("{:016x}", hasher.finish()),
        }
    }

    /// The folder of this build.
    pub(super) fn version(&self) -> &str {
        &self.version
    }

    /// A file of this build, by its name: its type and its text.
    pub(super) fn find(&self, version: &str, name: &str) -> Option<(&'static str, &'static str)> {
        let asset = ASSETS.iter().find(|(known, ..)| *known == name);
        let (_, kind, text) = asset.filter(|_| version == self.version)?;
        Some((kind, text))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_file_makes_markup_of_text() {
        for (name, _, text) in ASSETS {
            assert!(!text.contains("innerHTML"), "{name}");
        }
    }
}
