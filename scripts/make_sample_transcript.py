#!/usr/bin/env python3
"""Writes the sample coding-agent transcripts, questions about them, and an extraction.

Everything in them is invented: the shop, the people, the keys. The output is
a function of this file alone (ids are hashes, times are fixed), so a second
run changes nothing:

    python3 scripts/make_sample_transcript.py

Writes examples/data/sample_transcript.jsonl, sample_transcript_2.jsonl,
questions.json and extraction.json. Two defects of real files are kept on purpose: one line in the
middle of the first file is broken, and its last line is cut off.
"""

import hashlib
import json
import uuid
from datetime import datetime, timedelta, timezone
from pathlib import Path

OUT = Path(__file__).resolve().parent.parent / "examples" / "data"
CWD = "/home/mina/work/dalbit-shop"


def made_up_uuid(*parts):
    digest = hashlib.md5(":".join(map(str, parts)).encode()).digest()
    return str(uuid.UUID(bytes=digest, version=4))


class Session:
    """Builds the lines of one transcript; each call adds one step."""

    def __init__(self, name, start, branch, slug):
        self.name = name
        self.session_id = made_up_uuid("session", name)
        self.clock = datetime.fromisoformat(start).replace(tzinfo=timezone.utc)
        self.branch = branch
        self.slug = slug
        self.parent = None
        self.lines = []
        self.labels = {}
        self.counter = 0

    def _tick(self, seconds):
        self.clock += timedelta(seconds=seconds, milliseconds=137 * (self.counter % 7))
        return self.clock.strftime("%Y-%m-%dT%H:%M:%S.") + f"{self.clock.microsecond // 1000:03d}Z"

    def _line(self, kind, seconds, label=None, **fields):
        self.counter += 1
        line_id = made_up_uuid(self.name, self.counter)
        line = {
            "parentUuid": self.parent,
            "isSidechain": False,
            "userType": "external",
            "cwd": CWD,
            "sessionId": self.session_id,
            "version": "2.1.44",
            "gitBranch": self.branch,
            "slug": self.slug,
            "type": kind,
            **fields,
            "uuid": line_id,
            "timestamp": self._tick(seconds),
        }
        self.lines.append(json.dumps(line, ensure_ascii=False, separators=(",", ":")))
        self.parent = line_id
        if label:
            self.labels[label] = line_id
        return line_id

    def _assistant(self, block, seconds, label=None):
        message = {
            "model": "example-model-1",
            "id": "msg_" + made_up_uuid(self.name, "message", self.counter).replace("-", "")[:24],
            "type": "message",
            "role": "assistant",
            "content": [block],
            "stop_reason": None,
            "stop_sequence": None,
            "usage": {"input_tokens": 6, "cache_read_input_tokens": 14000 + 311 * self.counter, "output_tokens": 40 + self.counter},
        }
        return self._line("assistant", seconds, label, message=message)

    def prompt(self, text, label=None, seconds=95):
        self._line("user", seconds, label, message={"role": "user", "content": text})

    def prompt_blocks(self, texts, label=None, seconds=95):
        blocks = [{"type": "text", "text": text} for text in texts]
        self._line("user", seconds, label, message={"role": "user", "content": blocks})

    def answer(self, text, label=None, seconds=9):
        self._assistant({"type": "text", "text": text}, seconds, label)

    def think(self, text, seconds=3):
        self._assistant({"type": "thinking", "thinking": text, "signature": ""}, seconds)

    def tool(self, name, tool_input, output, result, error=False, seconds=4, label=None):
        tool_id = "toolu_" + made_up_uuid(self.name, "tool", self.counter).replace("-", "")[:22]
        source = self._assistant({"type": "tool_use", "id": tool_id, "name": name, "input": tool_input}, 2)
        block = {"tool_use_id": tool_id, "type": "tool_result", "content": output, "is_error": error}
        self._line(
            "user",
            seconds,
            label,
            message={"role": "user", "content": [block]},
            toolUseResult=result,
            sourceToolAssistantUUID=source,
        )

    def read(self, path, content, label=None):
        rows = content.split("\n")
        numbered = "\n".join(f"{n:>6}\t{row}" for n, row in enumerate(rows, 1))
        file = {"filePath": f"{CWD}/{path}", "content": content, "numLines": len(rows), "startLine": 1, "totalLines": len(rows)}
        self.tool("Read", {"file_path": f"{CWD}/{path}"}, numbered, {"type": "text", "file": file}, label=label)

    def bash(self, command, description, stdout, stderr="", error=False, seconds=7, label=None):
        result = {"stdout": stdout, "stderr": stderr, "interrupted": False, "isImage": False}
        output = stdout if not stderr else f"{stdout}\n{stderr}".strip()
        self.tool("Bash", {"command": command, "description": description}, output, result, error, seconds, label)

    def grep(self, pattern, hits):
        content = "\n".join(hits)
        result = {"mode": "content", "numFiles": len({h.split(":")[0] for h in hits}), "filenames": [], "content": content, "numLines": len(hits)}
        self.tool("Grep", {"pattern": pattern, "path": f"{CWD}/src", "output_mode": "content", "-n": True}, content, result)

    def edit(self, path, old, new):
        full = f"{CWD}/{path}"
        result = {"filePath": full, "oldString": old, "newString": new, "structuredPatch": [], "userModified": False, "replaceAll": False}
        self.tool("Edit", {"file_path": full, "old_string": old, "new_string": new}, f"The file {full} has been updated.", result)

    def write(self, path, content):
        full = f"{CWD}/{path}"
        self.tool("Write", {"file_path": full, "content": content}, f"File created successfully at: {full}", {"type": "create", "filePath": full, "content": content, "structuredPatch": []})

    def system(self, subtype, **fields):
        self._line("system", 1, subtype=subtype, level="info", isMeta=False, **fields)

    def progress(self, event, command):
        data = {"type": "hook_progress", "hookEvent": event, "hookName": event, "command": command}
        hook_id = made_up_uuid(self.name, "hook", self.counter)
        self._line("progress", 1, data=data, toolUseID=hook_id, parentToolUseID=hook_id)

    def snapshot(self):
        message_id = made_up_uuid(self.name, "snapshot", self.counter)
        body = {"messageId": message_id, "trackedFileBackups": {}, "timestamp": self._tick(0)}
        self.raw(json.dumps({"type": "file-history-snapshot", "messageId": message_id, "snapshot": body, "isSnapshotUpdate": False}, separators=(",", ":")))

    def summary(self, text):
        self.raw(json.dumps({"type": "summary", "summary": text, "leafUuid": self.parent or made_up_uuid(self.name, "leaf")}, ensure_ascii=False, separators=(",", ":")))

    def raw(self, line):
        self.lines.append(line)


