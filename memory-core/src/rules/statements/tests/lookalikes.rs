//! Sentences that look like findings and are none, and their sisters that are: written by an
//! enemy of the rules, by kind of mistake.

use crate::rules::statements::{Speaker, find};

/// The kinds of the findings in what a user says.
fn kinds(text: &str) -> Vec<&'static str> {
    let mut found = find(text, Speaker::User, &[]);
    // Says nothing of its own.
    found.retain(|finding| !finding.kind.ends_a_task());
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
            "「v2」という名前を使うことにしました。",
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
        "I finally picked it up because you said it was good.",
        "I tried the hardest mode but I can never quite make it all the way.",
        "You can never have too many tests.",
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
            "Always write \"e.g.\" with two dots.",
            "Never say \"simply\" or \"just\" in the docs.",
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
        "We decided to use nothing yet.",
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
        "He asked whether the release is waiting for the audit.",
        "배포가 검토 때문에 막혔었는데 지금은 아니에요.",
        "リリースは審査待ちでしたが、もう大丈夫です。",
        "发布之前卡在审查上，现在好了。",
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

#[test]
fn requests_questions_hopes_and_errors_resolve_nothing() {
    says_nothing(&[
        "Let me know whether the security review is done.",
        "Make sure the login bug is fixed.",
        "Please confirm the deployment issue is resolved.",
        "Check that the token refresh bug has been resolved.",
        "Write a test that the login bug is fixed.",
        "I thought the login bug was fixed, but it isn't.",
        "It looked like the timeout problem was solved, but it still happens.",
        "The deadlock issue was fixed, then it came back.",
        "I'm not convinced the memory leak is fixed.",
        "I doubt the login bug is fixed.",
        "I hope the login bug is fixed.",
        "The login bug hasn't been fixed yet.",
        "Someone told me the login bug is fixed.",
        "Only half of the review is done.",
        "They keep asking me whether the login bug is fixed.",
        "The status page pretends the outage is resolved.",
        "For all I know the login bug is fixed.",
        "The test verifies that the login bug is fixed.",
        "Be careful not to say that the incident is closed.",
        "로그인 버그가 해결됐다는 말은 거짓이에요.",
        "ログインのバグが解決したなんて嘘です。",
        "别说登录问题已经解决了。",
        "等登录问题解决了再发布。",
        "It feels like the incident is over.",
        "로그인 문제가 해결됐을 리가 없어요.",
        "ログインの問題は解決したようです。",
        "登录问题好像已经解决了。",
        "로그인 버그가 해결됐는지 확인해 주세요.",
        "로그인 버그가 수정됐나 확인해 봐.",
        "로그인 버그가 해결됐다고 생각했는데 아니었어요.",
        "로그인 문제가 해결됐으면 좋겠어요.",
        "로그인 버그가 해결됐는데 또 나타나요.",
        "ログインのバグが解決されたか確認してください。",
        "決済の障害が解決したか教えてください。",
        "ログインのバグは解決したと思っていましたが、まだ起きます。",
        "ログインのバグは解決したはずなのに、また出ました。",
        "メモリの問題が解決したら教えてください。",
        "请确认登录问题已经解决了。",
        "确保登录问题已经解决。",
        "希望登录问题已经解决。",
        "帮我看看登录bug已经修复了没有。",
        "我以为登录问题已经解决了，结果还在。",
        "登录问题本来已经解决了，但是又出现了。",
    ]);
    says(
        "resolved",
        &[
            "The security review is done.",
            "I confirm that the login bug is fixed.",
            "The login bug is fixed now; please check the other one too.",
            "Just letting you know that the security review is done.",
            "The audit is done, make sure to update the ticket.",
            "PR #341 is merged.",
            "로그인 버그가 해결됐으니 다음 작업을 확인해 주세요.",
            "バグは解決済みなので、次を確認してください。",
            "登录问题已经解决了，请看看下一个。",
            "我确认登录问题已经解决了。",
        ],
    );
}

