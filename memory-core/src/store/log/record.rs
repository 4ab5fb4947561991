//! The byte format of a log record: a versioned envelope with the chained checksum,
//! followed by an rkyv archive that is read in place.
//!
//! ```text
//! offset  size  field
//!      0     1  record version (1)
//!      1     1  flags (bit 0: erased, bit 1: reduced)
//!      2     2  kind, little-endian
//!      4     4  archive length in bytes, little-endian
//!      8    32  checksum: BLAKE3 of the previous record's checksum, the
//!               version, the kind, the position and the digest
//!     40     8  first bytes of the digest: BLAKE3 of the archive. Of an erased
//!               or reduced record all 32, of the archive as first stored
//!     48     n  archive (erased: from 72, reduced: from 80)
//! ```
//!
//! The archive contains a random salt, so the digest kept in an erased record reveals
//! nothing about a short text.
//!
//! A *reduced* record (flag bit 1) is partly erased, but its rest still counts, for example
//! accesses of other events in the same batch. Like an erased record, it keeps the whole
//! digest of the archive as first stored; the first 8 bytes of the digest of what is left
//! are at 72, and that archive starts at 80.

mod archive;
mod encode;
mod layout;
mod view;

pub(crate) use archive::{Foreign, Record, Text, ToolFields};
pub(crate) use encode::{
    Remainder, chain_to, encode, encode_bare, encode_body, encode_left, erase, reduce,
};
pub(in crate::store) use layout::corrupt;
#[cfg(any(test, feature = "testing"))]
pub(crate) use layout::make_right;
pub(crate) use layout::{CHAIN_START, Form, VERSION};
pub(crate) use view::RecordView;

#[cfg(test)]
mod tests {
    use crate::model::event::{EventKind, Origin, PrivacyReport};
    use crate::store::log::record::archive::nothing_filtered;
    use crate::store::log::record::layout::OWN_DIGEST;
    use crate::store::log::record::*;

