//! Checks what a newer message replaces, frees or finishes, from the words to the entries and tasks
//! that the rules make of them.

use crate::rules::entries::EntryType;
use crate::rules::statements::answer::{TaskTimes, Told, answer, entry_type};
use crate::rules::statements::older::Older;
use crate::rules::statements::reversal::{Change, Reversal};
use crate::rules::statements::{Speaker, find};

/// The entries that rules make of what a person says, by type and title.
fn learned(text: &str) -> Vec<(EntryType, &str)> {
    let found = find(text, Speaker::User, &[]).into_iter();
    let entries = found.filter(|finding| !finding.kind.ends_a_task());
    entries
        .map(|finding| (entry_type(finding.kind), &text[finding.span]))
        .collect()
}

/// Whether rules find a decision in what a person says.
fn decides(text: &str) -> bool {
    let mut entries = learned(text).into_iter();
    entries.any(|(kind, _)| kind == EntryType::Decision)
}

/// What a newer message does to an older one.
fn effect(old: &str, new: &str) -> Option<Change> {
    let older = learned(old);
    learned(new).into_iter().find_map(|(kind, new)| {
        let newer = Reversal::of(kind, new)?;
        older
            .iter()
            .find_map(|(kind, old)| newer.does_to(*kind, &Older::new(old)))
    })
}

/// Each older message is replaced by its newer one.
fn is_replaced(pairs: &[(&str, &str)]) {
    for (old, new) in pairs {
        assert_eq!(effect(old, new), Some(Change::Replaces), "{old} | {new}");
    }
}

/// Each older message stays in force.
fn stays(pairs: &[(&str, &str)]) {
    for (old, new) in pairs {
        assert_eq!(effect(old, new), None, "{old} | {new}");
    }
}

/// The status of the task that messages are about, and what it waits for.
fn task_after(texts: &[&str]) -> Option<(String, Vec<String>)> {
    let mut told = Vec::new();
    for (index, text) in texts.iter().enumerate() {
        let found = find(text, Speaker::User, &[]).into_iter();
        told.extend(found.map(|finding| Told {
            message_index: index as u32,
            said: "2026-01-01T00:00:00Z".parse().unwrap(),
            text,
            finding,
            question: None,
        }));
    }
    let answer = answer(&told, &[], TaskTimes::default());
    let task = answer["tasks"].as_array()?.last()?;
    let text = |value: &serde_json::Value| value.as_str().unwrap_or_default().to_owned();
    let blockers = task["blocked_by"].as_array().into_iter().flatten();
    Some((text(&task["status"]), blockers.map(text).collect()))
}

/// Whether the task of the first message is free to go on, or done, after the second.
fn is_over(texts: &[&str]) -> bool {
    let task = task_after(texts).expect("the first message is about a task");
    matches!(task.0.as_str(), "in_progress" | "done")
}

#[test]
fn what_is_so_for_the_moment_is_replaced_like_anything_else() {
    is_replaced(&[
        (
            "The gateway listens on port 8080 at the moment.",
            "We moved the gateway to port 9090.",
        ),
        (
            "The gateway currently listens on port 8080.",
            "We moved the gateway to port 9090.",
        ),
        (
            "The API server listens on port 8080 for now.",
            "We moved the API to port 9090.",
        ),
        (
            "For now, the gateway listens on port 8080.",
            "The gateway now listens on port 9090.",
        ),
        (
            "Right now the gateway runs on port 8080.",
            "We moved the gateway to port 9090.",
        ),
        (
            "Let's use RabbitMQ for the queue for now.",
            "Let's switch from RabbitMQ to Kafka for the queue.",
        ),
        (
            "For now let's use RabbitMQ for the queue.",
            "Actually, let's use Kafka for the queue.",
        ),
        (
            "Mina owns the billing service for now.",
            "Jonas took over the billing service.",
        ),
        (
            "Mina currently owns the billing service.",
            "Jonas took over the billing service.",
        ),
        (
            "지금은 게이트웨이가 8080 포트에서 돌아가.",
            "게이트웨이 포트를 9090으로 바꿨어.",
        ),
        (
            "게이트웨이는 당분간 8080 포트를 써.",
            "게이트웨이 포트를 9090으로 변경했어.",
        ),
        (
            "게이트웨이는 현재 8080 포트에서 돌아가.",
            "게이트웨이는 이제 9090 포트에서 돌아가.",
        ),
        (
            "결제 담당자는 당분간 민지야.",
            "결제 담당자는 이제 지훈이야.",
        ),
        ("일단 세션은 Redis로 하자.", "역시 세션은 Valkey로 하자."),
        (
            "今のところAPIは8080番ポートで動いている。",
            "APIのポートを9090に変えた。",
        ),
        (
            "APIは当面8080番ポートで動いています。",
            "APIのポートを9090に変更しました。",
        ),
        (
            "とりあえずセッションはRedisにしましょう。",
            "RedisからValkeyに切り替えましょう。",
        ),
        (
            "APIは現在8080番ポートで動いている。",
            "APIは今は9090番ポートで動いている。",
        ),
        ("API目前跑在8080端口。", "API端口改成9090了。"),
        ("API暂时用8080端口。", "API端口改成9090了。"),
        ("会话暂时用Redis吧。", "会话改用Valkey吧。"),
    ]);
    stays(&[
        (
            "The gateway listens on port 8080 for now.",
            "We moved the API to port 9090.",
        ),
        (
            "Let's use Redis for the cache for now.",
            "Let's use Valkey for the sessions for now.",
        ),
        ("API目前跑在8080端口。", "网关端口改成9090了。"),
        (
            "APIは当面8080番ポートで動いています。",
            "ゲートウェイのポートを9090に変更しました。",
        ),
        (
            "게이트웨이는 당분간 8080 포트를 써.",
            "API 포트를 9090으로 변경했어.",
        ),
    ]);
}

#[test]
fn a_choice_of_where_something_is_kept_is_replaced_by_a_switch() {
    is_replaced(&[
        ("로그는 S3에 보관하기로 했어.", "S3에서 GCS로 옮기자."),
        ("이미지는 S3에 올리자.", "S3에서 R2로 바꾸기로 했어."),
        (
            "세션을 Redis에 저장하자.",
            "세션 저장소를 Redis에서 Valkey로 전환했어.",
        ),
        ("캐시는 레디스에 두자.", "레디스에서 발키로 갈아탔어."),
        (
            "세션은 Redis에 저장하기로 결정했어.",
            "Redis에서 Valkey로 마이그레이션했어.",
        ),
        ("백업은 S3에 저장하자.", "백업은 이제 GCS에 저장하자."),
        (
            "セッションはRedisに保存しましょう。",
            "RedisからValkeyに移行しました。",
        ),
        (
            "セッションはRedisに保存することにした。",
            "セッションをRedisからValkeyに変えました。",
        ),
        (
            "ログはS3に置くことにしました。",
            "ログの保存先をS3からGCSに移しました。",
        ),
    ]);
    stays(&[
        ("로그는 S3에 저장하자.", "이미지를 S3에서 GCS로 옮기자."),
        (
            "세션은 Redis에 저장하자.",
            "캐시를 Redis에서 Valkey로 바꾸자.",
        ),
        ("세션은 Redis에 저장하자.", "Memcached에서 Valkey로 바꾸자."),
    ]);
}

#[test]
fn a_switch_that_is_reported_replaces_what_was_chosen() {
    is_replaced(&[
        (
            "セッションはRedisでいきましょう。",
            "RedisからValkeyに切り替えた。",
        ),
        (
            "キューはRabbitMQにしましょう。",
            "キューをRabbitMQからKafkaに置き換えました。",
        ),
        (
            "キューはRabbitMQにしましょう。",
            "キューはRabbitMQからKafkaに変わりました。",
        ),
        (
            "キューはRabbitMQにしましょう。",
            "キューをRabbitMQからKafkaに切り替え済みです。",
        ),
        (
            "キャッシュはレディスにしましょう。",
            "レディスからバルキーに乗り換えました。",
        ),
        ("会话存到Redis吧。", "会话已经从Redis迁移到Valkey了。"),
        (
            "我们决定用RabbitMQ做消息队列。",
            "消息队列从RabbitMQ切换到Kafka了。",
        ),
        (
            "我们决定用RabbitMQ做消息队列。",
            "我们把RabbitMQ换成了Kafka。",
        ),
        (
            "我们决定用RabbitMQ做消息队列。",
            "我们已经把消息队列从RabbitMQ改为Kafka。",
        ),
        (
            "我们决定用RabbitMQ做消息队列。",
            "消息队列已从RabbitMQ迁到Kafka。",
        ),
        ("队列用RabbitMQ吧。", "我们从RabbitMQ转到Kafka了。"),
        ("队列用RabbitMQ吧。", "我们最终决定从RabbitMQ迁移到Kafka。"),
        ("队列用RabbitMQ吧。", "队列从RabbitMQ搬到Kafka了。"),
        (
            "메시지 큐는 RabbitMQ로 하자.",
            "메시지 큐를 RabbitMQ에서 Kafka로 전환했습니다.",
        ),
        (
            "메시지 큐는 RabbitMQ로 하자.",
            "메시지 큐를 RabbitMQ에서 Kafka로 바꿨습니다.",
        ),
        (
            "메시지 큐는 RabbitMQ로 하자.",
            "RabbitMQ에서 Kafka로 이전했어요.",
        ),
        (
            "메시지 큐는 RabbitMQ로 하자.",
            "큐는 RabbitMQ에서 Kafka로 갈아탔어.",
        ),
        (
            "Let's use RabbitMQ for the queue.",
            "Let's change the queue from RabbitMQ to Kafka.",
        ),
        (
            "Let's use RabbitMQ for the queue.",
            "We've changed from RabbitMQ to Kafka.",
        ),
        (
            "Let's use RabbitMQ for the queue.",
            "We replaced RabbitMQ with Kafka.",
        ),
        (
            "Let's use RabbitMQ for the queue.",
            "We swapped RabbitMQ for Kafka.",
        ),
        (
            "Let's store sessions in Redis.",
            "We changed the session store from Redis to Valkey.",
        ),
        (
            "Let's use RabbitMQ for the queue.",
            "We changed the queue from RabbitMQ to Kafka.",
        ),
    ]);
    stays(&[
        (
            "セッションはRedisにしましょう。",
            "キャッシュをRedisからValkeyに変更しました。",
        ),
        (
            "キューはRabbitMQにしましょう。",
            "キューをActiveMQからKafkaに変更しました。",
        ),
        ("缓存用Redis吧。", "我们把会话存储从Redis换成Valkey了。"),
        ("队列用RabbitMQ吧。", "我们把队列从ActiveMQ迁移到Kafka了。"),
        (
            "메시지 큐는 RabbitMQ로 하자.",
            "로그 수집을 RabbitMQ에서 Kafka로 변경했어.",
        ),
        (
            "Let's use Redis for the cache.",
            "We changed the session store from Redis to Valkey.",
        ),
        (
            "Let's use Redis for the cache.",
            "We migrated the sessions from Redis to Valkey.",
        ),
        (
            "Let's use RabbitMQ for the queue.",
            "We changed the queue from ActiveMQ to Kafka.",
        ),
        (
            "Let's use RabbitMQ for the queue.",
            "We changed the name from Foo to Bar.",
        ),
    ]);
}

