// A store of its own, filled through the command, and the viewer that shows it.

import { spawn, spawnSync } from "node:child_process";
import { mkdtempSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

const BINARY = process.env.RECALLITE_BIN ?? fileURLToPath(new URL("../../target/debug/recallite", import.meta.url));

export const HOSTILE =
  "<script>window.owned=1</script><img src=x onerror=\"window.owned=1\"> \u001b[2J\u001b]0;owned\u0007 \u202ecod.exe\u2066 end";
export const HOSTILE_SESSION = "</title><script>window.owned=1</script>";

export class World {
  constructor() {
    this.folder = mkdtempSync(join(tmpdir(), "recallite-viewer-"));
    mkdirSync(join(this.folder, "shop", ".git"), { recursive: true });
    this.options = {
      cwd: join(this.folder, "shop"),
      env: { HOME: this.folder, TZ: "UTC", RECALLITE_STORE: join(this.folder, "store") },
      encoding: "utf8",
    };
  }

  run(...args) {
    const ran = spawnSync(BINARY, args, this.options);
    if (ran.status !== 0) throw new Error(`${args.join(" ")} ended with ${ran.status}: ${ran.stderr}`);
    return ran.stdout;
  }

  import(lines, name = "lines") {
    const file = join(this.folder, `${name}.jsonl`);
    writeFileSync(file, lines.map((line) => JSON.stringify(line)).join("\n"));
    return this.run("import", "--from", "jsonl", file);
  }

  /** Hands extractions to the MCP tool `ingest`, as an agent would. */
  async learn(extractions) {
    const server = spawn(BINARY, ["mcp"], this.options);
    const answers = createInterface({ input: server.stdout })[Symbol.asyncIterator]();
    const ask = async (message) => {
      server.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
      if (message.id) {
        const { result } = JSON.parse((await answers.next()).value);
        if (result.isError) throw new Error(result.content[0].text);
      }
    };
    await ask({ id: 1, method: "initialize", params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "test", version: "1" } } });
    await ask({ method: "notifications/initialized" });
    let id = 2;
    for (const [session, extraction] of extractions) {
      await ask({ id: id++, method: "tools/call", params: { name: "ingest", arguments: { session, extraction } } });
    }
    server.stdin.end();
    await new Promise((ended) => server.on("exit", ended));
  }

  async view() {
    const server = spawn(BINARY, ["view", "--no-browser"], this.options);
    const lines = createInterface({ input: server.stdout });
    const { value: address } = await lines[Symbol.asyncIterator]().next();
    this.server = server;
    return address;
  }

  async stop() {
    if (this.server?.exitCode !== null) return;
    const ended = new Promise((tell) => this.server.on("exit", tell));
    this.server.kill("SIGINT");
    await ended;
  }

  async end() {
    if (this.server) await this.stop();
    rmSync(this.folder, { recursive: true, force: true });
  }
}

const HOUR = 3_600_000;
const ago = (hours) => new Date(Date.now() - hours * HOUR).toISOString();