#[test]
fn what_others_said_or_is_only_worked_on_is_no_decision() {
    says_nothing(&[
        "My boss says we decided to drop the CLI.",
        "He told me that we agreed to use Rust.",
        "Ask Dana whether the team agreed to keep the fork.",
        "I thought we decided to use Redis.",
        "Translate this into French: We decided to use Rust.",
        "Rewrite the sentence: We decided to drop the beta.",
        "Last year we decided to use Angular and that was a mistake.",
        "The old team decided to use Perl here.",
        "Here is a sample email: We have decided to cancel the subscription.",
        "Redis를 쓰기로 결정한 이유를 설명해 주세요.",
        "Redis로 확정인지 궁금합니다.",
        "Redisを使うことにした理由を説明してください。",
        "解释我们决定用 Redis 的原因。",
        "说我们决定放弃 MySQL 是谣言。",
        "그 회사는 Redis를 쓰기로 했습니다라고 발표했어요.",
        "Redisに決まったという噂があります。",
        "Redisに決めた覚えはありません。",
        "我们差点决定用 Redis。",
        "我们需要决定用 Redis 还是 Kafka。",
        "Oh sure, let's go with the slowest option ever.",
        "사장님이 그러는데 MySQL을 빼기로 했대요.",
        "팀이 쓰기로 결정했는지 물어봐 줘.",
        "작년에는 Angular를 쓰기로 했지만 지금은 아닙니다.",
        "다음 문장을 번역해 줘: 우리는 Redis를 쓰기로 결정했다.",
        "なぜPostgresに決めたのか説明してください。",
        "何に決まったか教えてください。",
        "去年はAngularに決めましたが、今は違います。",
        "次の文を英語に訳してください：私たちはRedisを使うことに決めました。",
        "老板说我们决定去掉命令行。",
        "去年我们决定用 Angular，现在已经不用了。",
        "就算我们决定用 Redis，也没用。",
        "翻译这句话：我们决定使用 Redis。",
    ]);
    says(
        "decision",
        &[
            "The client said no, so we decided to drop the beta.",
            "She told me the price, and we decided to use Redis.",
            "I hope that's fine: we decided to use Redis.",
            "That said, we decided to drop the CLI.",
            "I thought about it and we decided to use Redis.",
            "회의 끝에 금요일에 배포하기로 결정했습니다.",
            "We don't need much: let's use SQLite.",
            "왜 느린지 확인했고, 캐시를 쓰기로 했습니다.",
            "できるかどうか確認した結果、Redisを使うことにしました。",
            "虽然有人反对，我们还是决定用 Redis。",
            "できるかぎりテストを書くことにしました。",
            "会議の結果、MySQLをやめることに決まりました。",
            "以前用 MySQL，现在我们决定不用了。",
        ],
    );
}

#[test]
fn what_was_so_once_is_no_fact() {
    says_nothing(&[
        "We used to run on port 8080.",
        "Say the database runs on port 5433.",
        "We don't use Node 20 any more.",
        "예전에는 8080 포트를 썼어요.",
        "以前はポート8080でした。",
        "以前用的是 8080 端口，现在不是了。",
    ]);
    says(
        "fact",
        &[
            "Redis runs on port 6380.",
            "CI uses Node 20.",
            "Redis는 6380 포트에서 실행됩니다.",
            "Redisはポート6380で動いています。",
            "数据库用的是 5433 端口。",
            "支付模块由张伟负责。",
        ],
    );
}

#[test]
fn a_need_that_is_denied_is_no_constraint() {
    says_nothing(&[
        "The library doesn't have to support Windows.",
        "The API does not need to respond within 200 ms.",
        "꼭 200ms 이내여야 하는 건 아닙니다.",
        "200ms以内でなければならないわけではない。",
        "不必在 200 毫秒以内。",
    ]);
    says("preference", &["Never assume that the network works."]);
}

#[test]
fn who_asks_for_a_list_of_what_is_left_adds_nothing_to_it() {
    says_nothing(&[
        "좋아. 남은 일 정리해 줘.",
        "할 일 다시 보여줘",
        "남은 작업 한번 요약해 주세요.",
        "다음 단계 알려 줄래?",
    ]);
}