def first_afternoon():
    s = Session("afternoon", "2026-03-10T04:05:12", "fix/slow-checkout", "patient-silver-harbour")
    s.summary("Dalbit shop: coupons on the order page")
    s.progress("SessionStart", "/home/mina/.claude/hooks/remember.sh start")
    s.snapshot()

    s.prompt(
        "Checkout has been crawling since Monday's release: the p95 of POST /checkout went from about 300 ms to 2.4 s. "
        "Can you find out where the time goes?",
        label="slow_question",
    )
    s.think("Start at the route, follow it to the queries, then let the database explain itself.")
    s.grep("/checkout", [
        "src/routes/checkout.ts:14:  app.post('/checkout', async (request, reply) => {",
        "src/checkout/service.ts:22:export async function placeOrder(cart: Cart): Promise<Order> {",
        "src/checkout/stock.ts:9:export async function freeStock(sku: string, warehouseId: number) {",
    ])
    s.read("src/checkout/stock.ts", "import { sql } from '../db';\n\n// Units on the shelf minus units that other carts hold.\nexport async function freeStock(sku: string, warehouseId: number) {\n  const [row] = await sql`\n    SELECT s.units - COALESCE(SUM(r.units), 0) AS free\n      FROM stock s\n      LEFT JOIN stock_reservations r\n        ON r.sku = s.sku AND r.warehouse_id = s.warehouse_id AND r.expires_at > now()\n     WHERE s.sku = ${sku} AND s.warehouse_id = ${warehouseId}\n     GROUP BY s.units`;\n  return Number(row.free);\n}")
    s.bash(
        "psql dalbit_dev -c \"EXPLAIN (ANALYZE, BUFFERS) SELECT ... FROM stock s LEFT JOIN stock_reservations r ...\"",
        "Explain the free stock query",
        " GroupAggregate (actual time=2104.611..2104.613 rows=1 loops=1)\n   ->  Nested Loop Left Join (actual time=2104.102..2104.580 rows=37 loops=1)\n         ->  Index Scan using stock_pkey on stock s (actual time=0.021..0.023 rows=1 loops=1)\n         ->  Seq Scan on stock_reservations r (actual time=2104.066..2104.511 rows=37 loops=1)\n               Rows Removed by Filter: 1203418\n Planning Time: 0.412 ms\n Execution Time: 2104.702 ms",
        seconds=11,
    )
    s.bash("git log --oneline -3 -- migrations", "Recent migrations", "9d1c0aa migrations: 0042 rebuild stock_reservations with bigint ids\n51be7f2 migrations: 0041 coupon limits\n03aa9e4 migrations: 0040 warehouse time zones")
    s.answer(
        "The time goes into one query. `freeStock` reads stock_reservations with a sequential scan: 1.2 million rows are thrown away to find 37, "
        "which takes 2.1 s on the copy of the data here.\n\nThe cause is Monday's migration 0042. It rebuilt the table with bigint ids, "
        "and the index on (sku, warehouse_id) was not created again.",
        label="slow_cause",
    )
    s.prompt("인덱스만 다시 만들면 되는 거야? 운영 DB에서 테이블이 잠기면 안 되는데.", label="index_question")
    s.write("migrations/0043_stock_reservations_index.sql", "-- no-transaction\nCREATE INDEX CONCURRENTLY IF NOT EXISTS stock_reservations_sku_warehouse\n    ON stock_reservations (sku, warehouse_id);\n")
    s.bash("npm run migrate -- --only 0043 && npm run bench:stock", "Apply the index locally and measure", "> 0043_stock_reservations_index.sql applied (no transaction)\n> freeStock x 200: p50 0.9 ms, p95 1.6 ms, max 4.1 ms", seconds=38)
    s.answer(
        "네, 인덱스 하나면 됩니다. `CREATE INDEX CONCURRENTLY`로 만들면 쓰기를 막지 않습니다. 다만 트랜잭션 안에서는 실행할 수 없어서 "
        "마이그레이션 파일 첫 줄에 `-- no-transaction` 표시를 넣었습니다.\n\n로컬에서 재 보니 재고 조회 p95가 2.1초에서 1.6ms로 줄었습니다.",
        label="index_answer",
    )
    s.prompt(
        "Nice. I would also like to stop asking Postgres for product prices on every checkout. Redis, or just a cache inside the process?",
        label="cache_question",
    )
    s.read("deploy/shop-api.yaml", "name: shop-api\nreplicas: 2\nresources:\n  memory: 512Mi\n  cpu: 500m\nhealth: /healthz\nrollout:\n  strategy: one-by-one\n  pause_seconds: 60")
    s.grep("getPrice\\(", [
        "src/catalog/prices.ts:31:export async function getPrice(productId: number): Promise<Price> {",
        "src/checkout/service.ts:40:    const price = await getPrice(line.productId);",
        "src/cart/view.ts:18:  const price = await getPrice(line.productId);",
    ])
    s.answer(
        "I would keep it in the process. You run two replicas with 512 MB each, the catalogue has about 4,000 products, and prices change a few times a day. "
        "A small LRU map with a short lifetime removes nearly all of those reads.\n\n"
        "Redis would give one shared view and instant invalidation, but it is one more service to run, watch and pay for, and one more way for checkout to fail.",
        label="cache_tradeoff",
    )
    s.prompt(
        "Agreed, we decide against Redis for now: in-process cache, 30 seconds to live, 5,000 entries at most. "
        "We look at it again when we run more than four replicas.",
        label="cache_decision",
    )
    s.edit(
        "src/catalog/prices.ts",
        "export async function getPrice(productId: number): Promise<Price> {\n  return loadPrice(productId);\n}",
        "const cache = new LruCache<string, Price>({ maxEntries: 5000, ttlMs: 30_000 });\n\nexport async function getPrice(productId: number): Promise<Price> {\n  return cache.getOrLoad(String(productId), () => loadPrice(productId));\n}",
    )
    s.bash(
        "npm test",
        "Run the test suite",
        "Test Files  1 failed | 38 passed (39)\n     Tests  1 failed | 213 passed (214)",
        "FAIL  test/catalog/prices.test.ts > price cache > shows the new price right after an update\nAssertionError: expected 12900 to be 11900\n  at test/catalog/prices.test.ts:47:27",
        error=True,
        seconds=24,
    )
    s.answer("The cache is in. One of 214 tests fails now: `shows the new price right after an update` still sees 12900 where it wants 11900.", label="test_fails")
    s.prompt("왜 깨지는 거지? 시계를 안 돌려서 그런가?", label="test_question")
    s.read("src/catalog/admin.ts", "import { cache, savePrice } from './prices';\n\nexport async function updatePrice(sku: string, won: number) {\n  await savePrice(sku, won);\n  cache.delete(sku);\n}")
    # A line as a crash leaves it: the writer stopped, and the next line was glued on.
    s.raw('{"parentUuid":"' + str(s.parent) + '","isSidechain":false,"userType":"external","cwd":"' + CWD + '","type":"progress","data":{"type":"hook_progr{"parentUuid":null}')
    s.answer(
        "시계 문제는 아닙니다. `getPrice`는 상품 번호(productId)를 키로 저장하는데 `updatePrice`는 SKU로 지우고 있어서 지워지는 항목이 없습니다. "
        "키를 SKU로 통일하겠습니다.",
        label="test_cause",
    )
    s.edit("src/catalog/prices.ts", "cache.getOrLoad(String(productId), () => loadPrice(productId))", "cache.getOrLoad(await skuOf(productId), () => loadPrice(productId))")
    s.bash("npm test", "Run the test suite again", "Test Files  39 passed (39)\n     Tests  214 passed (214)\n  Duration  19.83s", seconds=24)
    s.answer("고쳤습니다. 이제 테스트 214개가 모두 통과합니다. 캐시 키는 SKU 하나로 맞췄습니다.", label="test_fixed")
    s.snapshot()
    s.prompt(
        "Next thing. Here is the sandbox setup so that you can try a payment call: PAYMENT_API_KEY=fake-7d41c9e2b05f4a8896aa and the host is sandbox.pay.example",
        label="secret_prompt",
    )
    s.prompt("Oh no, I did not want to paste the key. I will rotate it after lunch tomorrow, please do not use it.", label="secret_regret", seconds=14)
    s.answer(
        "I have not used it and I will not repeat it. Please put the new one into `.env.local` (git ignores that file); the gateway client reads it from there.",
        label="secret_answer",
    )
    s.prompt("결제 게이트웨이 타임아웃이 지금 몇 초야? 어제 고객 두 명이 이중 결제됐다고 연락이 왔어.", label="timeout_question")
    s.grep("timeoutMs|Idempotency", [
        "src/payment/gateway.ts:12:const timeoutMs = 10_000;",
        "src/payment/gateway.ts:13:const maxRetries = 3;",
        "src/payment/gateway.ts:27:      'Idempotency-Key': randomUUID(),",
    ])
    s.read("src/payment/gateway.ts", "const timeoutMs = 10_000;\nconst maxRetries = 3;\n\nexport async function charge(order: Order) {\n  return retry(maxRetries, () =>\n    post('/v2/charges', body(order), {\n      timeoutMs,\n      headers: { 'Idempotency-Key': randomUUID() },\n    }),\n  );\n}")
    s.answer(
        "지금은 10초이고, 시간이 넘으면 같은 요청을 최대 3번 다시 보냅니다. 문제는 멱등 키(Idempotency-Key)를 재시도할 때마다 새로 만든다는 점입니다. "
        "그래서 PG사는 재시도를 새 결제로 보고, 첫 요청이 늦게라도 성공하면 두 번 청구됩니다.",
        label="double_charge_cause",
    )
    s.prompt("그럼 멱등 키는 주문 번호로 고정하자. 타임아웃은 15초, 재시도는 한 번만. PG사 권장값이 그래.", label="timeout_decision")
    s.edit("src/payment/gateway.ts", "const timeoutMs = 10_000;\nconst maxRetries = 3;", "// The provider's recommendation: wait 15 s, retry once.\nconst timeoutMs = 15_000;\nconst maxRetries = 1;")
    s.edit("src/payment/gateway.ts", "'Idempotency-Key': randomUUID()", "'Idempotency-Key': order.number")
    s.bash("npm test -- payment", "Run the payment tests", "Test Files  4 passed (4)\n     Tests  31 passed (31)", seconds=8)
    s.answer("반영했습니다. 멱등 키는 주문 번호, 타임아웃 15초, 재시도 1회입니다. 결제 테스트 31개가 통과했습니다.", label="timeout_done")
    s.prompt_blocks(
        [
            "고객 안내 문구를 다듬어 줘. 이중 결제된 두 건은 오늘 안에 환불한다고 쓰면 돼.",
            "<private>\n고객: 홍길순, 010-0000-0000\n환불 계좌: 가상은행 000-00-000000\n</private>",
        ],
        label="private_prompt",
    )
    s.answer(
        "이렇게 쓰면 어떨까요?\n\n“같은 주문이 두 번 결제된 것을 확인했습니다. 불편을 드려 죄송합니다. 한 건은 오늘 안에 환불해 드리며, 카드사에 따라 2~3일 뒤에 반영될 수 있습니다.”",
        label="refund_text",
    )
    s.prompt(
        "Please write down our deploy rule so that we stop breaking Fridays: no production deploy after 3 pm on Thursday, "
        "and never a migration and a code change in the same release.",
        label="deploy_rule",
    )
    s.read("docs/deploy.md", "# Deploying\n\n1. Merge to main.\n2. `./scripts/deploy <environment>`.\n3. Watch the dashboard for ten minutes.")
    s.edit("docs/deploy.md", "# Deploying\n", "# Deploying\n\n- No production deploy after 15:00 on Thursday.\n- A migration and a code change never go out in the same release.\n")
    s.answer("Done: both rules stand at the top of docs/deploy.md.", label="deploy_written")
    s.prompt("Then the index goes first. Staging only today.", label="staging_prompt")
    s.bash("./scripts/deploy staging --migrations 0043", "Apply migration 0043 on staging", "staging: 0043_stock_reservations_index.sql applied in 41 s\nstaging: index stock_reservations_sku_warehouse is valid\nstaging: POST /checkout p95 308 ms (last 5 min)", seconds=64)
    s.answer("Migration 0043 is on staging and the index is valid. The p95 of POST /checkout there is back at 308 ms.", label="staging_done")
    s.prompt("좋아. 남은 일 정리해 줘.", label="todo_prompt")
    s.answer(
        "남은 일입니다.\n\n1. 운영 DB에 0043 적용 (내일 오전)\n2. 캐시와 게이트웨이 변경 배포: 1번이 끝난 뒤에 가능\n3. 샌드박스 결제 키 교체: 내일 점심 이후, 미나 님이 직접\n4. 이중 결제 두 건 환불 확인",
        label="todo_list",
    )
    s.system("turn_duration", durationMs=9214)
    s.progress("SessionEnd", "/home/mina/.claude/hooks/remember.sh end")
    # The machine went to sleep while this line was written.
    s.prompt("내일은 9시에 시작하자. 그리고 알림 채널에", seconds=20)
    s.lines[-1] = s.lines[-1][: s.lines[-1].index("그리고 알림") + 5]
    return s