/** Work of two weeks on two projects: talk, tools, what was learned, tasks that wait. */
export async function filled() {
  const world = new World();
  const say = (session, project, hours, role, content, more = {}) => ({ session, project, role, content, timestamp: ago(hours), ...more });
  const lines = [
    say("orders-database", "shop", 290, "user", "Which database do we take for the orders? SQLite was fine for the prototype, but two workers write at once now."),
    say("orders-database", "shop", 289.9, "assistant", "I compared three.\n\n- SQLite: one writer at a time\n- MySQL: fine, but nobody here runs it\n- PostgreSQL: row locks, and the team knows it\n\nWe take PostgreSQL for the orders, because of its row locks."),
    say("orders-database", "shop", 289.8, "user", "Good. Keep the connection limit at 40, the server is small."),
    say("cache-outage", "shop", 170, "user", "The cache died again tonight. Redis was out of memory."),
    say("cache-outage", "shop", 169.9, "assistant", "The keys of the carts had no expiry, so that the cache grew without end. I set an expiry of 30 minutes on every cart, and Redis now evicts the least used keys first. The cache lives in Redis on port 6379."),
    say("cache-outage", "shop", 169.8, "user", "Never restart Redis during the day, carts are lost."),
    say("결제-시간초과", "shop", 100, "user", "결제 시간 초과를 몇 초로 할까? 지금은 10초라서 은행이 느리면 실패해."),
    say("결제-시간초과", "shop", 99.9, "assistant", "결제 시간 초과는 30초로 정했습니다. 은행 API의 p99가 22초라서 여유를 두었습니다."),
    say("blog-writing", "blog", 75, "user", "How do I write a post for the blog?"),
    say("blog-writing", "blog", 74.9, "assistant", "Posts are Markdown files in `content/`. The front matter needs a title and a date; a draft is shown on the preview server only."),
    say("deploy-friday", "shop", 26, "user", "Deploy the shop, please. And remember: we never deploy on Fridays after noon."),
    say("deploy-friday", "shop", 25.9, "assistant", "The deploy went through. The health check of the payment service answered after 4 seconds, and the migration of the orders took 12 seconds."),
    say("today", "shop", 2, "user", "The search page is slow. Find out why."),
    say("today", "shop", 1.9, "assistant", "The query of the search page reads the whole table, because the index is on the wrong column. I added an index on `orders.created_at`; the page answers in 40 ms now, before it was 1.8 s."),
  ];
  for (let day = 1; day < 13; day += 1) {
    for (let n = 0; n < (day * 7) % 11; n += 1) {
      lines.push(say(`day-${day}`, day % 3 ? "shop" : "blog", day * 24 + 3 + n / 10, n % 2 ? "assistant" : "user", `Note ${n} of day ${day}: the import of the price list needs attention in step ${n + 1}.`));
    }
  }
  world.import(lines);
  await world.learn([
    ["orders-database", { schema_version: 1, entries: [
      { id: "e1", type: "decision", title: "PostgreSQL for the orders", content: "The orders are kept in PostgreSQL, because of its row locks.", quotes: [{ message_index: 1, quote: "We take PostgreSQL for the orders, because of its row locks." }] },
      { id: "e2", type: "constraint", title: "At most 40 connections", content: "The connection limit of the orders' database is 40.", quotes: [{ message_index: 2, quote: "Keep the connection limit at 40" }] },
    ] }],
    ["cache-outage", { schema_version: 1, entries: [
      { id: "e1", type: "fact", title: "The cache lives in Redis on port 6379", content: "Carts are cached in Redis on port 6379 with an expiry of 30 minutes.", quotes: [{ message_index: 1, quote: "The cache lives in Redis on port 6379." }] },
      { id: "e2", type: "constraint", title: "No restart of Redis during the day", content: "Redis is never restarted during the day, or carts are lost.", quotes: [{ message_index: 2, quote: "Never restart Redis during the day" }] },
    ] }],
  ]);
  world.run("task", "add", "Buy a bigger server", "--priority", "high");
  world.run("task", "add", "Move the carts to PostgreSQL", "--blocked-by", "Buy a bigger server");
  world.run("task", "add", "Switch the old cache off", "--priority", "high", "--blocked-by", "Move the carts to PostgreSQL", "--blocked-by", "approval of the operations team");
  world.run("task", "add", "Announce the new checkout", "--blocked-by", "Switch the old cache off", "--blocked-by", "https://github.com/example/shop/issues/42");
  world.run("task", "add", "Write the post about the outage");
  world.run("task", "done", "Write the post about the outage");
  return world;
}

export function hostile() {
  const world = new World();
  world.import([
    { session: HOSTILE_SESSION, project: "<b>project</b>", role: "user", content: HOSTILE },
    { session: "long", role: "user", content: `long line ${"y".repeat(1 << 20)}` },
  ], "hostile");
  world.run("task", "add", `<img src=x onerror="window.owned=1"> \u202e task`, "--blocked-by", "<script>window.owned=1</script> condition");
  return world;
}
