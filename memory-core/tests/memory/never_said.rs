//! A question about what was never said gets no confident answer, however well something matches
//! the words for the kind of thing that it asks for.

use recallite::{EventKind, MatchClass, Memory, NewEvent};

fn class_of(memory: &Memory, question: &str) -> MatchClass {
    let found = memory.search(question).unwrap();
    let context = memory.context(question).unwrap();
    assert!(
        context.confidence == found.confidence || context.is_empty(),
        "{question}: {} {}",
        found.confidence,
        context.confidence
    );
    found.confidence
}

/// Messages, questions about what was never said, and questions that they answer.
const CASES: [(&[&str], &[&str], &[&str]); 4] = [
    (
        &[
            "Mira owns the checkout page.",
            "We decided against Kafka, a plain queue it is.",
            "The search index listens on port 9200.",
            "Staging runs version 3.2 of the gateway.",
            "The newsletter goes out on Thursdays.",
            "We start the loyalty program in spring.",
        ],
        &[
            "What did we decide about Terraform?",
            "Who owns the invoice service?",
            "What is the port of the print server?",
            "Which version of Elixir do we use?",
            "Who is responsible for the billing team?",
        ],
        &[
            "Who owns the checkout page?",
            "What did we decide about Kafka?",
            "When does the newsletter go out?",
            "Which port does the search index use?",
        ],
    ),
    (
        &[
            "체크아웃 페이지 담당자는 박서준이야.",
            "그래, Kafka는 안 쓰기로 했어.",
            "검색 색인은 9200 포트를 써.",
            "뉴스레터는 목요일에 나가.",
        ],
        &[
            "로열티 프로그램 담당자가 누구야?",
            "Terraform은 어떻게 하기로 했지?",
            "인쇄 서버는 어떤 포트를 써?",
        ],
        &[
            "체크아웃 페이지 담당자가 누구야?",
            "Kafka는 어떻게 하기로 했지?",
            "검색 색인은 어떤 포트를 써?",
        ],
    ),
    (
        &[
            "チェックアウト画面の担当は佐藤さんです。",
            "では、Kafkaは使わないことにしました。",
            "常にプルリクエストを使います。",
            "ニュースレターは木曜日に出します。",
            "レポートは毎週コードと一緒に保存します。",
        ],
        &[
            "ポイント制度の担当は誰ですか?",
            "監視は何を使いますか?",
            "会議室のWi-Fiのパスワードは?",
            "Terraformについて何を決めましたか?",
        ],
        &[
            "チェックアウト画面の担当は誰ですか?",
            "ニュースレターはいつですか?",
        ],
    ),
    (
        &[
            "结算页面的负责人是李雷。",
            "好,我们决定不用 Kafka,用简单队列。",
            "我们今天开始重写搜索服务。",
            "简报每周四发送。",
        ],
        &[
            "积分计划的负责人是谁?",
            "服务器的 IP 地址是什么?",
            "关于 Terraform 我们决定了什么?",
        ],
        &[
            "结算页面的负责人是谁?",
            "关于 Kafka 我们决定了什么?",
            "什么时候发送?",
        ],
    ),
];

#[test]
fn the_kind_of_thing_alone_is_no_confident_answer() {
    for (messages, never_said, said) in CASES {
        let folder = tempfile::tempdir().unwrap();
        let memory = Memory::open(folder.path()).unwrap();
        for (number, message) in messages.iter().enumerate() {
            let session = format!("s{number}");
            memory
                .append(NewEvent::new(EventKind::UserPrompt, session, *message))
                .unwrap();
        }
        for learns in [false, true] {
            while learns && memory.maintain(Default::default()).unwrap().has_more {}
            for question in never_said {
                let class = class_of(&memory, question);
                assert_ne!(class, MatchClass::High, "{question}");
            }
            for question in said {
                assert_eq!(class_of(&memory, question), MatchClass::High, "{question}");
            }
        }
    }
}