#[test]
fn another_number_for_the_same_thing_replaces_the_older_one() {
    is_replaced(&[
        (
            "The gateway listens on port 8080 for the time being.",
            "We moved the gateway to port 9090.",
        ),
        (
            "Let's set the payment timeout to 15 seconds.",
            "We changed the payment timeout to 30 seconds.",
        ),
        (
            "Let's set the payment timeout to 15 seconds.",
            "Let's raise the payment timeout to 30 seconds.",
        ),
        (
            "Let's set the payment timeout to 15 seconds.",
            "We've raised the payment timeout to 30 seconds.",
        ),
        (
            "Let's set the payment timeout to 15 seconds.",
            "Let's bump the payment timeout up to 30s.",
        ),
        (
            "Let's set the payment timeout to 15 seconds.",
            "Let's set the payment timeout to 30 seconds instead.",
        ),
        (
            "Let's set the payment timeout to 15 seconds.",
            "Let's set the timeout of the payment to 1 minute.",
        ),
        (
            "Let's set the payment timeout to 15 seconds.",
            "We raised the payment timeout to 30 seconds because of the bank.",
        ),
        (
            "We decided to set the retry limit to 3.",
            "We decided to raise the retry limit to 5.",
        ),
        ("Let's cap uploads at 10 MB.", "Let's cap uploads at 20 MB."),
        (
            "Let's keep logs for 30 days.",
            "Let's keep logs for 90 days.",
        ),
        (
            "결제 타임아웃은 15초로 하자.",
            "결제 타임아웃을 30초로 늘리자.",
        ),
        (
            "결제 타임아웃은 15초로 하자.",
            "결제 타임아웃을 30초로 변경했어.",
        ),
        (
            "결제 타임아웃은 15초로 하자.",
            "결제 타임아웃 30초로 바꿨어.",
        ),
        (
            "결제 타임아웃을 15초로 설정하자.",
            "결제 타임아웃은 10초로 줄이기로 했어.",
        ),
        ("재시도는 3번으로 하자.", "재시도를 5번으로 올리자."),
        (
            "決済のタイムアウトは15秒にしましょう。",
            "決済タイムアウトを30秒に変更しました。",
        ),
        (
            "決済のタイムアウトは15秒にしましょう。",
            "決済のタイムアウトを15秒から30秒に延ばしましょう。",
        ),
        (
            "決済のタイムアウトは15秒にしましょう。",
            "決済のタイムアウトは30秒にしましょう。",
        ),
        ("リトライは3回にしよう。", "リトライを5回に増やそう。"),
        (
            "決済のタイムアウトは15秒にしましょう。",
            "決済のタイムアウトを30秒に上げることにした。",
        ),
        (
            "決済のタイムアウトは15秒にします。",
            "決済のタイムアウトを30秒に変えます。",
        ),
        ("支付超时定为15秒。", "支付超时从15秒改成30秒。"),
        ("支付超时定为15秒。", "把支付超时改成30秒吧。"),
        ("支付超时定为15秒。", "我们把支付超时调到30秒了。"),
        ("支付的超时设为15秒吧。", "支付超时改为30秒。"),
        ("重试次数定为3次。", "重试次数增加到5次吧。"),
        ("重试次数定为3次。", "重试次数改成5次。"),
    ]);
    stays(&[
        (
            "Let's set the payment timeout to 15 seconds.",
            "Let's change the search timeout to 30 seconds.",
        ),
        (
            "Let's set the payment timeout to 15 seconds.",
            "Let's set the payment timeout on staging to 30 seconds.",
        ),
        (
            "Let's set the payment timeout to 15 seconds.",
            "Let's set the payment timeout to 15s.",
        ),
        (
            "Let's set the payment timeout to 15 seconds.",
            "Let's set the payment retries to 3.",
        ),
        (
            "Let's set the timeout to 15 seconds for uploads.",
            "Let's set the timeout to 30 seconds for downloads.",
        ),
        (
            "결제 타임아웃은 15초로 하자.",
            "검색 타임아웃을 30초로 바꾸자.",
        ),
        (
            "결제 타임아웃은 15초로 하자.",
            "결제 재시도를 3번으로 바꾸자.",
        ),
        (
            "결제 타임아웃은 15초로 하자.",
            "스테이징 결제 타임아웃을 30초로 바꾸자.",
        ),
        (
            "決済のタイムアウトは15秒にしましょう。",
            "検索のタイムアウトを30秒に変更しましょう。",
        ),
        (
            "決済のタイムアウトは15秒にしましょう。",
            "ステージングの決済のタイムアウトを30秒に変更しましょう。",
        ),
        ("支付超时定为15秒。", "搜索超时改成30秒。"),
        ("支付超时定为15秒。", "测试环境的支付超时改成30秒。"),
    ]);
}

#[test]
fn another_owner_or_rule_replaces_the_older_one() {
    is_replaced(&[
        ("担当は田中さんです。", "担当は鈴木さんに変わりました。"),
        (
            "決済の担当は田中さんです。",
            "決済の担当は鈴木さんになりました。",
        ),
        (
            "決済サービスの担当は田中さんです。",
            "今は鈴木さんが決済サービスを担当しています。",
        ),
        ("支付服务由小王负责。", "支付服务现在由小李负责。"),
        ("支付服务由小王负责。", "支付服务改由小李负责。"),
        ("支付服务的负责人是小王。", "小李接手了支付服务。"),
        ("항상 한국어로 답해 줘.", "이제부터는 영어로 답해 줘."),
        (
            "Mina is in charge of the billing service.",
            "The billing service is now owned by Jonas.",
        ),
    ]);
    stays(&[
        (
            "決済の担当は田中さんです。",
            "検索の担当は鈴木さんになりました。",
        ),
        ("支付服务由小王负责。", "搜索服务现在由小李负责。"),
        ("항상 한국어로 답해 줘.", "이제부터는 테스트를 먼저 써 줘."),
    ]);
}

#[test]
fn a_decision_and_a_fact_that_say_the_same_replace_each_other() {
    is_replaced(&[
        (
            "At present the billing service runs on port 8080.",
            "The billing service runs on port 9090 now.",
        ),
        (
            "We use Redis for the cache.",
            "Let's switch from Redis to Valkey for the cache.",
        ),
        ("We decided to ship on Friday.", "We now ship on Monday."),
        (
            "We deploy on Fridays for now.",
            "We deploy on Wednesdays now.",
        ),
    ]);
    stays(&[(
        "We use Redis for the cache.",
        "Let's use Valkey for the sessions.",
    )]);
}

#[test]
fn what_is_only_measured_renamed_or_asked_for_is_no_decision() {
    for text in [
        "延迟降到30毫秒了。",
        "内存占用增加到2GB了。",
        "能不能把支付超时改成30秒？",
        "タイムアウトを30秒に変更してください。",
        "변수 이름을 foo에서 bar로 변경했어.",
        "変数名をfooからbarに変更しました。",
        "把变量名从foo改成bar了。",
        "짐을 방에서 거실로 옮겼어.",
        "荷物を部屋から倉庫に移しました。",
        "我从北京搬到上海了吗？",
        "支払いが失敗してステータスがpendingからerrorに変わりました。",
        "상태가 pending에서 error로 바뀌었어.",
        "状态从pending变成了error。",
        "The status changed from pending to error.",
        "We reduced the build time to 3 minutes.",
        "Latency went down to 30 ms.",
    ] {
        assert!(!decides(text), "{text}");
    }
}