#[test]
fn questions_without_a_mark_say_nothing() {
    says_nothing(&[
        "what is waiting for the certificate",
        "what is held up by the audit",
        "which jobs are blocked by the audit",
        "who is waiting on the license review",
        "so what tasks are still stuck",
        "ok so does the cache run on port 6380",
        "does redis listen on port 6380",
        "is the mailer on port 2525",
        "should nginx run on port 8088",
        "do workers run on Node 20",
        "will the proxy listen on port 9000",
        "what listens on port 8080",
        "why does the build use Node 20",
        "hey, which port is it, 6379 or 6380",
        "who owns the billing service",
        "we decided to use Redis, right",
        "we agreed to drop the beta, didn't we",
        "Redis가 8080 포트를 쓰나",
        "배포가 뭐 때문에 막혀 있어",
        "뭐가 막혀 있어",
        "어떤 작업이 승인을 기다리고 있어",
        "누가 승인을 기다리고 있어",
        "왜 8080 포트를 쓰는 거야",
        "Redis 쓰기로 한 거 맞지",
        "どのタスクが承認待ち",
        "何が承認待ちで止まっている",
        "どうしてポート8080を使う",
        "なぜNode 20を使っている",
        "什么任务卡在审批上",
        "什么卡住了",
        "谁在等审批",
        "为啥用 8080 端口",
        "干嘛用 8080 端口",
    ]);
    says(
        "task",
        &[
            "What remains is to write the migration guide.",
            "TODO: what to do about failed retries",
        ],
    );
    says(
        "preference",
        &[
            "Do not use abbreviations in names.",
            "언제나 커밋 메시지는 영어로 써 주세요.",
            "いつも必ず英語で書いてください。",
        ],
    );
    says(
        "constraint",
        &[
            "Should never write to the live database.",
            "어떤 경우에도 main에 직접 커밋하면 안 됩니다.",
            "どんな場合でも鍵を保存してはいけません。",
        ],
    );
    says(
        "fact",
        &[
            "Will owns the billing service.",
            "Test servers run on port 8088.",
        ],
    );
    says("decision", &["什么都比较过了，我们决定用 Redis。"]);
    says(
        "blocker",
        &[
            "The whatsapp bridge is blocked by the audit.",
            "배포는 아무개 승인을 기다리고 있어요.",
        ],
    );
}

#[test]
fn what_is_asked_for_or_tested_is_not_so() {
    says_nothing(&[
        "list everything that is blocked by the audit",
        "Show me all that is waiting for the certificate",
        "Make it so that the mailer runs on port 2525",
        "Make Postgres listen on port 5433",
        "Run the server on port 9000",
        "Change the compose file so the cache runs on port 6380",
        "The test checks that the server listens on port 8080",
        "The error indicates that the app requires Node 20",
        "The fixture pretends that the release is blocked by the audit.",
        "the user story: as a user I prefer dark mode",
        "As a customer I always want the total in euros.",
    ]);
    says(
        "fact",
        &[
            "Leave it alone, the mailer runs on port 2525.",
            "The show server listens on port 8080.",
        ],
    );
}

#[test]
fn what_people_tell_an_agent_is_found() {
    says(
        "decision",
        &[
            "I want to use Axum with SQLite.",
            "I want token-based auth.",
            "We switched from Jest to Vitest.",
            "We're moving away from Mongo.",
            "ok go with option C",
            "Use pnpm instead of npm.",
            "use spaces not tabs",
            "SQLite 쓰자",
            "npm 말고 pnpm 써 줘",
            "npmではなくpnpmを使います。",
            "用 pnpm 而不是 npm",
        ],
    );
    says(
        "preference",
        &[
            "I always use pytest, not unittest.",
            "named exports only — no default exports",
            "No abbreviations in names, please.",
            "Stop adding emojis to the docs.",
            "Keep answers short.",
            "dont use mocks",
            "I like small commits.",
            "I want a test for every endpoint.",
            "Prefer enums over strings.",
            "Use Zod for all request schemas.",
            "コメントは書かないで。",
            "请用四个空格缩进",
            "以后回复都用中文",
        ],
    );
    says(
        "constraint",
        &["We need to support Node 18.", "We only support Firefox."],
    );
    says(
        "fact",
        &[
            "the dev server listens on localhost:5174",
            "Our cache is at 10.0.0.7:6379.",
            "Logs go to /var/log/shop.log",
            "MSRV is 1.80",
            "CI runs on GitLab.",
            "캐시는 6380 포트야",
        ],
    );
    says(
        "task",
        &[
            "todo rename the columns",
            "Next: wire the parser into the command",
        ],
    );
    says(
        "resolved",
        &[
            "Security audit passed.",
            "#412 is merged",
            "Legal approved the contract.",
            "보안 심사 끝났어요",
            "セキュリティ審査が終わりました。",
            "安全审核通过了",
        ],
    );
}