def second_day():
    s = Session("next-morning", "2026-03-11T00:02:40", "main", "quiet-amber-ferry")
    s.progress("SessionStart", "/home/mina/.claude/hooks/remember.sh start")
    s.snapshot()
    s.prompt("어제 가격 캐시를 레디스 말고 프로세스 안에 두기로 한 이유가 뭐였지? 팀장님이 물어보셔.", label="why_cache")
    s.answer("복제본이 두 개뿐이고 상품이 4천 개 정도라 30초짜리 캐시로 충분하기 때문이었습니다. 레디스는 운영할 서비스가 하나 늘어납니다. 복제본이 네 개를 넘으면 다시 검토하기로 했습니다.", label="why_cache_answer")
    s.prompt("고마워. 그럼 운영 DB에 인덱스부터 올리자.")
    s.bash("./scripts/deploy production --migrations 0043", "운영 DB에 0043 적용", "production: 0043_stock_reservations_index.sql applied in 187 s\nproduction: index stock_reservations_sku_warehouse is valid", seconds=190)
    s.answer("운영 DB에 적용했습니다. 187초 걸렸고 인덱스는 정상(valid)입니다. 잠금 대기는 없었습니다.", label="production_index")
    s.prompt("결제 p95는 어때?")
    s.bash("./scripts/metrics p95 'POST /checkout' --minutes 10", "지난 10분 p95 확인", "POST /checkout p95 = 291 ms (n=1842)")
    s.answer("지난 10분 동안 291ms입니다. 월요일 배포 전 수준으로 돌아왔습니다.", label="p95_back")
    s.prompt("좋아. 이제 캐시랑 게이트웨이 변경을 배포해도 되지? 규칙 위반은 아니지?", label="rule_check")
    s.read("docs/deploy.md", "# Deploying\n\n- No production deploy after 15:00 on Thursday.\n- A migration and a code change never go out in the same release.\n\n1. Merge to main.\n2. `./scripts/deploy <environment>`.\n3. Watch the dashboard for ten minutes.")
    s.answer("괜찮습니다. 오늘은 수요일이고, 마이그레이션은 이미 따로 나갔습니다. 코드만 담은 릴리스라서 규칙에 맞습니다.", label="rule_ok")
    s.bash("./scripts/deploy production --code", "코드 배포", "production: shop-api 2026.03.11-1 rolled out, 2/2 replicas healthy", seconds=140)
    s.answer("배포가 끝났습니다. 두 복제본 모두 정상입니다.")
    s.prompt("정산팀에서 대사 배치가 몇 시에 도는지 물어봤어. 어디 적혀 있었나?", label="batch_question")
    s.grep("reconcile", ["src/jobs/schedule.ts:21:  { name: 'reconcile-payments', cron: '30 4 * * *', zone: 'Asia/Seoul' },"])
    s.answer("대사 배치(reconcile-payments)는 매일 새벽 4시 30분, 서울 시간 기준으로 돕니다. `src/jobs/schedule.ts`에 있습니다.", label="batch_time")
    s.prompt("샌드박스 키는 방금 새로 발급받아서 .env.local에 넣었어. 어제 남은 일에서 지워 줘.", label="key_rotated")
    s.answer("지웠습니다. 이제 남은 것은 이중 결제 두 건의 환불 확인뿐입니다.", label="one_left")
    s.prompt("환불은 두 건 다 어제 저녁에 처리됐대. 그럼 다 끝났네!", label="refund_done")
    s.answer("네, 어제 정리한 네 가지가 모두 끝났습니다. 수고하셨습니다.", label="all_done")
    s.system("turn_duration", durationMs=4120)
    return s


