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

#[test]
fn observed_behaviour_is_no_instruction() {
    says_nothing(&[
        "Bug: always returns an empty list.",
        "Always crashes on startup.",
        "Always returns 404 for the second page.",
        "Issue: never releases the lock.",
        "Actual: always shows the old price.",
        "Never crashed before the update.",
        "버그: 항상 빈 목록을 줘요.",
        "バグ：いつも空のリストを返して落ちる。",
        "Bug：总是返回空列表，请修。",
    ]);
    says(
        "preference",
        &[
            "Always return errors instead of panicking.",
            "Always address me formally.",
            "Never pass raw strings to the shell.",
            "Always process the files in order.",
            "Never embed fonts.",
            "Always focus the first field.",
            "커밋 메시지는 항상 영어로 써 주세요.",
            "コミットメッセージは必ず英語で書いてください。",
            "提交信息请始终用英文写。",
        ],
    );
}

#[test]
fn whether_something_remains_to_be_done_is_no_task() {
    says_nothing(&[
        "Please check whether we still need to pin numpy.",
        "Whether we still need to update the docs is unclear.",
        "Find out whether the docs still need to be updated.",
        "문서를 아직 업데이트해야 하는지 확인해 주세요.",
        "ドキュメントをまだ更新する必要があるか確認してください。",
        "残作業はありません。",
        "请确认是否还需要更新文档。",
    ]);
    says(
        "task",
        &[
            "We still need to write the migration guide.",
            "TODO: check whether numpy must be pinned.",
            "TODO: make sure nobody can log in twice.",
            "Remind me to check whether numpy still needs to be pinned.",
            "나중에 문서를 업데이트해야 합니다.",
            "あとで更新する必要があるか確認しなければなりません。",
            "我们还需要更新文档。",
        ],
    );
}

#[test]
fn what_had_to_be_done_or_is_most_is_no_constraint() {
    says_nothing(&[
        "昨天我们不得不重启服务器。",
        "昨天我不得已删掉了缓存。",
        "我舍不得删掉这段代码。",
        "用户最多的功能是搜索。",
        "出现次数最多的错误是超时。",
        "他最多算是个新手。",
        "昨日はサーバーを再起動しなければなりませんでした。",
        "メモリの問題は解決していません。",
    ]);
    says(
        "constraint",
        &[
            "个人信息不得写入日志。",
            "密码不得少于 12 位。",
            "单个文件最多 500 行。",
            "每个用户最多只能建三个项目。",
            "队列最多允许十个任务。",
            "決して鍵を保存しないこと。",
            "個人情報をログに残してはいけません。",
        ],
    );
}

#[test]
fn what_was_not_decided_is_no_decision() {
    says_nothing(&[
        "It hasn't been decided that we drop MySQL.",
        "Nothing has been decided on the database yet.",
        "No one on the team decided to use Redis.",
        "None of us agreed to freeze the schema.",
        "We haven't agreed to drop Windows support.",
        "We didn't decide to keep the old API.",
        "We couldn’t agree to keep Python 3.8.",
        "No database has been decided on.",
        "It isn't true that we decided to drop support for macOS.",
        "Had we decided to use Mongo, we would be stuck now.",
        "배포 일은 금요일로 확정되지 않았습니다.",
        "Postgres를 쓰기로 합의하지 못했습니다.",
        "금요일에 배포하기로 확정된 것은 아닙니다.",
        "Redis를 쓰기로 한 적이 없어요.",
        "아무도 Redis를 쓰기로 결정하지 않았다.",
        "Redisで行きましょうか。",
        "Redisを使うことにしましょうか。",
        "まだRedisに決まったわけではありません。",
        "MySQLを使うことに合意していません。",
        "誰もRedisを使うことに決めていません。",
        "我们还没有最终决定用 Redis。",
        "没有人决定使用 Redis。",
        "我们并没有一致同意冻结表结构。",
    ]);
    says(
        "decision",
        &[
            "We decided not to use an ORM.",
            "Nothing else worked, so we decided to use Redis.",
            "Nobody likes it, but we decided to keep SOAP.",
            "It was decided that tokens expire after 24 hours.",
            "GraphQL은 쓰지 않기로 했어요.",
            "MySQL이 아니라 Postgres를 쓰기로 했습니다.",
            "아무도 반대하지 않아서 Redis를 쓰기로 했습니다.",
            "GraphQLは採用しないことにしました。",
            "誰も反対しなかったので、Redisに決めました。",
            "没有人反对，我们决定用 Redis。",
        ],
    );
}

#[test]
fn no_one_waits_for_anything() {
    says_nothing(&[
        "Nothing is blocked right now.",
        "Right now nothing is blocked by the audit.",
        "No one is waiting for the certificate.",
        "None of the tasks is blocked by the audit.",
        "Nobody is stuck on the review.",
        "No deployment is waiting for the certificate.",
        "The release isn't blocked by the audit.",
        "아무것도 막혀 있지 않아요.",
        "배포는 막혀 있지 않습니다.",
        "보안 검토를 기다리고 있지 않아요.",
        "リリースは何にもブロックされていません。",
        "誰も承認待ちではありません。",
        "审批的事没有卡住。",
        "没有人在等审批。",
        "什么都没有卡住。",
    ]);
    says(
        "blocker",
        &[
            "The release is blocked by the security review.",
            "배포는 보안 검토를 기다리고 있습니다.",
            "リリースはセキュリティ審査待ちです。",
            "发布还在等安全审查。",
        ],
    );
}