#[test]
fn what_only_sounds_like_an_instruction_is_not_found() {
    says_nothing(&[
        "I want to use this opportunity to thank you.",
        "I want to know how to use Axum.",
        "If I want to use Axum with SQLite, what changes?",
        "I don't want to use Axum with SQLite or anything.",
        "The docs say to use pnpm instead of npm.",
        "Should we use pnpm instead of npm",
        "Maybe go with option C.",
        "go with it",
        "We switched seats with the others.",
        "My manager said we switched from Jest to Vitest.",
        "It always works only on Mondays, not on Fridays.",
        "No errors in the log.",
        "No worries, please go on.",
        "I want to capture the traces for all exceptions.",
        "I would prefer enums over strings if they were faster.",
        "Use this map instead of a list here.",
        "He likes small commits.",
        "Next: The next chapter is about taxes.",
        "todo list apps are everywhere",
        "The build fails, is the cache at 10.0.0.7:6379",
        "The security audit has not passed.",
        "Once the security audit passed, we celebrated.",
        "SQLite를 쓰자고 했어요.",
        "이거 말고 그거 써",
        "npmではなくpnpmを使いますか",
        "用 pnpm 而不是 npm 吗",
        "보안 심사가 끝나면 알려 주세요",
        "보안 심사가 아직 안 끝났어요",
        "セキュリティ審査はまだ終わりません。",
        "安全审核还没通过",
        "等安全审核通过了再说",
    ]);
}

/// The command of an agent that its own sandbox refuses is no task of the project.
#[test]
fn what_blocks_an_agents_own_command_is_no_blocker() {
    let kinds = |text: &str| -> Vec<&'static str> {
        let mut found = find(text, Speaker::Agent, &[]);
        found.retain(|finding| !finding.kind.ends_a_task());
        found.iter().map(|finding| finding.kind.as_str()).collect()
    };
    for text in [
        "The command is blocked by the sandbox.",
        "The write is blocked by the permission hook.",
        "The curl request is blocked by the network policy.",
        "I'm blocked by the sandbox here.",
    ] {
        assert_eq!(kinds(text), [""; 0], "{text}");
    }
    assert_eq!(
        kinds("The release is blocked by the security review."),
        ["blocker"]
    );
}

#[test]
fn a_task_says_what_is_to_be_done() {
    let text = "The docs still need to be translated.";
    let found = find(text, Speaker::User, &[]).remove(0);
    let subject = found.subject.expect("named");
    assert_eq!(&text[subject], "The docs still need to be translated");
    let text = "blocked by #123";
    let found = find(text, Speaker::User, &[]).remove(0);
    assert_eq!(&text[found.blocker.expect("named")], "#123");
}

#[test]
fn what_is_denied_told_to_others_or_done_by_others_is_nothing_of_ours() {
    says_nothing(&[
        "The claim that we decided to drop IE11 is wrong.",
        "It is a myth that all dates must be stored in UTC.",
        "Write a mail to Bob that we decided to end the contract.",
        "Tell the team that we're going with Postgres",
        "Pretend that we use port 9999.",
        "In the book, the hero must never leave the house.",
        "it's not like the server runs on port 8080 or anything, is it",
        "Another team decided to use Kafka.",
        "레디스로 하기로 했다는 건 사실이 아니야",
        "계약 종료하기로 했다고 밥한테 메일 써줘",
        "다른 팀은 카프카를 쓰기로 했어",
        "契約を終了することにしたとボブにメールして",
        "オファーを断ることにしたというメールを書いて",
        "他のチームはKafkaを使うことにした",
        "日付は必ずUTCで保存しなければならないというのは誤解だ",
        "彼が使うことにしたのかどうか知らない",
        "apiが9999番ポートで動いているとして、curlはどう書く",
        "告诉团队我们决定用Postgres",
        "给Bob发邮件说我们决定终止合同",
        "帮我写封邮件，说我们决定拒绝这个offer",
        "小李是支付服务的负责人吧",
        "说所有日期必须用UTC存储是误解",
        "说我们决定用Redis，那不是真的",
        "老板要我们用Kafka，我不想",
    ]);
    says(
        "decision",
        &[
            "The idea is simple: we decided to use Redis.",
            "Unlike the other team, we decided to use Redis.",
            "다른 팀과 얘기했고, Redis를 쓰기로 했어요.",
            "他のチームとも話して、Redisを使うことにしました。",
            "端口就用 8080 吧",
        ],
    );
    says("task", &["TODO: tell Bob that the contract ends."]);
}