#[test]
fn what_hands_over_a_secret_is_no_decision_and_no_fact() {
    for text in [
        "部署用的令牌 [REDACTED] ，不要外传。",
        "Use this for the staging bucket: AWS_ACCESS_KEY_ID=[REDACTED] and AWS_SECRET_ACCESS_KEY=[REDACTED]",
        "스테이징 서버 토큰은 [REDACTED] 이야.",
        "ステージングのAPIキーは[REDACTED]です。",
    ] {
        let kinds: Vec<EntryType> = learned(text).into_iter().map(|(kind, _)| kind).collect();
        let states = |kind| matches!(kind, EntryType::Decision | EntryType::Fact);
        assert!(!kinds.iter().any(|kind| states(*kind)), "{text}: {kinds:?}");
    }
    // What is decided or stated beside it is.
    for text in [
        "We decided to use Vault instead of putting PASSWORD=[REDACTED] into the .env file.",
        "The staging database is postgres://app:[REDACTED]@db.internal:5432/app.",
        "We use Redis for sessions at redis://:[REDACTED]@cache.internal:6379.",
        "We decided that postgres://app:[REDACTED]@db.internal/app stays read-only.",
    ] {
        assert_eq!(learned(text).len(), 1, "{text}");
    }
    let text = "The token is [REDACTED]. We decided to use Redis for the sessions.";
    assert_eq!(learned(text).len(), 1);
}

#[test]
fn what_a_task_waits_for_arrives_by_its_name_or_its_issue() {
    for texts in [
        [
            "The release is waiting for the certificate.",
            "The certificate arrived.",
        ],
        [
            "The release is waiting for the certificate.",
            "The certificate is here.",
        ],
        [
            "The release is waiting for the certificate.",
            "The certificate has arrived.",
        ],
        [
            "The release is waiting for the certificate.",
            "We got the certificate.",
        ],
        [
            "The release is waiting for the certificate.",
            "We received the certificate today.",
        ],
        [
            "The release is waiting for the certificate.",
            "The certificate came in this morning.",
        ],
        [
            "The release is waiting for the certificate.",
            "We have the certificate now.",
        ],
        [
            "The release is waiting for the certificate.",
            "The certificate has been issued.",
        ],
        ["The release is waiting for OPS-311.", "OPS-311 is closed."],
        [
            "The release is waiting for OPS-311.",
            "OPS-311 is closed, the certificate arrived.",
        ],
        [
            "The release is waiting for the certificate, see OPS-311.",
            "OPS-311 is closed, the certificate arrived.",
        ],
        [
            "The release is waiting for the certificate, see OPS-311.",
            "OPS-311 is closed.",
        ],
        [
            "The release is waiting for the certificate, see OPS-311.",
            "The certificate arrived.",
        ],
        [
            "The release is waiting for the certificate (OPS-311).",
            "OPS-311 is closed.",
        ],
        [
            "The release is waiting for the certificate (OPS-311).",
            "The certificate arrived.",
        ],
        [
            "The release is waiting for the certificate.",
            "OPS-311 is closed, the certificate arrived.",
        ],
        [
            "The release is blocked by the security review (SEC-12).",
            "SEC-12 is done.",
        ],
        ["릴리스는 인증서를 기다리고 있어.", "인증서가 도착했어."],
        ["릴리스는 인증서를 기다리고 있어.", "인증서 받았어."],
        ["릴리스는 인증서를 기다리고 있어.", "인증서가 나왔어요."],
        ["릴리스는 인증서를 기다리고 있어.", "인증서가 왔어."],
        ["릴리스는 인증서를 기다리고 있어.", "인증서가 발급됐어."],
        [
            "릴리스는 인증서를 기다리고 있어 (OPS-311 참고).",
            "OPS-311 해결됐어.",
        ],
        [
            "릴리스는 인증서를 기다리고 있어, OPS-311 참고.",
            "OPS-311 닫혔어, 인증서 도착했어.",
        ],
        ["リリースは証明書を待っています。", "証明書が届きました。"],
        ["リリースは証明書を待っています。", "証明書が来ました。"],
        [
            "リリースは証明書を待っています。",
            "証明書を受け取りました。",
        ],
        [
            "リリースは証明書を待っています。",
            "証明書が発行されました。",
        ],
        [
            "リリースは証明書を待っています。",
            "証明書が手に入りました。",
        ],
        [
            "リリースは証明書を待っています（OPS-311参照）。",
            "OPS-311は解決しました。",
        ],
        [
            "リリースは証明書を待っています（OPS-311）。",
            "証明書が届きました。",
        ],
        [
            "リリースは証明書を待っています。",
            "OPS-311は完了しました、証明書が届きました。",
        ],
        ["发布在等证书。", "证书到了。"],
        ["发布在等证书。", "证书已经到了。"],
        ["发布在等证书。", "证书拿到了。"],
        ["发布在等证书。", "拿到证书了。"],
        ["发布在等证书。", "收到证书了。"],
        ["发布在等证书。", "证书下来了。"],
        ["发布在等证书。", "我们收到了证书。"],
        ["发布还在等证书，见OPS-311。", "OPS-311解决了。"],
        ["发布还在等证书（OPS-311）。", "证书到了。"],
        ["发布还在等证书。", "OPS-311解决了，证书到了。"],
    ] {
        assert!(is_over(&texts), "{texts:?}: {:?}", task_after(&texts));
    }
    for texts in [
        [
            "The release is waiting for the certificate.",
            "The contract arrived.",
        ],
        [
            "The release is waiting for the certificate.",
            "The certificate has not arrived.",
        ],
        [
            "The release is waiting for the certificate, see OPS-311.",
            "OPS-312 is closed.",
        ],
        [
            "The release is waiting for the certificate.",
            "When the certificate arrives, we ship.",
        ],
        [
            "The release is waiting for the certificate.",
            "I hope we get the certificate.",
        ],
        ["发布在等证书。", "合同到了。"],
        ["发布在等证书。", "证书还没到。"],
        ["发布在等证书。", "证书快到了。"],
        ["リリースは証明書を待っています。", "契約書が届きました。"],
        [
            "リリースは証明書を待っています。",
            "証明書はまだ届きません。",
        ],
        ["릴리스는 인증서를 기다리고 있어.", "계약서가 도착했어."],
        ["릴리스는 인증서를 기다리고 있어.", "인증서가 아직 안 왔어."],
        [
            "The release is waiting for the audit.",
            "OPS-311 is closed, the certificate arrived.",
        ],
        [
            "The release is blocked by the same bug as OPS-311.",
            "OPS-311 is closed.",
        ],
        [
            "The release is waiting for the rollback of OPS-311.",
            "OPS-311 is done.",
        ],
        [
            "The release is waiting for the certificate, not for OPS-311.",
            "OPS-311 is closed.",
        ],
        [
            "The release is waiting for the certificate, same as OPS-311.",
            "OPS-311 is closed.",
        ],
    ] {
        assert!(!is_over(&texts), "{texts:?}: {:?}", task_after(&texts));
    }
}

#[test]
fn a_report_finishes_the_task_that_it_names() {
    for texts in [
        ["待办：修复库存同步任务", "我修复了库存同步任务。"],
        ["待办：修复库存同步任务", "我把库存同步任务修好了。"],
        ["待办：修复库存同步任务", "库存同步任务修好了。"],
        ["待办：修复库存同步任务", "库存同步任务我修复了。"],
        ["待办：修复库存同步任务", "我已经修复了库存同步任务。"],
        ["待办：修复登录的bug", "登录的bug修好了。"],
        ["待办：更新文档", "我更新了文档。"],
        ["待办：更新文档", "我们把文档更新了。"],
        ["待办：写迁移指南", "迁移指南写完了。"],
        ["待办：写迁移指南", "我写好了迁移指南。"],
        ["待办：轮换签名密钥", "我轮换了签名密钥。"],
        [
            "TODO: 在庫同期のジョブを直す",
            "在庫同期のジョブを直しました。",
        ],
        ["TODO: ログインのバグを直す", "ログインのバグは直りました。"],
        ["TODO: ログインのバグを直す", "ログインのバグを直した。"],
        [
            "TODO: ログインのバグを修正する",
            "ログインのバグは直りました。",
        ],
        [
            "TODO: ドキュメントを更新する",
            "ドキュメントを更新しました。",
        ],
        ["할 일: 로그인 버그 고치기", "로그인 버그 고쳤어."],
        [
            "할 일: 재고 동기화 작업 수정하기",
            "재고 동기화 작업을 수정했어.",
        ],
        [
            "TODO: fix the stock sync job",
            "I fixed the stock sync job.",
        ],
        ["할 일: 로그인 버그 고치기", "로그인 버그가 해결됐어."],
    ] {
        assert!(is_over(&texts), "{texts:?}: {:?}", task_after(&texts));
    }
    for texts in [
        ["TODO: Update the certificate", "The certificate arrived."],
        ["待办：更新证书", "证书到了。"],
        ["待办：更新证书", "收到证书了。"],
        ["待办：修复库存同步任务", "我修复了订单同步任务。"],
        ["待办：修复库存同步任务", "我没修复库存同步任务。"],
        ["待办：更新文档", "我删除了文档。"],
        ["待办：更新文档", "我看了文档。"],
        ["待办：修复库存同步任务", "我打算修复库存同步任务。"],
        [
            "TODO: ログインのバグを直す",
            "ログアウトのバグは直りました。",
        ],
        [
            "TODO: ログインのバグを直す",
            "ログインのバグはまだ直っていません。",
        ],
        ["TODO: 在庫のレポートを直す", "在庫のエラーは解決しました。"],
        ["待办：记录登录的bug", "登录的bug修好了。"],
    ] {
        assert!(!is_over(&texts), "{texts:?}: {:?}", task_after(&texts));
    }
}

