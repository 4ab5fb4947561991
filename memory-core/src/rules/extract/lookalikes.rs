//! Sentences that look like findings and are none, and their sisters that are: written by an
//! enemy of the rules, by kind of mistake.

use super::{Speaker, find};

/// The kinds of the findings in what a user says.
fn kinds(text: &str) -> Vec<&'static str> {
    let found = find(text, Speaker::User, &[]);
    found.iter().map(|finding| finding.kind.as_str()).collect()
}

fn says_nothing(texts: &[&str]) {
    for text in texts {
        assert_eq!(kinds(text), [""; 0], "{text}");
    }
}

fn says(kind: &str, texts: &[&str]) {
    for text in texts {
        assert_eq!(kinds(text), [kind], "{text}");
    }
}

#[test]
fn quotations_of_several_sentences_are_not_the_speakers_words() {
    let long = "Many words that say little. ".repeat(20);
    says_nothing(&[
        "The vendor wrote: \"Thanks for reaching out. We decided to drop MySQL support. Best of luck.\"",
        "He wrote “Thanks.\nWe decided to drop MySQL support.\nAlways use tabs.\nBest of luck.”",
        "They replied:\n\n\"Hi,\n\nWe decided to drop MySQL support.\n\nBest\"",
        "“We decided to drop MySQL support.\n\n“We must never use tabs.”",
        "She wrote: 'Thanks for asking. We decided to drop MySQL support. Bye.'",
        "Réponse : « Merci. We decided to drop MySQL support. Bonne chance. »",
        &format!("The mail: “{long}We decided to drop MySQL support. Bye.”"),
        "벤더 답장: \"연락 감사합니다. MySQL을 빼기로 결정했습니다. 감사합니다.\"",
        "ベンダーの返信：「感謝します。MySQLを使わないことに決めました。\nよろしく。」",
        "他们回复说：“感谢来信。我们决定放弃 MySQL。祝好。”",
    ]);
    says(
        "decision",
        &[
            "The vendor wrote: \"Thanks. We like MySQL. Best.\" So we decided to drop MySQL support.",
            "Let's use \"Redis\" for the sessions.",
            "The 5\" screen is \"bad\". We decided to drop MySQL support.",
            "He never closed it: \"foo bar. We decided to drop MySQL support.",
            "I never closed “this one. We decided to drop MySQL support.",
            "It's the users' table. We decided to drop MySQL's driver.",
            "“Redis”で行きましょう。",
            "表名就用“orders_v2”。",
            "\"orders_v2\"로 가자.",
        ],
    );
}