#[test]
fn a_change_from_one_thing_to_another_is_a_decision() {
    says(
        "decision",
        &[
            "Let's switch from Redis to Valkey.",
            "Ops is shutting it down. Let's switch from Redis to Valkey for the tariff cache.",
            "Let's move from Redis to Valkey for the sessions.",
            "Let's replace Redis with Valkey.",
            "let's ditch Redis and use Valkey instead",
            "OK, let's migrate to Valkey.",
            "lets swap celery for cron",
            "we're ripping out moment and using date-fns everywhere",
            "Redis에서 Valkey로 바꾸자",
            "Redis를 Valkey로 교체합시다",
            "RedisをValkeyに置き換えましょう",
            "Valkeyに移行しよう",
            "从 Redis 换到 Valkey 吧",
            "把 Redis 换成 Valkey 吧",
        ],
    );
    says_nothing(&[
        "let's move to the next question",
        "let's replace this call with a loop",
        "let's go back to the tests",
        "should we switch from Redis to Valkey?",
        "this lets us switch from Redis to Valkey",
        "we're leaving early today",
        "we're dropping frames on scroll",
        "Change of plan, I'm tired",
        "the app only allows 3 uploads, is that a bug",
        "The story is that we decided to use Go.",
        "Send me a message when the server runs on port 8080",
        "The api returns 500 when the token is expired, no matter what",
        "we have 16 gb of logs",
        "maybe let's replace Redis with Valkey",
        "이 함수를 map으로 교체하자",
        "この変数をxに置き換えましょう",
        "把这个变量换成 x 吧",
    ]);
}

/// What is said in one clause among others, with what people say before and after it.
#[test]
fn what_is_said_in_passing_is_found_in_its_clause() {
    let cases: [(&str, &[&str]); 7] = [
        (
            "decision",
            &[
                "hm thought about it over dinner, going with the oak table lol",
                "nvm the carousel, one static picture",
                "were dropping the android tablet build for good",
                "dana and i agreed she takes the api and i take the app",
                "그럼 지도는 카카오로 가자 ㅋㅋ",
                "じゃあ地図はgoogleにする笑",
                "地图就用高德吧哈哈",
            ],
        ),
        (
            "preference",
            &[
                "oh btw im a spaces person",
                "whenever you touch the api show me the diff first",
                "i like tables better than prose when there are numbers",
                "답변은 짧게 해줘",
                "コメントは英語でお願い",
                "注释都用英文写",
            ],
        ),
        (
            "constraint",
            &[
                "the crate only fits 24 bottles",
                "uploads cant be bigger than 3mb or the portal rejects them",
                "we arent allowed to phone patients",
                "첨부는 3메가 넘으면 튕겨",
                "添付は3MBまで",
                "附件最多3兆，多了就拒收",
            ],
        ),
        (
            "fact",
            &[
                "fyi the booking app is flutter",
                "my cat is called pixel",
                "our backups run at 2am every night",
                "우리 매장 서버는 우분투 쓰고 있어",
                "犬の名前はポチです",
                "我住在杭州",
            ],
        ),
        (
            "task",
            &[
                "ill send the invoices tonight",
                "havent done the inventory yet",
                "gotta call the plumber tomorrow",
                "내일 세무사한테 전화해야 돼",
                "明日税理士に電話しないと",
                "明天得给会计打个电话",
            ],
        ),
        (
            "blocker",
            &[
                "cant paint the hall, the plaster isnt dry",
                "still waiting on the landlord to reply",
                "세무서 답변이 안 와서 신고를 못 하고 있어",
                "税務署の返事がないと申告できない",
            ],
        ),
        (
            "resolved",
            &[
                "the landlord signed, we can start on monday",
                "the sync bug is fixed, it was the clock",
                "동기화 안 되던 문제 고쳤어",
                "同期のバグ直った",
                "签证批下来了",
            ],
        ),
    ];
    for (kind, texts) in cases {
        says(kind, texts);
    }
    says_nothing(&[
        "let's keep pushing, it will be great",
        "can't wait to see the new kitchen",
        "if it rains, we're going with the tent",
        "lol let's rewrite it in cobol /s",
        "no i mean the footer",
        "그럼 주말에 뭐 하지",
        "배포 deploy",
        "테스트 pass",
        "きのう deploy",
        "きのう x1 Friday",
        "영화에서 주인공이 회사를 그만두기로 해",
        "映画で主人公が会社をやめることにした",
        "要是便宜就买那个吧",
    ]);
}