def messages(session):
    """Uuid and text of each prompt and response, as an importer takes them."""
    found = []
    for line in session.lines:
        try:
            parsed = json.loads(line)
        except json.JSONDecodeError:
            continue
        if parsed["type"] not in ("user", "assistant"):
            continue
        content = parsed["message"]["content"]
        if isinstance(content, list):
            content = "\n".join(block["text"] for block in content if block["type"] == "text")
        if content:
            found.append((parsed["uuid"], content))
    return found


def extraction(session):
    """What a model would hand back for the session: quotes, never offsets.

    `message_index` counts the prompts and responses of the session, from 0.
    """
    spoken = messages(session)
    index_of = {line_id: index for index, (line_id, _) in enumerate(spoken)}

    def quote(label, text, exact=True):
        index = index_of[session.labels[label]]
        if exact != (text in spoken[index][1]):
            raise ValueError(f"quote for {label} is not as exact as it claims: {text}")
        return {"message_index": index, "quote": text}

    def entry(entry_id, kind, title, content, *quotes):
        return {"id": entry_id, "type": kind, "title": title, "content": content, "quotes": list(quotes)}

    def task(task_id, title, status, priority, blocked_by, *quotes):
        return {"id": task_id, "title": title, "status": status, "priority": priority, "blocked_by": blocked_by, "project": "dalbit-shop", "quotes": list(quotes)}

    return {
        "schema_version": 1,
        "entries": [
            entry("e1", "fact", "Slow checkout came from a missing index",
                  "Migration 0042 rebuilt stock_reservations without the index on (sku, warehouse_id), so freeStock scanned 1.2 million rows.",
                  quote("slow_cause", "the index on (sku, warehouse_id) was not created again"),
                  # The line break of the message became a space: found after normalising.
                  quote("slow_cause", "takes 2.1 s on the copy of the data here. The cause is Monday's migration 0042.", exact=False)),
            entry("e2", "decision", "In-process price cache instead of Redis",
                  "Prices are cached in the process for 30 seconds, at most 5,000 entries; to be looked at again above four replicas.",
                  quote("cache_decision", "we decide against Redis for now: in-process cache, 30 seconds to live, 5,000 entries at most"),
                  # Slightly wrong words: found by the fuzzy step.
                  quote("cache_decision", "We will look at it again when we run more than four replicas", exact=False)),
            entry("e3", "insight", "캐시 키가 서로 달라 삭제가 듣지 않았다",
                  "getPrice는 상품 번호로 저장하고 updatePrice는 SKU로 지웠다. 키를 SKU로 통일해서 해결했다.",
                  quote("test_cause", "`updatePrice`는 SKU로 지우고 있어서 지워지는 항목이 없습니다")),
            entry("e4", "decision", "결제 게이트웨이: 타임아웃 15초, 재시도 1회, 멱등 키는 주문 번호",
                  "이중 결제를 막기 위해 멱등 키를 주문 번호로 고정하고 PG사 권장값을 따른다.",
                  quote("timeout_decision", "멱등 키는 주문 번호로 고정하자. 타임아웃은 15초, 재시도는 한 번만."),
                  # Particles left out, as a model does when it sums up.
                  quote("double_charge_cause", "PG사는 재시도 새 결제로 보고, 첫 요청이 늦게라도 성공하면 두 번 청구", exact=False)),
            entry("e5", "preference", "Deploy rule",
                  "No production deploy after 15:00 on Thursday; never a migration and a code change in one release.",
                  quote("deploy_rule", "no production deploy after 3 pm on Thursday"),
                  quote("deploy_rule", "never a migration and a code change in the same release")),
            entry("e6", "pattern", "큰 테이블의 인덱스는 트랜잭션 밖에서 만든다",
                  "CREATE INDEX CONCURRENTLY는 트랜잭션 안에서 돌지 않으므로 마이그레이션 첫 줄에 -- no-transaction을 적는다.",
                  quote("index_answer", "마이그레이션 파일 첫 줄에 `-- no-transaction` 표시를 넣었습니다")),
            entry("e7", "reference", "Where the deploy rules stand",
                  "docs/deploy.md begins with the two deploy rules.",
                  quote("deploy_written", "both rules stand at the top of docs/deploy.md")),
            entry("e8", "task_note", "Staging carries the index",
                  "Migration 0043 is on staging; checkout there is back at 308 ms.",
                  quote("staging_done", "Migration 0043 is on staging and the index is valid")),
        ],
        "tasks": [
            task("t1", "운영 DB에 0043 적용", "pending", "high", [], quote("todo_list", "운영 DB에 0043 적용 (내일 오전)")),
            task("t2", "캐시와 게이트웨이 변경 배포", "blocked", "high", ["운영 DB에 0043 적용"], quote("todo_list", "캐시와 게이트웨이 변경 배포: 1번이 끝난 뒤에 가능")),
            task("t3", "Rotate the sandbox payment key", "pending", "critical", [], quote("secret_regret", "I will rotate it after lunch tomorrow")),
            task("t4", "이중 결제 두 건 환불 확인", "in_progress", "medium", [], quote("private_prompt", "이중 결제된 두 건은 오늘 안에 환불한다고 쓰면 돼")),
            task("t5", "Fix the failing price cache test", "done", "medium", [], quote("test_fixed", "이제 테스트 214개가 모두 통과합니다")),
        ],
        "relations": [
            {"from": "e8", "relation": "mentions", "to": "t1"},
            {"from": "e3", "relation": "evidence_of", "to": "t5"},
        ],
    }