#[test]
fn another_day_of_the_week_replaces_the_older_one() {
    is_replaced(&[
        (
            "We decided to deploy every Friday at noon.",
            "We decided to move the deploy day from Friday to Wednesday.",
        ),
        (
            "We decided to deploy every Friday at noon.",
            "Let's move deploys from Friday to Wednesday.",
        ),
        (
            "We deploy on Fridays.",
            "We moved the deploys from Fridays to Wednesdays.",
        ),
        (
            "배포는 매주 금요일 정오에 하기로 결정했어.",
            "배포 요일을 금요일에서 수요일로 바꾸기로 했어.",
        ),
        (
            "배포는 매주 금요일 정오에 하기로 결정했어.",
            "배포를 금요일에서 수요일로 변경했어.",
        ),
        (
            "デプロイは毎週金曜日にすることにしました。",
            "デプロイの曜日を金曜から水曜に変更しました。",
        ),
        (
            "デプロイは毎週金曜日にすることにした。",
            "デプロイの曜日を金曜日から水曜日に移しました。",
        ),
        ("我们决定每周五发布。", "我们决定把发布日从周五改到周三。"),
        ("我们决定每周五发布。", "发布从周五改到周三了。"),
    ]);
    stays(&[
        (
            "We decided to deploy every Friday at noon.",
            "We decided to move the retro from Friday to Wednesday.",
        ),
        (
            "We decided to deploy every Friday at noon.",
            "We decided to move the deploy day from Monday to Wednesday.",
        ),
        (
            "배포는 매주 금요일 정오에 하기로 결정했어.",
            "회고를 금요일에서 수요일로 바꾸기로 했어.",
        ),
        (
            "デプロイは毎週金曜日にすることにしました。",
            "朝会を金曜から水曜に変更しました。",
        ),
        ("我们决定每周五发布。", "我们决定把评审从周五改到周三。"),
    ]);
}

#[test]
fn a_number_that_was_stated_is_replaced_by_one_that_is_set() {
    is_replaced(&[
        ("支付超时是15秒。", "支付超时现在是30秒。"),
        ("결제 타임아웃은 15초야.", "결제 타임아웃은 이제 30초야."),
        ("결제 타임아웃은 15초야.", "결제 타임아웃을 30초로 늘렸어."),
        (
            "決済のタイムアウトは15秒です。",
            "決済のタイムアウトは30秒になりました。",
        ),
        (
            "The payment timeout is 15 seconds.",
            "We raised the payment timeout to 30 seconds.",
        ),
        (
            "The payment timeout is 15 seconds.",
            "The payment timeout is now 30 seconds.",
        ),
    ]);
    stays(&[
        ("결제 타임아웃은 15초야.", "검색 타임아웃은 이제 30초야."),
        ("The queue has 3 workers.", "The cache has 4 workers."),
        (
            "We have 3 servers in Frankfurt.",
            "We have 5 servers in Oslo.",
        ),
        ("Let's meet at 3.", "Let's meet Bob at 4."),
        (
            "Let's use Python 3.11 for the API.",
            "Let's use Python 3.12 for the importer.",
        ),
        ("로그는 30일 보관하자.", "백업을 90일 보관하는 걸로 바꾸자."),
        ("会議は10時にします。", "朝会を9時に変更しました。"),
        ("会议定在3点。", "评审改到4点。"),
    ]);
}

#[test]
fn a_rule_that_only_speaks_of_a_change_replaces_no_other() {
    stays(&[
        (
            "Never deploy on Fridays.",
            "Never deploy after switching to the standby.",
        ),
        (
            "Always ask before moving files.",
            "Always ask before moving tables.",
        ),
        ("Never move the config files.", "Never move the data files."),
        (
            "You must not switch the branch.",
            "You must not switch the profile.",
        ),
        (
            "Never use switched networks.",
            "Never use bridged networks.",
        ),
        (
            "테이블을 옮기기 전에 항상 물어봐.",
            "파일을 옮기기 전에 항상 물어봐.",
        ),
        (
            "Never change the users table by hand.",
            "Never change the orders table by hand.",
        ),
        (
            "Always run the tests before changing the schema.",
            "Always run the linter before changing the schema.",
        ),
        (
            "Only admins can change the email.",
            "Only admins can change the password.",
        ),
        (
            "Always back up before migrating the database.",
            "Always notify before migrating the database.",
        ),
        (
            "We must not change the public API.",
            "We must not change the database API.",
        ),
        (
            "I prefer small commits when changing tests.",
            "I prefer small commits when changing docs.",
        ),
        (
            "Never migrate the billing tables on Fridays.",
            "Never migrate the search tables on Fridays.",
        ),
        (
            "Please always ask me before changing the config.",
            "Please always ask me before changing the schema.",
        ),
        (
            "설정 변경은 항상 관리자에게 먼저 물어봐.",
            "스키마 변경은 항상 관리자에게 먼저 물어봐.",
        ),
        (
            "운영 DB 스키마는 절대 변경하지 마.",
            "운영 DB 인덱스는 절대 변경하지 마.",
        ),
        (
            "スキーマを変更する前に必ず確認してください。",
            "設定を変更する前に必ず確認してください。",
        ),
        (
            "把缓存换到新机器之前一定要备份。",
            "把队列换到新机器之前一定要备份。",
        ),
    ]);
}

#[test]
fn a_number_set_elsewhere_at_another_time_or_not_at_all_replaces_none() {
    stays(&[
        (
            "Let's set the payment timeout to 15 seconds.",
            "We shouldn't raise the payment timeout to 30 seconds.",
        ),
        (
            "Let's set the payment timeout to 15 seconds.",
            "We agreed never to raise the payment timeout to 30 seconds.",
        ),
        (
            "Let's set the payment timeout to 15 seconds.",
            "In the load test we raised the payment timeout to 30 seconds.",
        ),
        (
            "Let's set the payment timeout to 15 seconds.",
            "Let's set the payment timeout to 30 seconds in CI.",
        ),
        (
            "Let's set the payment timeout to 15 seconds.",
            "Let's set the payment timeout to 30 seconds; only for Acme though.",
        ),
        (
            "Let's set the payment timeout to 15 seconds.",
            "Let's raise the payment timeout to 30 seconds while the migration runs.",
        ),
        (
            "Let's set the payment timeout to 15 seconds.",
            "We lowered the payment timeout to 5 seconds and rolled it back.",
        ),
        (
            "Let's set the payment timeout to 15 seconds.",
            "The vendor raised the payment timeout to 60 seconds.",
        ),
        (
            "결제 타임아웃은 15초로 하자.",
            "결제 타임아웃을 30초로 늘리는 건 반대야.",
        ),
        (
            "결제 타임아웃은 15초로 하자.",
            "테스트에서만 결제 타임아웃을 30초로 늘리자.",
        ),
        (
            "결제 타임아웃은 15초로 하자.",
            "결제 타임아웃을 30초로 늘렸다가 다시 줄였어.",
        ),
        (
            "決済のタイムアウトは15秒にしましょう。",
            "決済のタイムアウトを30秒に変更しないでください。",
        ),
        (
            "決済のタイムアウトは15秒にしましょう。",
            "検証環境では決済のタイムアウトを30秒に変更しましょう。",
        ),
        (
            "決済のタイムアウトは15秒にしましょう。",
            "決済のタイムアウトを30秒に変更しましたが、元に戻しました。",
        ),
        ("支付超时定为15秒。", "别把支付超时改成30秒。"),
        (
            "支付超时定为15秒。",
            "我们把支付超时改成30秒了，后来又改回来了。",
        ),
        ("支付超时定为15秒。", "只在预发把支付超时改成30秒。"),
        (
            "Let's set the payment timeout to 15 seconds.",
            "Let's set the payment timeout to 30 seconds, but only on staging.",
        ),
        (
            "Let's set the payment timeout to 15 seconds.",
            "On staging, let's set the payment timeout to 30 seconds.",
        ),
        (
            "Let's set the payment timeout to 15 seconds.",
            "For the demo tomorrow, let's set the payment timeout to 60 seconds.",
        ),
        (
            "Let's set the payment timeout to 15 seconds.",
            "In the old system we set the payment timeout to 60 seconds.",
        ),
        (
            "Let's set the payment timeout to 15 seconds.",
            "At my previous company we set the payment timeout to 60 seconds.",
        ),
        (
            "Let's set the payment timeout to 15 seconds.",
            "Bob said: let's set the payment timeout to 60 seconds.",
        ),
        (
            "Let's set the payment timeout to 15 seconds.",
            "Let's not set the payment timeout to 60 seconds.",
        ),
        (
            "Let's cap uploads at 10 MB.",
            "For Acme, let's cap uploads at 50 MB.",
        ),
        (
            "Let's set the timeout to 15 seconds.",
            "Let's set the timeout to 15000 ms.",
        ),
        (
            "결제 타임아웃은 15초로 하자.",
            "스테이징에서는, 결제 타임아웃을 30초로 바꾸자.",
        ),
        (
            "결제 타임아웃은 15초로 하자.",
            "결제 타임아웃을 30초로 바꾸자고 했는데 반대했어.",
        ),
        (
            "결제 타임아웃은 15초로 하자.",
            "결제 타임아웃을 30초로 바꾸지 말자.",
        ),
        (
            "決済のタイムアウトは15秒にしましょう。",
            "去年、決済のタイムアウトを60秒に変更しました。",
        ),
        ("支付超时定为15秒。", "在测试环境，把支付超时改成30秒吧。"),
        (
            "Let's keep the cache at 2 GB.",
            "Let's keep the cache at 2 replicas.",
        ),
        (
            "Let's limit the pool to 10 connections.",
            "Let's limit the pool to 3 threads.",
        ),
        (
            "Let's set the meeting to 30 minutes.",
            "Let's set the meeting to 3 pm.",
        ),
        ("Let's set the price to $20.", "Let's set the price to €20."),
        (
            "Let's set the payment timeout to 15 seconds.",
            "We changed the payment timeout to 60 seconds and then reverted it.",
        ),
    ]);
}