#[test]
fn who_does_not_wait_and_software_that_waits_are_no_blockers() {
    says_nothing(&[
        "The market won't wait for us.",
        "Don't stop and wait for my answer on each file.",
        "Ship what you have instead of waiting on more reviews.",
        "A few flaky timeouts waiting for the success banner element.",
        "The upload is stuck in Processing.",
        "Invoices are stuck in pending since yesterday's deploy.",
        "They must stay.",
        "This has to go.",
    ]);
    says(
        "blocker",
        &[
            "The migration is waiting for the new license.",
            "We can't deploy until legal has signed.",
            "The invoice export is blocked by OPS-311.",
            "no rollout until the audit is through",
        ],
    );
    let half = "The next step is just to wait for the vendor.";
    for found in find(half, Speaker::User, &[]) {
        assert_eq!(found.subject, None, "{half}");
    }
}

#[test]
fn what_is_to_be_confirmed_defined_or_felt_is_not_resolved() {
    says_nothing(&[
        "Let's back up.",
        "My patience is completely gone.",
        "`IN-QA`: work is finished and waits for the testers",
        "Confirm that the rendering bug is resolved.",
        "Let's go to the plan and check off what we think is done.",
        "My energy is gone for today.",
        "Review the work that's been done so far.",
    ]);
    says(
        "resolved",
        &[
            "The license problem is resolved.",
            "The security review is done, so we're unblocked.",
            "OPS-311 is closed.",
        ],
    );
}

#[test]
fn to_go_on_with_the_work_or_the_talk_decides_nothing() {
    says_nothing(&[
        "ok, let's move on to 4.2.",
        "Great, let's move on to the payment form!",
        "let's move forward to the checkout.",
        "Let's switch gears and look at the logs.",
        "lets go back to the main branch and rerun the linter",
        "Let's not waste any more time on this.",
        "Let's keep the good energy going!",
        "Let's push this forward today.",
        "Let's start working on the export.",
        "Let's make a commit before we touch the parser.",
        "go ahead and patch it",
        "go ahead and write the migration",
        "yes, go ahead and do that",
        "Go ahead and open a new ticket, then push.",
        "Proceed with the next phase.",
        "ok moving on to the upload form",
        "Before we start, please write a short plan of what we will use for the tests.",
        "Back to ticket #31",
        "No more stalling, no more excuses.",
        "We are not moving one step, not moving forward until you send the list.",
        "Let's lock it in.",
        "Let's set up a short call to discuss the audit.",
        "I'll stick to this routine for a while.",
        "The new form has been a relief, cutting the wait from 8 to 2 days.",
        "name: Install the toolchain",
        "Let's go with an entirely different approach this time.",
        "Let's freeze the build and find out why it hangs.",
        "Please scan all modules and make sure that we're using this as the default font.",
        "sort those out, merging them if possible",
    ]);
    says(
        "decision",
        &[
            "Let's move to Postgres for the invoices.",
            "Let's move the export from CSV to Parquet.",
            "Let's switch to pnpm.",
            "Let's go ahead with Mollie.",
            "Proceed with option Stripe Connect.",
            "go ahead and use Valkey for the sessions",
            "Let's not support Internet Explorer.",
            "Let's keep the monolith.",
            "Let's move on to Nomad for the deployment.",
            "Switching to Valkey for the sessions.",
            "No more Jenkins, we use Buildkite.",
            "I'll stick with the blue one.",
            "Let's switch the worker from cron to Temporal.",
            "Back to Redis for the sessions.",
            "Let's rename the branches to use a slash instead of a dash.",
        ],
    );
}