def main():
    first = first_afternoon()
    second = second_day()
    OUT.mkdir(parents=True, exist_ok=True)
    # No newline after the cut line: the writer never got that far.
    (OUT / "sample_transcript.jsonl").write_text("\n".join(first.lines), encoding="utf-8")
    (OUT / "sample_transcript_2.jsonl").write_text("\n".join(second.lines) + "\n", encoding="utf-8")

    questions = [
        (1, "en", "sample_transcript.jsonl", first, "Why did placing an order become so slow after the release?",
         "Migration 0042 rebuilt stock_reservations without its index on (sku, warehouse_id)", "slow_cause",
         "the index on (sku, warehouse_id) was not created again"),
        (2, "en", "sample_transcript.jsonl", first, "When are we not allowed to ship to production?",
         "After 3 pm on Thursday, and never a migration together with code", "deploy_rule",
         "no production deploy after 3 pm on Thursday"),
        (3, "ko", "sample_transcript.jsonl", first, "손님이 두 번 청구된 원인이 뭐였지?",
         "재시도할 때마다 멱등 키를 새로 만들어서", "double_charge_cause",
         "멱등 키(Idempotency-Key)를 재시도할 때마다 새로 만든다는 점입니다"),
    ]
    body = {
        "description": "Questions about sample_transcript.jsonl. `evidence` holds the uuid of the transcript line that answers; `quote` is an exact part of its text.",
        "questions": [
            {"qid": qid, "language": language, "transcript": name, "question": question, "answer": answer, "evidence": [session.labels[label]], "quote": quote}
            for qid, language, name, session, question, answer, label, quote in questions
        ],
    }
    (OUT / "questions.json").write_text(json.dumps(body, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
    (OUT / "extraction.json").write_text(json.dumps(extraction(first), ensure_ascii=False, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