#[test]
fn a_choice_for_something_else_stays() {
    stays(&[
        (
            "Let's use PostgreSQL for the database.",
            "Let's switch the job queue from PostgreSQL to Redis.",
        ),
        (
            "Let's use S3 for storage.",
            "Let's move the logs from S3 to GCS.",
        ),
        (
            "We decided to use Go for the backend.",
            "Let's migrate the CLI from Go to Rust.",
        ),
        (
            "Let's use Redis for the backend service.",
            "Let's switch the cache from Redis to Valkey.",
        ),
        (
            "데이터베이스는 Postgres로 하자.",
            "작업 큐를 Postgres에서 Redis로 옮기자.",
        ),
        (
            "数据库用Postgres吧。",
            "我们把任务队列从Postgres换成Redis了。",
        ),
        (
            "データベースはPostgresにしましょう。",
            "ジョブキューをPostgresからRedisに移行しました。",
        ),
        (
            "로그는 S3에 저장하자.",
            "로그인 세션을 S3에서 GCS로 옮기자.",
        ),
        (
            "ログはS3に保存しましょう。",
            "ログインの画像をS3からGCSに移行しました。",
        ),
        ("日志存到S3吧。", "我们把审计日志从S3迁移到GCS了。"),
        (
            "We use Redis for the cache.",
            "We use Redis for the queue now.",
        ),
        ("지금은 캐시에 Redis를 써.", "지금은 큐에 Redis를 써."),
    ]);
}

#[test]
fn a_switch_that_is_denied_or_undone_replaces_nothing() {
    stays(&[
        (
            "Let's use Redis for the cache.",
            "We almost switched from Redis to Valkey.",
        ),
        (
            "Let's use Redis for the cache.",
            "We're not switching from Redis to Valkey.",
        ),
        (
            "Let's use Redis for the cache.",
            "We switched from Redis to Valkey and then back.",
        ),
        (
            "Let's use Redis for the cache.",
            "We switched from Redis to Valkey but reverted it.",
        ),
        (
            "캐시는 Redis로 하자.",
            "Redis에서 Valkey로 바꾸는 건 취소하기로 했어.",
        ),
        (
            "キャッシュはRedisにしましょう。",
            "RedisからValkeyへの移行は見送ることにしました。",
        ),
        ("缓存用Redis吧。", "我们决定不从Redis迁移到Valkey。"),
        ("缓存用Redis吧。", "我们没有从Redis迁移到Valkey。"),
        (
            "We use Redis for the cache.",
            "Let's not switch from Redis to Valkey for the cache.",
        ),
        (
            "We use Redis for the cache.",
            "We decided not to switch from Redis to Valkey.",
        ),
        (
            "세션은 Redis에 저장하자.",
            "세션을 Redis에서 Valkey로 옮기지 말자.",
        ),
        (
            "세션은 Redis에 저장하자.",
            "세션을 Redis에서 Valkey로 옮기기로 했다가 취소했어.",
        ),
        (
            "세션은 Redis에 저장하자.",
            "Redis에서 Valkey로 전환했다가 되돌렸어.",
        ),
        (
            "セッションはRedisに保存しましょう。",
            "RedisからValkeyに移行しましたが、元に戻しました。",
        ),
        ("会话存到Redis吧。", "我们别把会话从Redis换成Valkey吧。"),
        (
            "We decided to ship the app on Friday.",
            "We now ship the docs on Friday.",
        ),
        (
            "会话存到Redis吧。",
            "我们把会话从Redis换成Valkey了，又换回来了。",
        ),
    ]);
}

#[test]
fn who_has_something_at_another_time_or_perhaps_replaces_nobody() {
    stays(&[
        (
            "Mina owns the billing service.",
            "If Jonas took over the billing service, we would ship.",
        ),
        (
            "Mina owns the billing service.",
            "Jonas used to own the billing service.",
        ),
        (
            "결제 담당자는 민지야.",
            "결제 담당자는 작년에 지훈으로 바뀌었어.",
        ),
        ("支付服务由小王负责。", "等小李接手了支付服务。"),
        ("支付服务由小王负责。", "去年小李接手了支付服务。"),
        (
            "決済の担当は田中さんです。",
            "決済の担当は去年鈴木さんに変わりました。",
        ),
        (
            "Mina owns the billing service.",
            "The billing service is now owned by nobody.",
        ),
        ("支付服务由小王负责。", "如果小李接手了支付服务。"),
        (
            "決済の担当は田中さんです。",
            "以前は決済の担当は鈴木さんでした。",
        ),
    ]);
}

#[test]
fn an_everyday_report_or_a_setting_of_the_moment_is_no_decision() {
    for text in [
        "We replaced Bob with Alice on the rota.",
        "We swapped Monday for Tuesday.",
        "We replaced Anna for the talk.",
        "We replaced coffee with tea.",
        "We set the table at 7.",
        "I lowered the volume to 3.",
        "We raised the bar to 10.",
        "I changed the channel to 5.",
        "I set the brightness to 80 percent.",
        "I set the zoom to 150%.",
        "We changed the assertion to 42.",
        "We changed the constant to 7 and it compiled.",
        "We set the seed to 42.",
        "Let's set the window size to 80 for this test.",
        "Let's trim the list to 3 items.",
        "볼륨을 3으로 낮췄어.",
        "밝기를 80으로 올렸어.",
        "오븐을 180도로 맞췄어.",
        "줌을 150으로 높였어.",
        "音量を3に下げました。",
        "目覚ましを6時に変えました。",
        "明るさを80に上げました。",
        "オーブンを180度に設定しました。",
        "バッチサイズを64に増やしました。",
        "ズームを150に上げます。",
        "音量调到3了。",
        "把音量调到3吧。",
        "烤箱调到180度。",
        "批大小改成64。",
        "亮度调到80。",
        "从Word转到Excel了。",
        "我从Windows换到Mac了。",
        "結果はtmpに記録します。",
        "アップルからグーグルに変わりました。",
        "バージョンがAからBに変わった。",
        "AからBに変更されました。",
        "我们把ok改成OK了。",
        "从A改成B。",
        "把main改为master了。",
        "main에서 develop으로 변경했어.",
        "Bob said: let's set the payment timeout to 60 seconds.",
        "In the old system we set the payment timeout to 60 seconds.",
        "At my previous company we set the payment timeout to 60 seconds.",
        "결제 타임아웃을 30초로 바꾸자고 했는데 반대했어.",
        "去年、決済のタイムアウトを60秒に変更しました。",
        "去年我们把支付超时改成60秒了。",
    ] {
        assert!(!decides(text), "{text}");
    }
    for text in [
        "小李接手了我的工作。",
        "机器人接管了世界。",
        "AI接管了客服。",
    ] {
        assert_eq!(learned(text), [], "{text}");
    }
}

#[test]
fn what_a_person_corrects_is_replaced() {
    is_replaced(&[
        (
            "The API server listens on port 9090.",
            "No, the API server listens on port 9191.",
        ),
        (
            "The API server listens on port 9090.",
            "Wait, the API server listens on port 9191.",
        ),
        (
            "The API server listens on port 9090.",
            "Correction: the API server listens on port 9191.",
        ),
        (
            "The API server listens on port 9090.",
            "Sorry, the API server listens on port 9191.",
        ),
        (
            "The API server listens on port 9090.",
            "Oops, the API server listens on port 9191.",
        ),
        (
            "The API server listens on port 9090.",
            "I was wrong, the API server listens on port 9191.",
        ),
        (
            "We moved the API server to port 9090.",
            "Sorry, I was wrong: the API server is on port 9191, not 9090.",
        ),
        (
            "API 서버 포트는 9090이야.",
            "아니다, API 서버 포트는 9191이야.",
        ),
        (
            "API 서버 포트는 9090이야.",
            "정정: API 서버 포트는 9191이야.",
        ),
        (
            "API 서버 포트는 9090이야.",
            "미안, API 서버 포트는 9191이야.",
        ),
        (
            "API服务器的端口是9090。",
            "我说错了，API服务器的端口是9191。",
        ),
        ("API服务器的端口是9090。", "更正：API服务器的端口是9191。"),
        (
            "APIサーバーのポートは9090です。",
            "訂正：APIサーバーのポートは9191です。",
        ),
        (
            "APIサーバーのポートは9090です。",
            "いや、APIサーバーのポートは9191です。",
        ),
        (
            "Dana owns the billing service.",
            "Correction: Jonas owns the billing service.",
        ),
        (
            "Dana owns the billing service.",
            "Sorry, Jonas owns the billing service.",
        ),
        (
            "Dana owns the billing service.",
            "Update: Jonas owns the billing service.",
        ),
        (
            "Dana owns the billing service.",
            "Jonas is the new owner of the billing service.",
        ),
        (
            "Dana owns the billing service.",
            "The billing service now belongs to Jonas.",
        ),
        (
            "Dana owns the billing service.",
            "Billing is now Jonas's responsibility.",
        ),
        (
            "We decided to use PostgreSQL for the orders.",
            "On second thought, let's use CockroachDB instead of PostgreSQL.",
        ),
        (
            "We decided to use PostgreSQL for the orders.",
            "Wait, let's use CockroachDB instead of PostgreSQL.",
        ),
        (
            "We decided to use PostgreSQL for the orders.",
            "Sorry, let's use CockroachDB instead of PostgreSQL.",
        ),
        (
            "We decided to use PostgreSQL for the order database.",
            "On second thought, let's store orders in CockroachDB instead of PostgreSQL.",
        ),
    ]);
    stays(&[
        (
            "The API server listens on port 9090.",
            "No, the admin panel listens on port 9191.",
        ),
        (
            "Dana owns the billing service.",
            "Sorry, Jonas owns the search service.",
        ),
        (
            "We decided to use PostgreSQL for the orders.",
            "Wait, let's use MySQL instead of MariaDB.",
        ),
        ("API服务器的端口是9090。", "我说错了，网关的端口是9191。"),
    ]);
}