#[test]
fn what_holds_for_one_answer_is_no_preference() {
    says_nothing(&[
        "Don't write any code, just tell me what you think.",
        "don't change anything yet",
        "Please do not run anything or edit files.",
        "Do not make any changes. ",
        "Stop, don't implement anything.",
        "Without changing any code, list the options and always rank them.",
        "Walk me through the cause before we start on the patch.",
        "Create a task to make sure that all writes always happen in the main process.",
        "Open a ticket about the import, with a test for each kind of file.",
        "In the future I'd like to be able to share a list with my team.",
    ]);
    says(
        "preference",
        &[
            "Don't add comments to the code.",
            "Don't write code without tests.",
            "Never write code before I have agreed to the plan.",
            "Don't use abbreviations in names.",
            "Always walk me through the plan before you write code.",
            "From now on don't run migrations without asking.",
            "Don't commit commented-out code.",
            "I like to see a short plan before we implement anything.",
        ],
    );
}

#[test]
fn what_is_observed_or_feared_is_neither_decided_nor_preferred() {
    says_nothing(&[
        "I'm worried that we're going to drop the audit log.",
        "Now I'm concerned that we're not keeping the backups.",
        "The border is red, not using the theme colour",
        "remove any imports or helpers we're not using",
        "Hydration: added a guard, but the page remains stuck.",
        "I'm not doing a hard reload.",
        "When I manually start the worker and open the queue, the jobs i send are stuck in pending.",
        "after restarting the server and sending a form, i don't get an answer",
        "The loop between a patch and its review is too slow, and I'd like to shorten it.",
        "Last comments on the branch:",
        "Hm, the changelog only mentions the parser and the tests.",
        "I'm getting an error when I try to deploy my site.",
        "It looks like we're not using the cache at all.",
        "There's no way for me to reopen the window after closing.",
    ]);
    says(
        "decision",
        &[
            "We're not using Redux for the new screens.",
            "We're going to drop the audit log.",
            "The parser is too slow, so we're going with tree-sitter.",
            "We're keeping the backups for a year.",
            "I was worried about the cost, we decided on Hetzner.",
            "We're not supporting Windows 7.",
        ],
    );
    says(
        "preference",
        &[
            "When I ask about a library, always name its version.",
            "When you run the tests, please show me only the failures.",
            "Whenever you write a migration, add a rollback.",
            "I always deploy small changes.",
            "Commit messages should only mention what changed.",
            "When I paste a stack trace, explain the cause first.",
        ],
    );
}

#[test]
fn stories_idioms_and_the_length_of_one_text_say_nothing() {
    says_nothing(&[
        "We were having pasta, so I picked the Barolo.",
        "Last night at the fair we went with the big wheel.",
        "Like soup and bread.",
        "There is more of it in the attic, like my old drums.",
        "It happened twice, like when I moved to Lyon.",
        "Never saw that coming!",
        "she only gets two days a month",
        "please give me 12 more",
        "Write a short reply, in less than 90 words, for the landlord.",
        "Give me three title ideas of at most 40 characters.",
        "\"We decided to leave the old firm.\n\nI prefer calm places.\n\nWe must never look back.\"",
    ]);
    says("decision", &["Redis was too slow, so we went with Valkey."]);
    says("preference", &["Love short functions and small files."]);
    says("preference", &["Never say \"just\" in the docs."]);
    says(
        "constraint",
        &[
            "The box only has 2 GB of memory.",
            "The budget is 300 euros at most.",
            "Titles must not be longer than 60 characters.",
        ],
    );
    says(
        "decision",
        &["\"One word only.\n\nWe decided to leave the old firm."],
    );
}

#[test]
fn fields_of_a_form_and_titles_are_no_decisions_or_wishes() {
    says_nothing(&[
        "Name: Ada Lovelace",
        "Location: Leeds",
        "Scope: parser only.",
        "Date: next Tuesday",
        "Length: 900 words",
        "Latest commits on main:",
        "Feedback on the third draft and 4.",
        "The feedback loop between review, merge and release takes long.",
        "Separate the tables into two, one per region.",
        "Explain generators with examples in Python",
    ]);
    says(
        "decision",
        &["Pricing: freemium", "Name will be Kestrel.", "db: Postgres"],
    );
    says(
        "preference",
        &[
            "Commit messages in lower case please",
            "Answer in English.",
            "Comments only where the code surprises",
        ],
    );
}
