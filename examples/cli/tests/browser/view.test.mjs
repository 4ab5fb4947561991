// The viewer in a real browser: every page, the live stream, a hostile memory,
// accessibility, Korean, keyboard, narrow windows.
//
// RECALLITE_BIN names the command, CHROMIUM the browser, SHOTS a folder for pictures.

import assert from "node:assert/strict";
import { mkdirSync, readFileSync, readdirSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { chromium } from "playwright-core";
import { WORDS } from "../../src/view/assets/words.js";
import { filled, hostile } from "./world.mjs";

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const SHOTS = process.env.SHOTS;
if (SHOTS) mkdirSync(SHOTS, { recursive: true });

let browser;
before(async () => {
  const isRoot = process.getuid?.() === 0;
  browser = await chromium.launch({
    executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
    // The browser's own sandbox does not work for root.
    args: isRoot ? ["--no-sandbox"] : [],
  });
});
after(() => browser?.close());

/** A window that has visited the viewer and collects what went wrong in it. */
async function opened(address, options = {}) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, locale: "en-US", ...options });
  const page = await context.newPage();
  page.troubles = [];
  page.on("console", (message) => message.type() === "error" && page.troubles.push(message.text()));
  page.on("pageerror", (error) => page.troubles.push(String(error)));
  page.on("dialog", (dialog) => { page.troubles.push(`dialog ${dialog.message()}`); dialog.dismiss(); });
  page.on("request", (request) => {
    if (!request.url().startsWith(new URL(address).origin)) page.troubles.push(`asked ${request.url()}`);
  });
  await page.goto(address);
  await settled(page);
  return page;
}

async function settled(page) {
  await page.waitForSelector("main h1");
  await page.waitForSelector("main:not([aria-busy])");
}

async function visit(page, hash) {
  await page.evaluate((to) => { location.hash = to; }, hash);
  await page.waitForFunction((to) => location.hash === to, hash);
  await settled(page);
}

async function picture(page, name) {
  if (SHOTS) await page.screenshot({ path: join(SHOTS, `${name}.png`), fullPage: true });
}

/** What axe finds on a page, in words that name the place. */
async function axe(page) {
  const session = await page.context().newCDPSession(page);
  // Behind the page's content policy, which forbids scripts of others.
  await session.send("Runtime.evaluate", { expression: AXE });
  const found = await page.evaluate(() => window.axe.run(document, { runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"] }));
  return found.violations.map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.target.join(" ")).slice(0, 3).join(", ")}`);
}

/** An address of each page, with something to show on it. */
async function addresses(page) {
  const ask = (path, options) => page.evaluate(async ([to, given]) => (await fetch(to, given)).json(), [path, options]);
  const [sessions, entries, tasks] = [await ask("/api/sessions?pageSize=200"), await ask("/api/entries"), await ask("/api/tasks")];
  const one = sessions.sessions.find(({ sessionId }) => sessionId === "orders-database") ?? sessions.sessions[0];
  const { events } = await ask(`/api/sessions/${encodeURIComponent(one.sessionId)}`);
  const blocked = tasks.tasks.find(({ status }) => status === "blocked") ?? tasks.tasks[0];
  return {
    dashboard: "#/", sessions: "#/sessions", session: `#/session?${new URLSearchParams({ id: one.sessionId })}`,
    search: "#/search?q=where+does+the+cache+live", event: `#/event?id=${events[1]?.citation ?? events[0].citation}`,
    entries: "#/entries", ...(entries.entries[0] && { entry: `#/entry?id=${encodeURIComponent(entries.entries[0].id)}` }),
    tasks: "#/tasks", task: `#/task?id=${encodeURIComponent(blocked.id)}`, endless: "#/endless", health: "#/health",
    settings: "#/settings", remove: "#/remove",
  };
}