#[test]
fn a_port_or_an_owner_that_was_changed_is_replaced_in_every_language() {
    is_replaced(&[
        (
            "テストサーバーのポートは8443です。",
            "テストサーバーのポートを9443に変更しました。",
        ),
        (
            "テストサーバーのポートは8443です。",
            "テストサーバーのポートは9443に変わりました。",
        ),
        (
            "APIサーバーのポートは8080です。",
            "APIサーバーのポートを9090に変えました。",
        ),
        (
            "APIサーバーはポート8080で動いています。",
            "APIサーバーをポート9090に移しました。",
        ),
        (
            "APIサーバーはポート8080で動いています。",
            "APIサーバーは今はポート9090で動いています。",
        ),
        (
            "결제 모듈 담당은 민수야.",
            "결제 모듈 담당이 지은으로 바뀌었어.",
        ),
        (
            "결제 모듈 담당은 민수야.",
            "결제 모듈 담당은 지은으로 바뀌었어.",
        ),
        (
            "결제 서비스 담당은 민수입니다.",
            "결제 서비스 담당이 민수에서 지은으로 바뀌었습니다.",
        ),
        (
            "결제 모듈 담당은 민수야.",
            "이제 결제 모듈은 지은이 담당이야.",
        ),
        (
            "결제 모듈은 민수가 담당해.",
            "결제 모듈은 이제 지은이가 담당해.",
        ),
        (
            "환불 기능은 하준이 맡기로 했어.",
            "환불 기능 담당이 하준에서 서연으로 바뀌었어.",
        ),
        ("결제 모듈 담당은 민수야.", "결제 모듈은 지은이 넘겨받았어."),
        (
            "決済の担当は田中さんです。",
            "決済の担当が鈴木さんに変わりました。",
        ),
        (
            "決済の担当は田中さんです。",
            "鈴木さんが決済を引き継ぎました。",
        ),
        (
            "決済は田中さんが担当しています。",
            "今後決済は鈴木さんが担当します。",
        ),
        ("物流模块由小王负责。", "物流模块交给小李负责了。"),
    ]);
    stays(&[
        (
            "テストサーバーのポートは8443です。",
            "本番サーバーのポートを9443に変更しました。",
        ),
        (
            "결제 모듈 담당은 민수야.",
            "검색 모듈 담당이 지은으로 바뀌었어.",
        ),
        (
            "결제 모듈 담당은 민수야.",
            "이제 검색 모듈은 지은이 담당이야.",
        ),
        (
            "決済の担当は田中さんです。",
            "検索の担当が鈴木さんに変わりました。",
        ),
        ("物流模块由小王负责。", "支付模块交给小李负责了。"),
        (
            "Dana owns the billing service.",
            "The search service now belongs to Jonas.",
        ),
    ]);
}

#[test]
fn a_rule_a_number_or_a_colour_that_was_changed_is_replaced_in_every_language() {
    is_replaced(&[
        ("日志保留30天。", "日志保留改成90天。"),
        ("数据库备份每天凌晨3点执行。", "数据库备份改到凌晨4点执行。"),
        ("API服务器的端口是8080。", "API服务器的端口现在是9090。"),
        ("API服务器的端口是8080。", "API服务器已经换到9090端口。"),
        ("항상 탭을 써 줘.", "탭은 절대 쓰지 마."),
        (
            "常にタブを使ってください。",
            "タブは絶対に使わないでください。",
        ),
        ("请始终使用制表符。", "请不要使用制表符。"),
        ("답변은 항상 한국어로 해 줘.", "앞으로 답변은 영어로 해 줘."),
        (
            "コミットメッセージは英語で書いてください。",
            "今後コミットメッセージは日本語で書いてください。",
        ),
        ("请始终用中文写注释。", "以后请用英文写注释。"),
        (
            "I prefer tabs over spaces.",
            "Use spaces instead of tabs from now on.",
        ),
        (
            "The hosting budget is 1,200 euros a month.",
            "The hosting budget was raised to 1,500 euros a month.",
        ),
        (
            "The hosting budget is 1,200 euros a month.",
            "The hosting budget is now 1,500 euros a month.",
        ),
        (
            "앱 아이콘은 파란색으로 하자.",
            "앱 아이콘을 빨간색으로 바꾸자.",
        ),
    ]);
    stays(&[
        ("日志保留30天。", "备份保留改成90天。"),
        ("항상 탭을 써 줘.", "세미콜론은 절대 쓰지 마."),
        (
            "常にタブを使ってください。",
            "セミコロンは絶対に使わないでください。",
        ),
        ("请始终使用制表符。", "请不要使用分号。"),
        ("앞으로 커밋은 영어로 써 줘.", "앞으로 주석은 영어로 써 줘."),
        (
            "コミットメッセージは英語で書いてください。",
            "今後コメントは日本語で書いてください。",
        ),
        ("请始终用中文写注释。", "以后请用英文写文档。"),
        (
            "I prefer tabs over spaces.",
            "Use single quotes instead of double quotes from now on.",
        ),
        (
            "The hosting budget is 1,200 euros a month.",
            "The travel budget was raised to 1,500 euros a month.",
        ),
        ("앱 아이콘은 파란색으로 하자.", "배경을 빨간색으로 바꾸자."),
        (
            "アプリのアイコンは青にしましょう。",
            "背景を赤に変更しましょう。",
        ),
    ]);
}

#[test]
fn who_goes_back_to_what_was_before_replaces_what_came_between() {
    let switch = "Let's switch from Redis to Valkey.";
    is_replaced(&[
        (switch, "Let's go back to Redis."),
        (switch, "Let's switch from Valkey back to Redis."),
        (
            "We moved the API server to port 9090.",
            "We moved the API server back to port 8080.",
        ),
        (
            "Redis에서 Valkey로 바꾸자.",
            "Valkey에서 다시 Redis로 바꾸자.",
        ),
        ("Redis에서 Valkey로 바꾸자.", "Valkey에서 Redis로 돌아가자."),
        (
            "RedisからValkeyに切り替えましょう。",
            "ValkeyからRedisに戻しましょう。",
        ),
        ("把Redis换成Valkey吧。", "把Valkey换回Redis吧。"),
    ]);
    stays(&[
        (
            "Let's switch from Redis to Valkey for the sessions.",
            "Let's go back to Redis for the job queue.",
        ),
        (
            "We moved the API server to port 9090.",
            "We moved the admin panel back to port 8080.",
        ),
    ]);
}

#[test]
fn who_ends_or_goes_on_with_a_talk_decides_nothing() {
    for text in [
        "let's call it a day",
        "let's go on with the release",
        "let's go back to the bug from yesterday",
        "let's go with the flow lol",
        "Let's have lunch at 12.",
        "오늘은 여기까지 하자.",
        "점심은 김밥으로 하자",
        "농담인데 COBOL로 하자 ㅋㅋ",
        "今日はここまでにしましょう。",
        "お昼はラーメンにしましょう",
        "冗談だけどCOBOLにしましょう笑",
        "今天就到这里吧。",
        "开玩笑，用COBOL吧哈哈",
    ] {
        assert_eq!(learned(text), [], "{text}");
    }
}