    fn sample() -> Record<'static> {
        Record {
            salt: [7; 16],
            id: [9; 16],
            timestamp_ms: 1_769_781_900_000,
            origin: Origin::User as u8,
            session: Text("s1"),
            project: Text("p"),
            actor: Text("user"),
            citation: Text("a7Bc3x"),
            content: Text("벡터 검색! 🎉"),
            metadata: Some(Text("{\"a\":1}")),
            tool: Some(ToolFields {
                name: Text("Bash"),
                metadata: Text("{}"),
                ..ToolFields::default()
            }),
            privacy: PrivacyReport {
                secret_count: 1,
                original_bytes: 40,
                filtered_bytes: 18,
                ..PrivacyReport::default()
            },
            dedupe: Some([3; 16]),
            foreign: Some(Foreign {
                store: [5; 16],
                position: 1 << 40,
                stamp_ms: -3,
                citation: Text("b8Cd4y"),
            }),
        }
    }

    #[test]
    fn an_erased_record_keeps_its_place_in_the_chain_and_nothing_of_the_text() {
        let kind = EventKind::UserPrompt;
        let stored = encode(1, kind, &sample(), &CHAIN_START).unwrap();
        let before = RecordView::new(1, &stored).unwrap();
        let bytes = erase(1, &stored, &|_, _| false).unwrap();
        let view = RecordView::new(1, &bytes).unwrap();
        assert!(view.is_erased() && view.continues(&CHAIN_START));
        assert_eq!(view.checksum(), before.checksum());
        assert_eq!(view.digest(), before.digest());
        assert_eq!(view.archive().unwrap().foreign, sample().foreign);
        let event = view.to_event().unwrap();
        assert_eq!(event.id.as_bytes(), &[9; 16]);
        assert_eq!(event.citation.as_str(), "a7Bc3x");
        assert!(event.content.is_empty() && event.session.is_empty() && event.tool.is_none());
        for secret in ["벡터".as_bytes(), b"Bash", b"s1", &[7; 16], &[3; 16]] {
            assert!(!bytes.windows(secret.len()).any(|part| part == secret));
        }
        assert_eq!(
            erase(1, &bytes, &|_, _| true).unwrap(),
            bytes,
            "erasing twice is erasing"
        );
    }

    #[test]
    fn a_reduced_record_keeps_its_place_and_what_is_left() {
        let left = Remainder {
            session: "other".into(),
            content: "the rest".into(),
            metadata: "{\"b\":2}".into(),
        };
        let kind = EventKind::Accessed;
        let stored = encode(1, kind, &sample(), &CHAIN_START).unwrap();
        let bytes = reduce(1, &stored, &left).unwrap();
        let view = RecordView::new(1, &bytes).unwrap();
        assert!(view.is_reduced() && !view.is_erased() && view.continues(&CHAIN_START));
        let event = view.to_event().unwrap();
        assert_eq!(
            (event.session.as_str(), event.content.as_str()),
            ("other", "the rest")
        );
        assert_eq!(event.metadata.unwrap().as_str(), "{\"b\":2}");
        for secret in ["벡터".as_bytes(), b"Bash", b"s1", &[7; 16], &[3; 16]] {
            assert!(!bytes.windows(secret.len()).any(|part| part == secret));
        }
        for at in OWN_DIGEST.end..bytes.len() {
            let mut broken = bytes.clone();
            broken[at] ^= 1;
            let view = RecordView::new(1, &broken).unwrap();
            assert!(view.archive().is_err(), "byte {at}");
        }
        let erased = erase(1, &bytes, &|_, _| true).unwrap();
        assert_eq!(erased, erase(1, &stored, &|_, _| false).unwrap());
    }

    #[test]
    fn a_record_comes_back_as_it_was_stored() {
        let kind = EventKind::UserPrompt;
        for record in [
            sample(),
            Record {
                privacy: nothing_filtered(&sample().content),
                tool: None,
                metadata: None,
                dedupe: None,
                foreign: None,
                ..sample()
            },
        ] {
            let stored = encode(1, kind, &record, &CHAIN_START).unwrap();
            let view = RecordView::new(1, &stored).unwrap();
            let back = view.archive().unwrap();
            assert_eq!(back, record);
            assert_eq!(view.to_event().unwrap().canonical_key, "벡터 검색");
            assert!(view.continues(&CHAIN_START));
            assert!(!view.continues(&[1; 32]));
        }
    }

    #[test]
    fn records_that_share_a_buffer_are_each_whole() {
        let mut buffer = Vec::new();
        let mut starts = Vec::new();
        for content in ["first", "두 번째", ""] {
            starts.push(buffer.len());
            let record = Record {
                content: Text(content),
                ..sample()
            };
            encode_body(&mut buffer, EventKind::UserPrompt, &record).unwrap();
        }
        starts.push(buffer.len());
        for (cut, content) in starts.windows(2).zip(["first", "두 번째", ""]) {
            let view = RecordView::new(1, &buffer[cut[0]..cut[1]]).unwrap();
            assert_eq!(view.archive().unwrap().content.as_str(), content);
        }
    }

    #[test]
    fn every_flipped_bit_is_an_error_or_breaks_the_chain() {
        let stored = encode(3, EventKind::UserPrompt, &sample(), &[5; 32]).unwrap();
        for at in 0..stored.len() {
            for bit in 0..8 {
                let mut bytes = stored.clone();
                bytes[at] ^= 1 << bit;
                let intact = RecordView::new(3, &bytes)
                    .and_then(|view| view.to_event().map(|_| view.continues(&[5; 32])));
                // Only unused flag bits may go unnoticed.
                assert!(
                    at == 1 || !matches!(intact, Ok(true)),
                    "byte {at} bit {bit}"
                );
            }
        }
    }

    #[test]
    fn every_truncation_is_an_error() {
        let kind = EventKind::UserPrompt;
        let stored = encode(1, kind, &sample(), &CHAIN_START).unwrap();
        for length in 0..stored.len() {
            assert!(RecordView::new(1, &stored[..length]).is_err());
        }
    }
}