test("both languages say the same, and everything that is asked of them", () => {
  const holes = (text) => [...text.matchAll(/\{(\w+)\}/g)].map(([, name]) => name).sort();
  for (const [key, text] of Object.entries(WORDS.en).filter(([name]) => !name.endsWith("_one"))) {
    assert.deepEqual(holes(WORDS.ko[key] ?? ""), holes(text), key);
    assert.ok(WORDS.ko[key], key);
  }
  assert.deepEqual(Object.keys(WORDS.ko).filter((key) => !WORDS.en[key]), []);
  const assets = fileURLToPath(new URL("../../src/view/assets/", import.meta.url));
  for (const file of readdirSync(assets).filter((name) => name.endsWith(".js"))) {
    for (const [, key] of readFileSync(join(assets, file), "utf8").matchAll(/\bt\("(\w+)"/g)) assert.ok(WORDS.en[key], `${file}: ${key}`);
  }
});

describe("a filled store", () => {
  let world, address;
  before(async () => {
    world = await filled();
    address = await world.view();
  });
  after(() => world?.end());

  test("the token leaves the address and stays out of the page's reach", async () => {
    const page = await opened(address);
    assert.equal(new URL(page.url()).search, "");
    assert.equal(await page.evaluate(() => document.cookie), "");
    const [cookie] = await page.context().cookies();
    assert.equal(cookie.httpOnly && cookie.sameSite === "Strict", true);
    await page.reload();
    await settled(page);
    assert.deepEqual(page.troubles, []);
    await page.context().close();
    const stranger = await browser.newPage();
    const answer = await stranger.goto(new URL("/", address).href);
    assert.equal(answer.status(), 401);
    await stranger.close();
  });

  for (const [look, options] of [
    ["light", { colorScheme: "light" }],
    ["dark", { colorScheme: "dark" }],
    ["narrow", { colorScheme: "light", viewport: { width: 360, height: 740 } }],
    ["korean", { colorScheme: "light", locale: "ko-KR" }],
  ]) {
    test(`every page, ${look}`, async () => {
      const page = await opened(address, options);
      assert.equal(await page.getAttribute("html", "lang"), look === "korean" ? "ko" : "en");
      for (const [name, hash] of Object.entries(await addresses(page))) {
        await visit(page, hash);
        await picture(page, `${name}-${look}`);
        assert.deepEqual(await axe(page), [], `${name}, ${look}`);
        const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
        assert.ok(wide <= 0, `${name}, ${look}: ${wide} pixels too wide`);
        const cut = await page.$$eval("table.wraps", (tables) => tables.filter(({ parentElement: frame }) => frame.scrollWidth > frame.clientWidth).length);
        assert.equal(cut, 0, `${name}, ${look}: a table is cut at the edge`);
        if (name === "health") assert.doesNotMatch(await page.textContent("table"), /layer /, "a layer without a word");
        if (look === "korean") assert.match(await page.textContent("main"), /[가-힣]{2}/, name);
      }
      assert.deepEqual(page.troubles, []);
      await page.context().close();
    });
  }

  test("an address without a page says so, and leads on", async () => {
    const page = await opened(address);
    for (const hash of ["#/nonsense", "#/constructor", "#/event?id=mem:zzzzzz"]) {
      await visit(page, hash);
      assert.equal(await page.textContent("main h1"), WORDS.en.notFound, hash);
      await page.click('main a[href="#/search"]');
      await page.waitForSelector("#q");
    }
    await page.context().close();
  });

  test("a search marks the words and says why", async () => {
    const page = await opened(address);
    await page.keyboard.press("/");
    await page.waitForSelector("#q:focus");
    await page.keyboard.type("which port does the cache use");
    await page.keyboard.press("Enter");
    await page.waitForSelector(".hits mark");
    assert.ok((await page.locator(".hits mark").allTextContents()).includes("cache"));
    assert.match(await page.textContent(".hits .why"), /%.*Matching words: .*cache/s);
    assert.match(await page.textContent("main"), /Learned.*in force/s);
    await page.locator(".hits .citation").first().focus();
    await page.keyboard.press("Enter");
    await page.waitForSelector(".whole");
    assert.match(await page.textContent("main"), /6379/);
    assert.match(await page.textContent("main"), /The cache lives in Redis on port 6379/);
    await page.goBack();
    await page.waitForSelector(".hits mark");
    assert.deepEqual(page.troubles, []);
    await page.context().close();
  });

  test("the language is switched and kept", async () => {
    const page = await opened(address);
    await page.selectOption("#language", "ko");
    await page.waitForFunction(() => document.documentElement.lang === "ko" && document.querySelector("main h1")?.textContent === "개요");
    await page.reload();
    await settled(page);
    assert.equal(await page.textContent("main h1"), "개요");
    await page.context().close();
  });

  test("the blockers are drawn and lead to their tasks", async () => {
    const page = await opened(address);
    await visit(page, "#/tasks");
    assert.ok((await page.locator("svg.graph .edge").count()) >= 5);
    const box = page.locator("svg.graph a.box", { hasText: "Switch the old cache" });
    await box.focus();
    await page.keyboard.press("Enter");
    await page.waitForFunction(() => document.querySelector("main h1")?.textContent.includes("Switch the old cache off"));
    assert.match(await page.textContent("main"), /approval of the operations team/);
    assert.match(await page.textContent(".history"), /changed to\s*Blocked/);
    await page.context().close();
  });

  test("what another process stores appears by itself", async () => {
    const page = await opened(address);
    await page.waitForSelector(".is-live");
    world.run("remember", "The live stream was seen by the browser.");
    await page.waitForSelector(".feed .row:has-text('live stream was seen')");
    await visit(page, "#/session?id=today");
    world.import([{ session: "today", project: "shop", role: "user", content: "One more turn while you watch." }], "more");
    await page.click(".news button:visible");
    await page.waitForSelector(".turn:has-text('One more turn while you watch')");
    assert.deepEqual(page.troubles, []);
    await page.context().close();
  });

  test("the endless mode is switched and the store is checked", async () => {
    const page = await opened(address);
    await visit(page, "#/endless");
    await page.click("button:has-text('Turn on')");
    await page.waitForSelector("button:has-text('Turn off')");
    await visit(page, "#/health");
    await page.click("button:has-text('Check the whole store')");
    await page.waitForSelector("text=No problems found:");
    await page.context().close();
  });

  test("forgetting counts, asks, and gives a receipt", async () => {
    const page = await opened(address);
    await visit(page, "#/session?id=deploy-friday");
    await page.click("main .meta a:has-text('Forget or erase')");
    await page.waitForSelector("form.remove");
    assert.equal(await page.inputValue("input[name=sessionId]"), "deploy-friday");
    await page.click("form.remove button");
    const act = page.locator("button.danger");
    await act.waitFor();
    assert.equal(await act.textContent(), "Forget 2 memories");
    assert.equal(await act.isDisabled(), true);
    await picture(page, "remove-counted");
    await page.check("#sure");
    await act.click();
    await page.waitForSelector(".receipt");
    assert.match(await page.textContent(".receipt"), /2 memories forgotten/);
    await picture(page, "remove-receipt");
    assert.deepEqual(await axe(page), []);
    await visit(page, "#/search?q=deploy+on+Fridays");
    assert.doesNotMatch(await page.textContent("main"), /after noon/);
    await visit(page, "#/remove?project=");
    await page.click("form.remove button");
    await page.waitForSelector("[role=alert]:has-text('the field is empty')");
    assert.deepEqual(page.troubles, []);
    await page.context().close();
  });
});

/** Ends once everything that was answered before has been shown. */
const shown = (page) => page.evaluate(async () => { await fetch("/health"); await new Promise(requestAnimationFrame); });

test("a count that comes late does not replace the one that was asked last", async () => {
  const world = await filled();
  try {
    const page = await opened(await world.view());
    await visit(page, "#/remove");
    let release;
    const held = new Promise((tell) => { release = tell; });
    let asked = 0;
    await page.route("**/api/remove", async (route) => {
      asked += 1;
      if (asked === 1) await held;
      await route.continue();
    });
    await page.check("#what-everything");
    await page.click("form.remove button");
    await page.check("#what-sessionId");
    await page.fill("input[name=sessionId]", "cache-outage");
    await page.click("form.remove button");
    const says = async () => (await page.textContent(".confirm")).replace(/\s+/g, " ");
    await page.waitForSelector(".confirm");
    assert.match(await says(), /forget 3 memories.*One conversation: cache-outage/);
    const late = page.waitForResponse("**/api/remove");
    release();
    await (await late).finished();
    await shown(page);
    assert.match(await says(), /forget 3 memories.*One conversation: cache-outage/);
    // Another choice is another count, however it is made.
    await page.focus("input[name=before]");
    assert.equal(await page.isChecked("#what-before"), true);
    assert.equal(await page.locator(".confirm").count(), 0);
    assert.deepEqual(page.troubles, []);
    await page.context().close();
  } finally {
    await world.end();
  }
});

test("what is stored while a page opens is listed once", async () => {
  const world = await filled();
  try {
    const page = await opened(await world.view());
    let [beforeList, beforeStream] = [true, true];
    await page.route("**/api/events?*", async (route) => {
      if (beforeList) world.run("remember", "Stored before the list was read.");
      beforeList = false;
      await route.continue();
    });
    await page.route("**/api/stream?*", async (route) => {
      if (beforeStream) world.run("remember", "Stored before the stream began.");
      beforeStream = false;
      await route.continue();
    });
    await page.reload();
    await settled(page);
    const rows = (text) => page.locator(`.feed .row:has-text('${text}')`);
    await rows("Stored before the stream began").waitFor();
    world.run("remember", "Stored after the stream began.");
    await rows("Stored after the stream began").waitFor();
    for (const text of ["before the list", "before the stream", "after the stream"]) assert.equal(await rows(text).count(), 1, text);
    assert.deepEqual(page.troubles, []);
    await page.context().close();
  } finally {
    await world.end();
  }
});

describe("a store with long lists", () => {
  let world, address;
  const MANY = 105;
  before(async () => {
    world = await filled();
    const said = "We keep a list of many things.";
    world.import([{ session: "many", project: "shop", role: "user", content: said, timestamp: "2026-01-05T10:00:00Z" }], "many");
    const quotes = [{ message_index: 0, quote: said }];
    const items = Array.from({ length: MANY }, (_, n) => n);
    const entries = items.map((n) => ({ id: `e${n}`, type: "reference", title: `Shelf number ${n}`, content: `Shelf number ${n} holds box ${n * 7}.`, quotes }));
    const tasks = items.map((n) => ({ id: `t${n}`, title: `Sort shelf number ${n}`, quotes }));
    await world.learn([["many", { schema_version: 1, entries, tasks }]]);
    address = await world.view();
  });
  after(() => world?.end());

  const figure = (page, name) => page.textContent(`.figure:has(.figure-name:text-is("${name}")) .figure-value`);
  const choose = async (page, name) => {
    const value = await page.evaluate((ends) => [...document.querySelectorAll("#project option")].find((one) => one.value.endsWith(ends)).value, name);
    await page.selectOption("#project", value);
    await settled(page);
  };

  test("the figures are those of the chosen project", async () => {
    const page = await opened(address);
    const all = [await figure(page, "memories"), await figure(page, "conversations")].map(Number);
    await choose(page, "blog");
    await page.waitForFunction((before) => document.querySelector(".figure-value").textContent !== before, String(all[0]));
    const blog = [await figure(page, "memories"), await figure(page, "conversations")].map(Number);
    assert.ok(blog[0] > 0 && blog[0] < all[0], `${blog} of ${all}`);
    assert.ok(blog[1] > 0 && blog[1] < all[1], `${blog} of ${all}`);
    await page.click(".figure[href='#/sessions']");
    await page.waitForFunction(() => location.hash === "#/sessions" && !document.querySelector("main[aria-busy]"));
    await settled(page);
    assert.equal(await page.locator("main .row").count(), blog[1]);
    assert.deepEqual(page.troubles, []);
    await page.context().close();
  });

  test("a list tells that there is more, and shows it", async () => {
    const page = await opened(address);
    const all = (name) => page.evaluate(async (of) => (await (await fetch(`/api/${of}?limit=1000`)).json())[of], name);
    const open = (await all("tasks")).filter(({ isOpen }) => isOpen).length;
    assert.ok(open > MANY);
    assert.equal(await figure(page, "open tasks"), String(open));
    for (const [name, list] of [["entries", "main > .rows"], ["tasks", "main .rows"]]) {
      const total = (await all(name)).length;
      await visit(page, `#/${name}`);
      const rows = () => page.locator(`${list} > .row`).count();
      assert.ok((await rows()) < total, name);
      const more = page.locator("#more");
      await more.focus();
      await page.keyboard.press("Enter");
      await page.waitForFunction(() => !document.querySelector("#more"));
      assert.equal(await rows(), total, name);
      assert.notEqual(await page.evaluate(() => document.activeElement.tagName), "BODY");
    }
    assert.match(await page.textContent("main"), /Closed.*Write the post about the outage/s);
    assert.deepEqual(await axe(page), []);
    assert.deepEqual(page.troubles, []);
    await page.context().close();
  });

  test("the new turns of a long conversation are shown behind all others", async () => {
    const said = (n) => ({ session: "long-talk", project: "shop", role: "user", content: `Turn ${n} of a long talk.`, timestamp: new Date(Date.UTC(2026, 0, 6, 10, n)).toISOString() });
    world.import(Array.from({ length: 120 }, (_, n) => said(n)), "long-talk");
    const page = await opened(address);
    await page.waitForSelector(".is-live");
    await visit(page, "#/session?id=long-talk");
    assert.equal(await page.locator(".turn").count(), 100);
    world.import([said(120)], "one-more");
    await page.click(".news button:visible");
    await page.waitForSelector(".turn:has-text('Turn 120 of a long talk')");
    assert.equal(await page.locator(".turn").count(), 121);
    assert.equal(await page.locator(".news button:visible").count(), 0);
    assert.deepEqual(page.troubles, []);
    await page.context().close();
  });

  test("a page that a list does not have any more is its last one", async () => {
    const page = await opened(address);
    await page.evaluate(() => { location.hash = "#/sessions?page=5"; });
    await page.waitForFunction(() => location.hash === "#/sessions" || location.hash === "#/sessions?page=2");
    await settled(page);
    assert.ok((await page.locator("main .row").count()) > 0);
    assert.doesNotMatch(await page.textContent("main"), /Nothing here yet/);
    await choose(page, "blog");
    await page.waitForFunction(() => location.hash === "#/sessions");
    assert.ok((await page.locator("main .row").count()) > 0);
    await page.context().close();
  });

  test("a live change leaves what is typed, and the focus", async () => {
    const page = await opened(address);
    await page.waitForSelector(".is-live");
    await visit(page, "#/entries");
    await page.fill("#q", "half a wo");
    const quotes = [{ message_index: 0, quote: "We keep a list of many things." }];
    await world.learn([["many", { schema_version: 1, entries: [{ id: "new", type: "decision", title: "Boxes are blue", content: "Every box is blue.", quotes }] }]]);
    const news = page.locator("#news");
    await news.waitFor();
    assert.equal(await page.inputValue("#q"), "half a wo");
    assert.equal(await page.evaluate(() => document.activeElement.id), "q");
    assert.deepEqual(await axe(page), []);
    await news.click();
    await page.waitForSelector(".row:has-text('Boxes are blue')");

    await visit(page, "#/tasks");
    const row = page.locator("main .row-main").nth(2);
    const title = await row.textContent();
    await row.focus();
    world.run("task", "add", "Order new shelves", "--priority", "critical");
    await page.waitForSelector(".row:has-text('Order new shelves')");
    assert.equal(await page.evaluate(() => document.activeElement.textContent), title);

    await visit(page, "#/endless");
    await page.focus("#mode");
    await page.keyboard.press("Enter");
    await page.waitForSelector("#mode:has-text('Turn off')");
    assert.equal(await page.evaluate(() => document.activeElement.id), "mode");
    assert.deepEqual(page.troubles, []);
    await page.context().close();
  });
});

test("a memory is pinned and unpinned", async () => {
  const world = await filled();
  try {
    const page = await opened(await world.view());
    await visit(page, "#/session?id=cache-outage");
    await page.click(".turn:has-text('Never restart Redis') .citation");
    const button = page.locator(".actions button");
    const chip = page.locator(".heading").getByText("Pinned", { exact: true });
    for (const isPinned of [true, false, true]) {
      await button.click();
      await page.waitForSelector(`.actions button[aria-pressed=${isPinned}]`);
      assert.equal(await chip.isVisible(), isPinned);
    }
    await picture(page, "event-pinned");
    assert.deepEqual(await axe(page), []);
    await page.reload();
    await page.waitForSelector(".actions button[aria-pressed=true]");
    assert.deepEqual(page.troubles, []);
    await page.context().close();
  } finally {
    await world.end();
  }
});

test("one memory is erased to the last byte", async () => {
  const world = await filled();
  try {
    const page = await opened(await world.view());
    await visit(page, "#/session?id=cache-outage");
    await page.click(".turn:has-text('Never restart Redis') .citation");
    await page.click(".actions a:has-text('Erase')");
    await page.waitForSelector("form.remove");
    await page.click("form.remove button");
    const act = page.locator("button.danger");
    await act.waitFor();
    assert.equal(await act.textContent(), "Erase 1 memory");
    assert.match(await page.textContent(".confirm"), /Never restart Redis during the day/);
    await page.check("#sure");
    await act.click();
    await page.waitForSelector(".receipt");
    assert.match(await page.textContent(".receipt"), /1 memory erased.*No byte of their text is left/s);
    await picture(page, "erase-receipt");
    await visit(page, "#/session?id=cache-outage");
    assert.doesNotMatch(await page.textContent("main"), /Never restart/);
    assert.deepEqual(page.troubles, []);
    await page.context().close();
  } finally {
    await world.end();
  }
});

describe("a hostile store", () => {
  let world, address;
  before(async () => {
    world = hostile();
    address = await world.view();
  });
  after(() => world?.end());

  test("nothing of it runs, hides or reorders on any page", async () => {
    const page = await opened(address);
    const all = await addresses(page);
    const { sessions } = await page.evaluate(async () => (await fetch("/api/sessions")).json());
    for (const { sessionId } of sessions) all[sessionId] = `#/session?${new URLSearchParams({ id: sessionId })}`;
    const { events } = await page.evaluate(async () => (await fetch("/api/events")).json());
    for (const { citation } of events) all[citation] = `#/event?id=${citation}`;
    all.found = "#/search?q=script+owned";
    all.given = "#/remove?ids=%22%3E%3Cscript%3Ewindow.owned%3D1%3C%2Fscript%3E";
    for (const [name, hash] of Object.entries(all)) {
      await visit(page, hash);
      const state = await page.evaluate(() => ({
        owned: window.owned,
        foreign: document.querySelectorAll("main script, main img, main iframe, main [onerror]").length,
        unseen: /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/.test(document.body.textContent + document.title),
        wide: document.documentElement.scrollWidth - innerWidth,
      }));
      assert.equal(state.owned, undefined, name);
      assert.equal(state.foreign, 0, name);
      assert.equal(state.unseen, false, name);
      assert.ok(state.wide <= 0, `${name}: ${state.wide} pixels too wide`);
    }
    await visit(page, all.found);
    await page.waitForSelector(".hits");
    assert.match(await page.textContent("main"), /<script>window\.owned=1<\/script>/);
    await picture(page, "hostile-search");
    const [{ citation }] = events.filter(({ sessionId }) => sessionId.includes("title"));
    await visit(page, `#/event?id=${citation}`);
    assert.match(await page.textContent(".whole"), /⟨001B⟩\[2J.*⟨202E⟩cod\.exe⟨2066⟩/s);
    await picture(page, "hostile-event");
    await visit(page, "#/tasks");
    await picture(page, "hostile-tasks");
    assert.deepEqual(await axe(page), []);
    assert.deepEqual(page.troubles, []);
    await page.context().close();
  });

  test("a line of a megabyte is cut and grows on request", async () => {
    const page = await opened(address);
    await visit(page, "#/session?id=long");
    const length = () => page.evaluate(() => document.querySelector(".turn .stored").textContent.length);
    assert.equal(await length(), 2_000);
    const more = page.locator(".turn .more");
    // If the rest cannot be fetched, the page says so, and the button works later.
    await page.route("**/api/events/**", (route) => route.abort());
    await more.click();
    await page.waitForSelector(".turn [role=alert]:has-text('Is “recallite view” still running?')");
    await page.unroute("**/api/events/**");
    await more.click();
    await page.waitForFunction(() => document.querySelector(".turn .stored").textContent.length === 20_000);
    await more.click();
    assert.equal(await length(), 40_000);
    await page.context().close();
  });
});

test("an empty store has its words on every page", async () => {
  const world = hostile();
  world.run("erase", "--everything", "-a", "--confirm");
  try {
    const page = await opened(await world.view());
    for (const name of ["", "sessions", "entries", "tasks", "endless", "health", "settings", "remove", "search?q=x"]) {
      await visit(page, `#/${name}`);
      assert.deepEqual(await axe(page), [], name);
    }
    await visit(page, "#/event?id=mem:zzzzzz");
    assert.match(await page.textContent("main"), /Not found/);
    await visit(page, "#/sessions");
    assert.match(await page.textContent("main"), /Nothing here yet/);
    await picture(page, "empty-sessions");
    await world.stop();
    await page.evaluate(() => { location.hash = "#/tasks"; });
    await page.waitForSelector("[role=alert]:has-text('Is “recallite view” still running?')");
    await page.context().close();
  } finally {
    await world.end();
  }
});