#[test]
fn another_thing_of_the_same_person_and_an_answer_replace_nothing() {
    stays(&[
        (
            "Alice owns the billing service.",
            "The search service now belongs to Alice.",
        ),
        (
            "Alice owns the billing service.",
            "Alice is the new owner of the search service.",
        ),
        (
            "Alice owns the billing service.",
            "No, Alice owns the search service.",
        ),
        (
            "Alice owns the billing service.",
            "Alice took over the search service from Bob.",
        ),
        (
            "결제 모듈 담당은 민수야.",
            "검색 모듈 담당이 민수로 바뀌었어.",
        ),
        (
            "결제 모듈 담당은 민수야.",
            "이제 검색 모듈은 민수가 담당이야.",
        ),
        (
            "決済の担当は田中さんです。",
            "いいえ、検索の担当は田中さんです。",
        ),
        ("物流模块由小王负责。", "不，支付模块由小王负责。"),
        (
            "The frontend uses TypeScript.",
            "No, the backend uses TypeScript.",
        ),
        (
            "The tests run on Jenkins.",
            "No, the builds run on Jenkins.",
        ),
        (
            "We use MySQL in production.",
            "No, we use MySQL in staging.",
        ),
        (
            "We decided to ship the app on Friday.",
            "No, we decided to ship the docs on Friday.",
        ),
        ("We deploy on Fridays.", "No, we release on Fridays."),
        ("We chose pnpm.", "Update: we chose Vitest."),
        ("답변은 항상 한국어로 해 줘.", "앞으로 답변은 짧게 해 줘."),
        (
            "커밋 메시지는 한국어로 써 줘.",
            "앞으로 커밋 메시지는 현재형으로 써 줘.",
        ),
        (
            "回答は日本語で書いてください。",
            "これからは回答はMarkdownで書いてください。",
        ),
        ("请用中文回答。", "以后请用列表回答。"),
        (
            "Please answer in French.",
            "From now on please answer in bullets.",
        ),
        (
            "I prefer tabs over spaces.",
            "For this Makefile example let's use spaces instead of tabs.",
        ),
        (
            "I prefer REST over GraphQL.",
            "We decided to use GraphQL instead of REST for the mobile app.",
        ),
        (
            "アプリのアイコンは青にしましょう。",
            "アプリのアイコンを丸い形に変更しましょう。",
        ),
        (
            "システムの管理者は田中さんです。",
            "システムの管理者がログアウト状態になった。",
        ),
        ("결제 담당은 민수야.", "결제 담당이 휴가로 변경됐어."),
        (
            "Mina owns security.",
            "Security is now everybody's responsibility.",
        ),
        (
            "Mina owns the first service.",
            "Sorry, Jonas owns the second service.",
        ),
        ("Mina owns it.", "Sorry, Jonas owns that."),
        (
            "Let's use Valkey instead of Redis.",
            "Actually, let's use Redis for the queue.",
        ),
        (
            "We decided to use Vitest instead of Jest.",
            "Sorry, let's use Jest for the legacy package.",
        ),
        ("Redis 대신 Valkey를 쓰자.", "앞으로 큐는 Redis를 쓰자."),
        ("我们决定用Valkey代替Redis。", "以后队列用Redis吧。"),
    ]);
    is_replaced(&[
        ("결제 담당자는 지은.", "결제 담당자는 이제 하은."),
        ("결제 담당은 지은이야.", "결제 담당이 하은으로 바뀌었어."),
    ]);
}

#[test]
fn what_is_measured_and_what_a_program_takes_over_is_no_fact() {
    for text in [
        "The file is now 300 lines.",
        "The coverage is now 85%.",
        "The build is now 5 minutes faster.",
        "The version was bumped to 3.2 but it broke the build.",
        "It is now everyone's responsibility.",
        "The future now belongs to AI.",
        "자식 클래스가 속성을 이어받았어.",
        "서버가 요청을 넘겨받았어.",
        "管理者が不在になった。",
        "内存交给GC管理。",
    ] {
        assert_eq!(learned(text), [], "{text}");
    }
}

#[test]
fn what_only_sounds_like_the_end_of_a_talk_is_decided() {
    for text in [
        "배포는 저녁 8시로 하자.",
        "백업은 아침 6시로 하자.",
        "Let's take a snapshot of the database every night.",
        "Let's move on to Kubernetes for the deployment.",
        "デプロイはお昼は避けることにしました。",
    ] {
        assert!(decides(text), "{text}");
    }
    for text in [
        "休日の担当は鈴木さんです。",
        "システムの状態管理の担当は鈴木さんです。",
    ] {
        assert_eq!(learned(text), [(EntryType::Fact, text)], "{text}");
    }
}

#[test]
fn what_is_narrowed_behind_replaces_nothing_that_is_general() {
    stays(&[
        (
            "The API runs on port 8080.",
            "Sorry, the API runs on port 9090, but only on staging.",
        ),
        (
            "API 포트는 8080이야.",
            "아니다, API 포트는 9090이야, 스테이징에서는.",
        ),
        (
            "APIのポートは8080です。",
            "訂正：APIのポートは9090です、ステージングでは。",
        ),
        ("API的端口是8080。", "更正：API的端口是9090，在测试环境。"),
        (
            "결제 담당은 민수야.",
            "이제 결제 담당은 지은이야, 주말에는.",
        ),
        (
            "결제 담당은 민수야.",
            "결제 담당이 지은으로 바뀌었어, 이번 주만.",
        ),
        (
            "결제 담당은 민수야.",
            "결제 담당은 이제 지은이야 (스테이징만).",
        ),
        (
            "決済の担当は田中さんです。",
            "決済の担当は今後鈴木さんです、夜間だけ。",
        ),
        ("支付由小王负责。", "以后支付由小李负责，但只在周末。"),
        (
            "Let's use Redis for the cache.",
            "Sorry, let's use Valkey for the cache, only on staging.",
        ),
        (
            "캐시는 Redis로 하자.",
            "앞으로 캐시는 Valkey로 하자, 스테이징에서만.",
        ),
        ("缓存用Redis吧。", "以后缓存用Valkey吧，只在测试环境。"),
        (
            "常にタブを使ってください。",
            "タブは使わないでください、YAMLでは。",
        ),
    ]);
}

#[test]
fn from_now_on_is_no_place() {
    let old = "I prefer tabs over spaces.";
    let of = |title| Reversal::of(EntryType::Decision, title).expect("takes something back");
    for title in [
        "From now on use spaces instead of tabs.",
        "Use spaces instead of tabs from now on.",
    ] {
        let change = of(title).does_to(EntryType::Preference, &Older::new(old));
        assert_eq!(change, Some(Change::Replaces), "{title}");
    }
    let elsewhere = of("From now on use spaces instead of tabs in YAML files.");
    assert_eq!(
        elsewhere.does_to(EntryType::Preference, &Older::new(old)),
        None
    );
}

#[test]
fn a_task_is_finished_by_the_passive_of_its_verb() {
    let status = |texts: &[&str]| task_after(texts).map(|task| task.0).unwrap_or_default();
    for (asked, report) in [
        ("TODO: renew the certificate", "The certificate is renewed."),
        (
            "TODO: renew the certificate",
            "The certificate was renewed.",
        ),
        (
            "TODO: renew the certificate",
            "the certificate has been renewed",
        ),
        ("TODO: pay the invoice", "The invoice is paid."),
        ("TODO: pay the invoice", "I paid the invoice."),
        ("TODO: buy the tickets", "The tickets were bought."),
        ("TODO: buy the tickets", "I've bought the tickets."),
        ("TODO: restore the backup", "The backup was restored."),
        ("TODO: sign the contract", "The contract is signed."),
        ("TODO: approve the budget", "The budget was approved."),
        ("나중에 인증서를 갱신해야 해", "인증서가 갱신됐어."),
        ("나중에 인증서를 갱신해야 해", "인증서는 갱신됐습니다."),
        ("나중에 송장을 결제해야 해", "송장이 결제됐어."),
        ("나중에 계약서에 서명해야 해", "계약서에 서명했어."),
        ("나중에 백업을 복원해야 해", "백업이 복원됐어."),
        ("나중에 기차표를 사야 해", "기차표를 샀어."),
        (
            "あとで証明書を更新する必要があります",
            "証明書は更新されました。",
        ),
        (
            "あとで証明書を更新する必要があります",
            "証明書が更新されました。",
        ),
        (
            "あとで請求書を支払う必要があります",
            "請求書は支払われました。",
        ),
        (
            "あとで契約書に署名する必要があります",
            "契約書に署名しました。",
        ),
        (
            "あとでバックアップを復元する必要があります",
            "バックアップは復元されました。",
        ),
        (
            "あとでチケットを買う必要があります",
            "チケットを買いました。",
        ),
        ("还需要给证书续期", "证书已经续期了。"),
        ("还需要付发票", "发票已经付了。"),
        ("还需要签合同", "合同签了。"),
        ("还需要恢复备份", "备份恢复了。"),
    ] {
        assert_eq!(status(&[asked, report]), "done", "{asked} | {report}");
    }
    // Something else, in another way, not yet, perhaps, asked, or told by others.
    for (asked, report) in [
        ("TODO: renew the certificate", "The licence is renewed."),
        (
            "TODO: revoke the certificate",
            "The certificate is renewed.",
        ),
        (
            "TODO: renew the certificate",
            "The certificate is not renewed.",
        ),
        ("TODO: renew the certificate", "Is the certificate renewed?"),
        (
            "TODO: renew the certificate",
            "If the certificate is renewed, we deploy.",
        ),
        (
            "TODO: renew the certificate",
            "The certificate must be renewed.",
        ),
        ("TODO: pay the invoice", "The invoice was sent."),
        ("TODO: pay the invoice", "Bob says the invoice is paid."),
        ("TODO: buy the tickets", "The tickets were almost bought."),
        (
            "TODO: sign the contract",
            "The contract was signed last year by the other team, then cancelled.",
        ),
        ("나중에 인증서를 갱신해야 해", "인증서가 갱신됐나요?"),
        ("나중에 인증서를 갱신해야 해", "인증서가 갱신되면 알려 줘."),
        ("나중에 인증서를 갱신해야 해", "도메인이 갱신됐어."),
        ("나중에 기차표를 사야 해", "기차표를 안 샀어."),
        (
            "あとで証明書を更新する必要があります",
            "証明書は更新されましたか？",
        ),
        (
            "あとで証明書を更新する必要があります",
            "証明書は更新されていません。",
        ),
        (
            "あとで証明書を更新する必要があります",
            "ドメインは更新されました。",
        ),
        (
            "あとでチケットを買う必要があります",
            "チケットを買いたかった。",
        ),
        (
            "あとでチケットを買う必要があります",
            "チケットは買わなかった。",
        ),
        ("还需要给证书续期", "证书续期了吗？"),
        ("还需要付发票", "发票还没付。"),
        ("还需要签合同", "合同没签。"),
        ("还需要恢复备份", "域名恢复了。"),
    ] {
        assert_ne!(status(&[asked, report]), "done", "{asked} | {report}");
    }
}

#[test]
fn another_day_or_version_replaces_the_older_one() {
    is_replaced(&[
        (
            "The release is on November 13.",
            "The release was postponed to November 20.",
        ),
        (
            "The release date is November 13.",
            "We postponed the release to November 20.",
        ),
        (
            "The release is on November 13.",
            "The release is now on November 20.",
        ),
        (
            "The release is on November 13.",
            "Correction: the release is on November 20.",
        ),
        (
            "The release was postponed to November 20.",
            "The release was moved to December 1.",
        ),
        ("The deadline is May 1.", "We moved the deadline to May 4"),
        (
            "The deadline is May 1.",
            "moved the deadline to May 4, because the client is late",
        ),
        ("We run Node 18.", "We upgraded to Node 20."),
        ("we're on Node 18", "We upgraded to Node 20 today."),
        ("We run Node 18.", "We bumped Node from 18 to 20."),
        (
            "The backend runs on Python 3.11.",
            "We upgraded the backend to Python 3.12.",
        ),
        (
            "The backend runs on Python 3.11.",
            "The backend was upgraded to Python 3.12.",
        ),
        ("출시는 11월 13일이야.", "출시가 11월 20일로 연기됐어."),
        (
            "출시일은 11월 13일입니다.",
            "출시일을 11월 20일로 변경했습니다.",
        ),
        ("마감은 5월 1일이야.", "마감을 5월 4일로 옮겼어."),
        ("우리는 Node 18을 써.", "Node 20으로 업그레이드했어."),
        (
            "リリースは11月13日です。",
            "リリースは11月20日に延期になりました。",
        ),
        (
            "リリース日は11月13日です。",
            "リリース日を11月20日に変更しました。",
        ),
        ("締め切りは5月1日です。", "締め切りを5月4日に変更しました。"),
        (
            "Node 18を使っています。",
            "Node 20にアップグレードしました。",
        ),
        ("发布定在11月13日。", "发布推迟到11月20日了。"),
        ("发布日期是11月13日。", "我们把发布推迟到11月20日了。"),
        ("截止日期是5月1日。", "截止日期改到5月4日了。"),
        ("我们用的是Node 18。", "我们升级到Node 20了。"),
    ]);
    stays(&[
        (
            "The release is on November 13.",
            "The demo was postponed to November 20.",
        ),
        (
            "The release is on November 13.",
            "The release was postponed to November 20, but only on staging.",
        ),
        (
            "The release is on November 13.",
            "The release of the mobile app was postponed to November 20.",
        ),
        (
            "The release is on November 13.",
            "Was the release postponed to November 20?",
        ),
        (
            "The release is on November 13.",
            "The release might be postponed to November 20.",
        ),
        (
            "The release is on November 13.",
            "Bob said the release was postponed to November 20.",
        ),
        (
            "The release is on November 13.",
            "The release was not postponed to November 20.",
        ),
        (
            "The release is on November 13.",
            "The release was postponed to November 13.",
        ),
        ("We run Node 18.", "We upgraded to Python 3.12."),
        ("We run Node 18.", "We upgraded to Node 20 on staging."),
        ("We run Node 18.", "We upgraded the lambda to Node 20."),
        ("We run Node 18 on staging.", "We upgraded to Node 20."),
        ("We run Node 18.", "We could upgrade to Node 20."),
        ("We run Node 18.", "They upgraded to Node 20."),
        ("출시는 11월 13일이야.", "시연이 11월 20일로 연기됐어."),
        ("출시는 11월 13일이야.", "출시가 11월 20일로 연기됐나요?"),
        (
            "출시는 11월 13일이야.",
            "출시가 11월 20일로 연기될 수도 있어.",
        ),
        (
            "우리는 Node 18을 써.",
            "스테이징에서만 Node 20으로 업그레이드했어.",
        ),
        (
            "リリースは11月13日です。",
            "デモは11月20日に延期になりました。",
        ),
        (
            "リリースは11月13日です。",
            "リリースは11月20日に延期になるかもしれません。",
        ),
        (
            "Node 18を使っています。",
            "ステージングだけNode 20にアップグレードしました。",
        ),
        ("发布定在11月13日。", "演示推迟到11月20日了。"),
        ("发布定在11月13日。", "发布可能推迟到11月20日。"),
        ("我们用的是Node 18。", "我们在测试环境升级到Node 20了。"),
    ]);
}

/// Each older fact stays in force beside the newer one, whatever the rules learn of either.
fn facts_stay(pairs: &[(&str, &str)]) {
    for (old, new) in pairs {
        let newer = Reversal::of(EntryType::Fact, new);
        let change = newer.and_then(|newer| newer.does_to(EntryType::Fact, &Older::new(old)));
        assert_eq!(change, None, "{old} | {new}");
    }
}

/// Each older fact is replaced by the newer one.
fn facts_are_replaced(pairs: &[(&str, &str)]) {
    for (old, new) in pairs {
        let newer = Reversal::of(EntryType::Fact, new);
        let change = newer.and_then(|newer| newer.does_to(EntryType::Fact, &Older::new(old)));
        assert_eq!(change, Some(Change::Replaces), "{old} | {new}");
    }
}

#[test]
fn a_day_is_compared_with_the_day_of_the_same_thing() {
    let on_the_20th =
        "The release was postponed to November 20 because the audit is on November 13.";
    facts_are_replaced(&[
        ("The release is on November 13.", on_the_20th),
        (
            "The release is on November 13.",
            "The release was postponed to November 20 because the audit is not done.",
        ),
        (
            "The deadline is May 1.",
            "We moved the deadline to May 4 so the release is on May 6.",
        ),
        ("我们的发布定在11月13日。", "发布推迟到11月20日了。"),
    ]);
    facts_stay(&[
        ("The release is on November 20.", on_the_20th),
        (
            "The release was moved to November 20.",
            "The release is now in November.",
        ),
        (
            "The release was moved to November 20.",
            "The release is now for November.",
        ),
    ]);
    // It almost was so.
    assert_eq!(
        effect("发布定在11月13日。", "我们差点把发布推迟到11月20日。"),
        None
    );
    assert_eq!(learned("我们差点把发布推迟到11月20日。"), []);
    assert_eq!(learned("我们差点升级到Node 20了。"), []);
}

#[test]
fn a_version_is_compared_with_that_of_the_same_thing() {
    facts_are_replaced(&[
        ("Node18を使っています。", "Node20にアップグレードしました。"),
        ("우리는 Node18을 써.", "Node20으로 업그레이드했어."),
        ("我们用的是Node18。", "我们升级到Node20了。"),
        ("我们用的是Node 18。", "我们把Node从18升级到20了。"),
        ("我们的后端用Node 18。", "我们把后端升级到Node 20了。"),
        ("I use Node 18.", "I upgraded to Node 20 today."),
        ("We use Node 18.", "We upgraded to Node 20.11."),
    ]);
    facts_stay(&[
        (
            "We run Node 18.",
            "We upgraded to Node 20 yesterday; rolled back today.",
        ),
        (
            "We run Node 18.",
            "We upgraded to Node 20 — but only for the legacy worker.",
        ),
        (
            "We run Node 18.",
            "We upgraded to Node 20; the legacy worker stays on Node 18.",
        ),
        ("We use Node 18.", "We now use Node 20 as well."),
        ("We use Node 18.", "Also, we now use Node 20."),
        ("We use Python 3.11.", "We upgraded to Python 3.12 too."),
        ("I use Node 18.", "We upgraded to Node 20."),
        ("We use Node 18.", "I upgraded to Node 20 today."),
        ("We require Node 18.", "We upgraded to Node 20."),
        ("We use Node 20.11.", "We upgraded to Node 20."),
        (
            "우리는 Node 18을 스테이징에서 써.",
            "Node 20으로 업그레이드했어.",
        ),
        (
            "우리는 Node 18을 써.",
            "스테이징에서만 Node 20으로 업그레이드했어.",
        ),
        (
            "Node 18を使っています。",
            "ステージングだけNode 20にアップグレードしました。",
        ),
        ("我们用的是Node 18。", "我们在测试环境升级到Node 20了。"),
        ("We run Node 18.", "They upgraded to Node 20."),
        ("We run Node 18.", "We upgraded to Node 20 on staging."),
        ("We run Node 18 on staging.", "We upgraded to Node 20."),
    ]);
}

#[test]
fn what_is_only_due_in_chinese_is_not_done() {
    for (task, report) in [
        ("还需要签合同。", "合同要签了。"),
        ("还需要付发票。", "发票要付了。"),
        ("还需要签合同。", "合同该签了。"),
        ("还需要签合同。", "忘了合同签了。"),
    ] {
        let after = task_after(&[task, report]);
        assert!(
            after.is_some_and(|task| task.0 != "done"),
            "{task} {report}"
        );
    }
    assert!(is_over(&["还需要签合同。", "合同签了。"]));
}
