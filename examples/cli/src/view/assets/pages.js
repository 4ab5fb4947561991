// The pages: each queries the server and returns the elements to show.

import { get, patch, post } from "./api.js";
import { action, block, bytes, clock, h, link, number, percent, reason, shown, stored, time } from "./dom.js";
import { graph } from "./graph.js";
import { chip, choice, citation, content, empty, entryRow, eventRow, facts, heading, kindChip, notice, pager, relevance, rows, section, sessionLink, sessionRow, stateChip, turn } from "./parts.js";
import { removePage } from "./remove.js";
import { t } from "./words.js";

const KINDS = ["user_prompt", "agent_response", "tool_observation", "session_summary"];
const TYPES = ["decision", "fact", "preference", "constraint", "insight", "task_note", "reference", "pattern"];

export const PAGES = { dashboard, sessions, session, search, event, entries, entry, tasks, task, endless, health, settings, remove: removePage };

/** Hits below this relevance are collapsed. */
const LIKELY = 0.1;

/** How many items of a list are shown at first, and how many more on request. */
const STEP = 100;
/** How many turns of a conversation the server returns at most. */
const MAX_TURNS = 500;
/** How many are shown, by the address of the page, which may be shown anew. */
const lengths = new Map();
const length = () => lengths.get(location.hash) ?? STEP;

/** A button that lengthens the list of its page. */
function lengthen(hasMore, refresh) {
  const grow = () => {
    lengths.set(location.hash, length() + STEP);
    refresh();
  };
  return hasMore && h("button", { type: "button", class: "quiet", id: "more", on: { click: grow } }, t("showMore"));
}

/** The position of the newest of these events in the log. */
const newestSeq = (events) => Math.max(0, ...events.map(({ seq }) => seq));

const segment = (text) => encodeURIComponent(text);
const go = (page, parameters) => { location.hash = link(page, parameters); };

async function dashboard({ project, listen }) {
  const [stats, timeline, latest, openTasks, newest] = await Promise.all([
    get("/api/stats", { project }),
    lastDays(project),
    get("/api/sessions", { pageSize: 6, project }),
    get("/api/tasks", { project, limit: 1 }),
    get("/api/events", { limit: 6, project }),
  ]);
  const { memory, storage } = stats;
  const feed = h("ul", { class: "rows feed" }, newest.events.map((event) => eventRow(event)));
  let last = newestSeq(newest.events);
  const feedHint = h("p", { class: "faint", hidden: newest.events.length > 0 }, t("liveEmpty"));
  listen((change) => {
    if (change.type !== "new_event" || (project !== null && change.event.project !== project)) return;
    // The stream is later than the list.
    if (change.event.seq <= last) return;
    last = change.event.seq;
    feedHint.hidden = true;
    const row = eventRow(change.event);
    row.classList.add("arrived");
    feed.prepend(row);
    while (feed.children.length > 100) feed.lastChild.remove();
  });
  return [
    heading(t("dashboard"), h("p", { class: "faint" }, t("tagline"))),
    h("div", { class: "figures" },
      figure(number(memory.events), t("memories"), null),
      figure(number(stats.sessions.total), t("conversations"), t("thisWeek", { n: number(stats.sessions.thisWeek) }), link("sessions")),
      figure(number(openTasks.open), t("openTasks"), null, link("tasks")),
      figure(bytes(storage.sizeBytes), t("onDisk"), t("ofQuota", { size: bytes(storage.quotaBytes) }))),
    h("p", { class: "well" }, stats.findings.length
      ? h("a", { href: link("health") }, stateChip("blocked", t("lookAt", { n: stats.findings.length })))
      : h("a", { href: link("health") }, stateChip("active", t("allWell")))),
    section(t("lastDays"), chart(timeline.days)),
    h("div", { class: "two" },
      section(t("latest"), rows(latest.sessions, sessionRow)),
      section(t("liveFeed"), feed, feedHint)),
  ];
}

/** The last days, as they begin where this page is read; in UTC if the server does not know the time zone. */
async function lastDays(project) {
  const path = "/api/stats/timeline";
  const zone = new Intl.DateTimeFormat().resolvedOptions().timeZone;
  try {
    return await get(path, { days: 14, project, zone });
  } catch (error) {
    if (error.status !== 400) throw error;
    return get(path, { days: 14, project });
  }
}

function figure(value, name, more, address) {
  const body = [h("span", { class: "figure-value" }, value), h("span", { class: "figure-name" }, name), more && h("span", { class: "faint" }, more)];
  return address ? h("a", { class: "figure", href: address }, body) : h("div", { class: "figure" }, body);
}

/** Bars for days, with a list for screen readers. */
function chart(days) {
  const most = Math.max(1, ...days.map(({ total }) => total));
  const lang = document.documentElement.lang;
  const bars = days.map(({ date, total }) => {
    const day = new Date(`${date}T12:00:00`);
    const name = new Intl.DateTimeFormat(lang, { weekday: "short", day: "numeric", month: "short" }).format(day);
    const says = t("perDay", { date: name, n: number(total) });
    const fill = h("span", { class: total ? "day-fill" : "day-fill none" });
    fill.style.blockSize = `${Math.max(total ? 4 : 1.5, (total / most) * 100)}%`;
    return h("li", { class: "day", title: says },
      h("span", { class: "unseen" }, says),
      h("span", { class: "day-bar", "aria-hidden": "true" }, fill),
      h("span", { class: "day-name", "aria-hidden": "true" }, new Intl.DateTimeFormat(lang, { day: "numeric" }).format(day).replace(/\D/g, "")));
  });
  return h("ol", { class: "chart" }, bars);
}

async function sessions({ parameters, project, isCurrent }) {
  const size = 20;
  const page = Math.max(1, Number(parameters.page) || 1);
  const text = parameters.text ?? "";
  const list = (number) => get("/api/sessions", { page: number, pageSize: size, text, project });
  let found = await list(page);
  const last = Math.max(1, Math.ceil(found.total / size));
  // The list has become shorter since the address was made.
  if (page > last && isCurrent()) {
    history.replaceState(null, "", link("sessions", { page: last > 1 ? last : null, text }));
    found = await list(last);
  }
  return [
    heading(t("sessions")),
    filterForm(text, (value) => go("sessions", { text: value })),
    found.total || text ? null : empty(),
    found.total ? rows(found.sessions, sessionRow) : text && empty(t("nothingFound"), t("nothingHint")),
    pager(found.page, size, found.total, (next) => link("sessions", { page: next, text })),
  ].filter(Boolean);
}

function filterForm(text, changed) {
  const field = h("input", { type: "search", id: "q", name: "text", value: text, autocomplete: "off" });
  return h("form", { class: "filter", role: "search", on: { submit: (submitted) => { submitted.preventDefault(); changed(field.value); } } },
    h("div", { class: "field grow" }, h("label", { for: "q" }, t("filter")), field),
    h("button", { type: "submit" }, t("find")));
}

async function session({ parameters, listen }) {
  const id = parameters.id ?? "";
  const address = `/api/sessions/${segment(id)}`;
  const found = await get(address);
  const list = h("ol", { class: "turns" });
  let last = 0;
  let news = 0;
  const add = ({ events, hasMore }) => {
    list.append(...events.map(turn));
    last = Math.max(last, newestSeq(events));
    more.hidden = !hasMore;
    if (hasMore) return;
    news = 0;
    newTurns.hidden = true;
  };
  const next = async (limit) => {
    const page = await get(address, { offset: list.children.length, limit });
    add(page);
    return page.hasMore;
  };
  const readOn = async (read) => {
    const first = list.children.length;
    await read();
    list.children[first]?.querySelector("a")?.focus();
  };
  const [more, moreProblem] = action(t("showMore"), { class: "quiet" }, () => readOn(() => next(STEP)));
  // The newest turns are behind all others.
  const [newTurns, newProblem] = action("", { hidden: true }, () => readOn(async () => { while (await next(MAX_TURNS)); }));
  add(found);
  listen((change) => {
    if (change.type !== "new_event" || change.event.sessionId !== id || change.event.seq <= last) return;
    news += 1;
    newTurns.textContent = t("newTurns", { n: news });
    newTurns.hidden = false;
  });
  const { session: about, stats } = found;
  return [
    h("p", { class: "crumb" }, h("a", { href: link("sessions") }, t("sessions"))),
    heading(stored(about.sessionId), stateChip(about.status === "active" ? "active" : "", t(about.status))),
    about.summary && h("p", { class: "lead" }, stored(about.summary)),
    h("p", { class: "meta" }, clock(about.startedAt), about.projectPath && stored(about.projectPath), h("span", {}, t("turns", { n: number(found.total) })), h("span", {}, t("tokens", { n: number(stats.totalTokens) })),
      h("a", { href: link("remove", { sessionId: about.sessionId }) }, t("remove"))),
    list, more, moreProblem, h("p", { class: "news", role: "status" }, newTurns, newProblem),
  ].filter(Boolean);
}

async function search({ parameters, project }) {
  const query = parameters.q ?? "";
  const field = h("input", { type: "search", id: "q", name: "q", value: query, autocomplete: "off", "data-focus": !query });
  const kinds = (parameters.kinds ?? "").split(",").filter(Boolean);
  const boxes = KINDS.map((kind) => h("label", { class: "check" }, h("input", { type: "checkbox", name: "kind", value: kind, checked: kinds.includes(kind) }), t(kind)));
  const since = h("input", { type: "date", id: "since", value: parameters.since ?? "" });
  const form = h("form", { class: "search", role: "search", on: { submit: (submitted) => {
    submitted.preventDefault();
    const chosen = new FormData(form).getAll("kind").join(",");
    if (field.value.trim()) go("search", { q: field.value, kinds: chosen, since: since.value });
  } } },
    h("div", { class: "filter" },
      h("div", { class: "field grow" }, h("label", { for: "q" }, t("question")), field),
      h("button", { type: "submit" }, t("find"))),
    h("fieldset", { class: "inline" }, h("legend", {}, t("kind")), boxes,
      h("div", { class: "check" }, h("label", { for: "since" }, t("since")), since)));
  const page = [heading(t("search")), form];
  if (!query.trim()) return page;
  const found = await post("/api/search", {
    query,
    filters: { eventType: kinds, dateFrom: parameters.since || null, project },
    options: { topK: 20 },
  });
  return page.concat(results(found));
}

function results({ results: hits, learned, meta }) {
  if (!hits.length && !learned.length) return [empty(t("nothingFound"), t("nothingHint"))];
  const said = [t("matches", { n: number(meta.totalMatches), ms: number(meta.searchTime) }), t(`certain_${meta.confidence}`)].join(" · ");
  return [
    h("p", { class: "faint", role: "status" }, said),
    meta.degraded && h("p", { class: "notice" }, t("degraded")),
    learned.length > 0 && section(t("learnedHits"), h("ul", { class: "rows" }, learned.map(learnedHit))),
    hits.length > 0 && section(t("saidHits"), saidHits(hits)),
  ].filter(Boolean);
}

/** Unlikely hits, collapsed. */
function saidHits(hits) {
  const isLikely = (found) => found.score >= LIKELY;
  const likely = hits.some(isLikely) ? hits.filter(isLikely) : hits;
  const rest = hits.filter((found) => !likely.includes(found));
  const list = (some) => h("ol", { class: "rows hits" }, some.map(hit));
  return [list(likely), rest.length > 0 && h("details", { class: "unlikely" }, h("summary", {}, t("unlikely", { n: number(rest.length) })), list(rest))];
}

function hit(found) {
  const passage = h("p", { class: "passage", dir: "auto" },
    found.hasMoreBefore && "… ",
    found.highlight.map(({ text, isMatch }) => (isMatch ? h("mark", {}, shown(text)) : shown(text))),
    found.hasMoreAfter && " …");
  const why = found.matchedWords.length ? t("because", { words: shown(found.matchedWords.join(", ")) }) : t("becauseNear");
  return h("li", { class: "row" },
    h("article", {},
      h("p", { class: "meta" }, kindChip(found.type), clock(found.timestamp), citation(found), sessionLink(found.sessionId)),
      h("a", { class: "passage-link", href: link("event", { id: found.citation }) }, passage),
      h("p", { class: "meta why" }, relevance(found.score), h("span", {}, why), found.origin === "recalled" && chip(t("recalled")))));
}

function learnedHit(found) {
  const address = found.kind === "entry" ? link("entry", { id: found.id }) : found.kind === "task" ? link("task", { id: found.id }) : link("event", { id: found.citation });
  const proofs = found.proofs.slice(0, 3).map((proof) => h("li", {}, h("q", { dir: "auto" }, shown(proof.quote)), " ", citation(proof)));
  return h("li", { class: found.isCurrent ? "row" : "row past" },
    h("article", {},
      h("p", { class: "meta" }, chip(t(found.type ?? found.kind), "type"), stateChip(found.state), found.stage && h("span", {}, t(found.stage)), time(found.timestamp)),
      h("a", { class: "row-main", href: address }, stored(found.title)),
      found.text && found.text !== found.title && h("p", { class: "row-text" }, stored(found.text)),
      found.supersededBy && h("p", { class: "faint" }, h("a", { href: link("entry", { id: found.supersededBy }) }, t("replacedBy"))),
      found.blockers.length > 0 && h("p", { class: "faint" }, t("waitsFor"), ": ", stored(found.blockers.join("; "))),
      h("p", { class: "meta why" }, relevance(found.relevance, t("covers", { p: percent(found.relevance) })), h("span", {}, `${t("level")} ${found.level}`)),
      proofs.length > 0 && h("ul", { class: "proofs", "aria-label": t("proofs") }, proofs)));
}

async function event({ parameters }) {
  const found = await get(`/api/events/${segment(parameters.id ?? "")}`);
  const { event: about, related, usage, proves } = found;
  const pinned = stateChip("verified", t("pinned"));
  pinned.hidden = !usage.isPinned;
  return [
    h("p", { class: "crumb" }, h("a", { href: link("sessions") }, t("sessions")), " / ", sessionLink(about.sessionId)),
    heading(t(about.type), h("span", { class: "citation" }, about.citation), copyButton(about.citation), pinned),
    h("p", { class: "meta" }, clock(about.timestamp), stored(about.actor), about.project && stored(about.project)),
    h("div", { class: `whole ${about.type}` }, content(about)),
    about.tool && toolCall(about),
    h("nav", { class: "beside", "aria-label": t("around") }, neighbour(related.previous, "previous", "prev"), neighbour(related.next, "next", "next")),
    h("div", { class: "two" },
      section(t("usage"), usageOf(usage)),
      section(t("provesTitle"), proves.length ? h("ul", { class: "rows" }, proves.map(proved)) : h("p", { class: "faint" }, t("provesNothing")))),
    h("details", {}, h("summary", {}, t("details")),
      facts([
        [t("id"), h("code", {}, about.id)],
        [t("position"), number(about.seq)],
        [t("origin"), about.origin.replaceAll("_", " ")],
        [t("machine"), found.source && stored(found.source.name ?? t("formerMember"))],
        [t("tokenCount"), number(found.tokenCount)],
        [t("files"), found.files?.length > 0 && h("ul", { class: "plain" }, found.files.map((file) => h("li", {}, stored(file))))],
        [t("metadata"), about.metadata && h("div", { class: "code" }, block(JSON.stringify(about.metadata, null, 2), { className: "stored", label: t("showMore") }))],
      ])),
    h("p", { class: "actions" },
      pinButton(about.id, pinned),
      h("a", { class: "button quiet", href: link("remove", { ids: about.citation }) }, t("forget")),
      h("a", { class: "button quiet", href: link("remove", { ids: about.citation, action: "erase" }) }, t("erase"))),
  ].filter(Boolean);
}

/** Pins or unpins a memory; the chip shows the state. */
function pinButton(id, chip) {
  const [button, problem] = action(t("pin"), { class: "quiet", "aria-pressed": String(!chip.hidden) }, async () => {
    const answer = await post(`/api/events/${segment(id)}/pin`, { pinned: chip.hidden });
    chip.hidden = !answer.isPinned;
    button.setAttribute("aria-pressed", String(answer.isPinned));
  });
  return [button, problem];
}

function copyButton(text) {
  const [button, problem] = action(t("copy"), { class: "quiet small" }, async () => {
    await navigator.clipboard.writeText(text);
    button.textContent = t("copied");
  });
  return [button, problem];
}

function toolCall(about) {
  const { tool } = about;
  const part = (name, key) => tool[key]?.text && h("details", { open: key !== "input" }, h("summary", {}, name), h("div", { class: "code" }, content(about, (whole) => whole.tool[key])));
  return section(tool.name ? stored(tool.name) : t("tool_observation"),
    h("p", { class: "meta" }, stateChip(tool.success ? "active" : "blocked", t(tool.success ? "succeeded" : "failed")), tool.durationMs !== null && `${number(tool.durationMs)} ms`),
    part(t("input"), "input"), part(t("output"), "output"), part(t("failure"), "error"));
}

function neighbour(found, name, rel) {
  if (!found) return h("span", {});
  return h("a", { class: `neighbour ${rel}`, rel, href: link("event", { id: found.citation }) },
    h("span", { class: "faint" }, t(name)), h("span", { class: "neighbour-text" }, stored(found.preview)));
}

function usageOf(usage) {
  const given = usage.count === 0 ? t("neverGiven") : usage.count === 1 ? t("givenOnce") : t("givenTimes", { n: number(usage.count) });
  return [h("p", {}, given), facts([
    [t("lastUsed"), usage.lastUsed && time(usage.lastUsed)],
    [t("givenIn"), usage.sessions.length > 0 && h("ul", { class: "plain" }, usage.sessions.slice(0, 20).map((id) => h("li", {}, sessionLink(id))))],
    [t("level"), usage.level],
    [t("usage"), usage.found && t("found", { n: number(usage.found.accessCount) })],
  ])];
}

function proved(found) {
  const row = entryRow(found);
  row.append(h("ul", { class: "proofs" }, found.quotes.map((quote) => h("li", {}, h("q", { dir: "auto" }, shown(quote))))));
  return row;
}

async function entries({ parameters, project, listen, refresh, renew }) {
  const { type, status, text } = parameters;
  const asked = { type: type || null, status: status || null, text: text || null, project, limit: length() };
  const [found, known] = await Promise.all([get("/api/entries", asked), get("/api/insights", { project })]);
  const change = (more) => go("entries", { type, status, text, ...more });
  listen((told) => { if (told.kind === "entry_changed") renew(); });
  const statuses = ["active", "contested", "superseded", "deprecated"];
  return [
    heading(t("entries")),
    h("div", { class: "filters" },
      choice("type", t("type"), [["", t("any")], ...TYPES.map((one) => [one, t(one)])], type, (value) => change({ type: value })),
      choice("status", t("status"), [["", t("any")], ...statuses.map((one) => [one, one === "active" ? t("activeEntry") : t(one)])], status, (value) => change({ status: value })),
      filterForm(text ?? "", (value) => change({ text: value }))),
    rows(found.entries, entryRow),
    lengthen(found.hasMore, refresh),
    known.insights.length > 0 && section(t("insights"), h("ul", { class: "rows" }, known.insights.map((insight) => h("li", { class: "row" },
      h("p", { class: "row-text" }, stored(insight.content)),
      h("p", { class: "meta" }, chip(t(insight.type), "type"), relevance(insight.confidence, percent(insight.confidence))))))),
  ].filter(Boolean);
}

async function entry({ parameters }) {
  const found = await get(`/api/entries/${segment(parameters.id ?? "")}`);
  const about = found.entry;
  const evidence = found.evidence.map(({ quote, event: source }) => h("li", { class: "row" },
    quote ? h("blockquote", { dir: "auto" }, shown(quote)) : h("p", { class: "faint" }, t("quoteGone")),
    source && h("p", { class: "meta" }, kindChip(source.type), clock(source.timestamp), citation(source), sessionLink(source.sessionId))));
  return [
    h("p", { class: "crumb" }, h("a", { href: link("entries") }, t("entries"))),
    heading(stored(about.title), stateChip(about.status, about.status === "active" ? t("activeEntry") : t(about.status))),
    h("p", { class: "meta" }, chip(t(about.type), "type"), h("span", {}, t(about.stage)), clock(about.createdAt), sessionLink(about.sessionId)),
    h("div", { class: "whole" }, block(about.content, { label: t("showMore") })),
    section(t("evidence"),
      evidence.length ? h("ul", { class: "rows" }, evidence) : h("p", { class: "faint" }, t("noEvidence")),
      found.missingQuotes > 0 && h("p", { class: "faint" }, t("missing", { n: found.missingQuotes }))),
    found.related.length > 0 && section(t("related"), rows(found.related, entryRow)),
    h("details", {}, h("summary", {}, t("details")), facts([
      [t("id"), h("code", {}, shown(about.id))],
      [t("project"), about.project && stored(about.project)],
      [t("confidence"), about.confidence !== null && percent(about.confidence)],
      [t("certifiedBy"), about.certifiedBy && stored(about.certifiedBy)],
      [t("validFrom"), about.validFrom && clock(about.validFrom)],
      [t("validTo"), about.validTo && clock(about.validTo)],
    ])),
  ].filter(Boolean);
}

async function tasks({ project, listen, refresh, renew }) {
  const found = await get("/api/tasks", { project, limit: length() });
  listen((told) => { if (told.kind?.startsWith("task_") || told.kind?.startsWith("condition_")) renew(); });
  const [open, closed] = [found.tasks.filter((one) => one.isOpen), found.tasks.filter((one) => !one.isOpen)];
  const drawing = graph(found.graph);
  return [
    heading(t("tasks")),
    drawing && section(t("graph"), drawing),
    section(t("open"), rows(open, taskRow)),
    closed.length > 0 && section(t("closed"), rows(closed, taskRow)),
    lengthen(found.hasMore, refresh),
  ].filter(Boolean);
}

function taskRow(about) {
  const waits = about.blockers.map(({ text }) => text);
  const may = about.suggestedBlockers.map(({ text }) => text);
  return h("li", { class: about.isOpen ? "row" : "row past" },
    h("a", { class: "row-main", href: link("task", { id: about.id }) }, stored(about.title)),
    h("p", { class: "meta" }, stateChip(about.status), about.priority !== "medium" && h("span", {}, t(about.priority)), time(about.updatedAt)),
    about.isOpen && waits.length > 0 && h("p", { class: "faint" }, t("waitsFor"), ": ", stored(waits.join("; "))),
    about.isOpen && may.length > 0 && h("p", { class: "faint" }, t("mayWaitFor"), ": ", stored(may.join("; "))));
}

async function task({ parameters, listen, renew }) {
  const found = await get(`/api/tasks/${segment(parameters.id ?? "")}`);
  const about = found.task;
  listen((told) => { if (told.kind?.startsWith("task_")) renew(); });
  const blockers = found.blockers.map((by) => h("li", { class: "row" },
    by.kind === "task" ? h("a", { class: "row-main", href: link("task", { id: by.id }) }, stored(by.title)) : h("p", { class: "row-text" }, stored(by.title)),
    h("p", { class: "meta" }, by.status ? stateChip(by.status) : chip(t(by.kind)))));
  return [
    h("p", { class: "crumb" }, h("a", { href: link("tasks") }, t("tasks"))),
    heading(stored(about.title), stateChip(about.status)),
    about.description && h("div", { class: "whole" }, block(about.description, { label: t("showMore") })),
    facts([[t("priority"), t(about.priority)], [t("project"), stored(about.project)], [t("changedAt"), clock(about.updatedAt)]]),
    blockers.length > 0 && section(t("waitsFor"), h("ul", { class: "rows" }, blockers)),
    about.suggestedBlockers.length > 0 && section(t("mayWaitFor"), h("ul", { class: "plain" }, about.suggestedBlockers.map(({ text }) => h("li", {}, stored(text))))),
    section(t("history"), h("ol", { class: "history" }, found.history.map(act))),
  ].filter(Boolean);
}

/** One change in the history of a task, with its outcome. */
function act({ type, timestamp, metadata }) {
  const { to, to_status: status, initial_status: first, blockers, reason } = metadata ?? {};
  return h("li", {}, clock(timestamp), h("span", {}, t(type)),
    (status || first) && stateChip(status ?? first),
    to && (type === "task_priority_changed" ? h("span", {}, t(to)) : stored(to)),
    type === "task_blockers_set" && stored(blockers.map((by) => by.raw_text).join("; ")),
    reason && stored(reason, { class: "faint" }));
}

async function endless({ refresh, renew, listen }) {
  const found = await get("/api/endless", { limit: length() });
  const isOn = found.mode === "endless";
  listen((told) => { if (["consolidated", "setting_changed", "continuity_scored"].includes(told.kind)) renew(); });
  const mode = action(t(isOn ? "turnOff" : "turnOn"), { class: "quiet", id: "mode" }, async () => {
    await patch("/api/config", { updates: { mode: isOn ? "session" : "endless" } });
    await refresh();
  });
  const items = found.workingSet.items.filter((item) => item.event);
  return [
    heading(t("endless"), mode),
    h("p", { class: "lead" }, t(isOn ? "modeEndless" : "modeSession")),
    h("div", { class: "figures" },
      figure(number(found.workingSet.size), t("workingSet")),
      figure(number(found.consolidated), t("consolidated")),
      figure(percent(found.continuityScore), t("continuityNow"))),
    found.activeTopics.length > 0 && section(t("topics"), h("p", { class: "chips" }, found.activeTopics.slice(0, 20).map((topic) => chip(stored(topic))))),
    section(t("workingSet"), rows(items, (item) => {
      const row = eventRow(item.event);
      row.append(h("p", { class: "meta" }, relevance(item.relevance, percent(item.relevance)), h("span", {}, t("expires"), " ", time(item.expiresAt))));
      return row;
    })),
    section(t("consolidated"), rows(found.memories, (memory) => h("li", { class: "row" },
      h("p", { class: "row-text" }, stored(memory.summary)),
      h("p", { class: "meta" }, time(memory.createdAt), h("span", {}, t("fromN", { n: memory.sources })), relevance(memory.confidence, percent(memory.confidence)), memory.topics.slice(0, 5).map((topic) => chip(stored(topic)))))), lengthen(found.hasMore, refresh)),
    found.continuity.length > 0 && section(t("continuity"), h("ol", { class: "history" }, found.continuity.map((one) => h("li", {}, clock(one.at), h("span", {}, t(one.transition)), relevance(one.score, percent(one.score)))))),
  ].filter(Boolean);
}

async function health() {
  const stats = await get("/api/stats");
  const { memory, lexical, embeddings, privacy, injections } = stats;
  const said = h("div", { role: "status" });
  const button = h("button", { type: "button", on: { click: () => checkNow(button, said) } }, t("checkNow"));
  return [
    heading(t("health"), stats.findings.length ? stateChip("blocked", t("lookAt", { n: stats.findings.length })) : stateChip("active", t("allWell"))),
    stats.findings.map(({ code, remedy }) => h("div", { class: "notice" }, h("p", {}, t(code)), h("p", {}, t("remedy"), ": ", h("code", {}, remedy)))),
    section(t("checkNow"), h("p", { class: "faint" }, t("checkHint")), h("p", { class: "actions" }, button), said),
    section(t("layers"), layers(stats.layers)),
    h("div", { class: "two" },
      section(t("lexical"), facts([[t("size"), t("segments", { n: number(lexical.segments) })], [t("waiting"), t("memtable", { n: number(lexical.memtableEvents) })], [t("moved"), lexical.lastFlush ? time(lexical.lastFlush) : t("never")]])),
      section(t("embeddings"), embeddings
        ? facts([[t("version"), stored(embeddings.version)], [t("size"), number(embeddings.vectors)], [t("waiting"), number(embeddings.pending)], [t("failed"), number(embeddings.failed)]])
        : h("p", { class: "faint" }, t("noEmbedder"))),
      section(t("privacy"), facts([[t("secretsMasked"), number(privacy.secretsMasked)], [t("privateSections"), number(privacy.privateSections)]])),
      section(t("given"), facts([[t("stored"), number(injections.memories)], [t("tokenCount"), number(injections.tokens)], [t("usage"), t("reusedOf", { n: number(injections.reused), m: number(injections.judged) })]])),
      section(t("levels"), facts(stats.levels.map((count, level) => [`L${level}`, number(count)]))),
      section(t("stored"), facts([...KINDS.map((kind) => [t(kind), number({ user_prompt: memory.prompts, agent_response: memory.responses, tool_observation: memory.tools, session_summary: memory.insights }[kind])]), [t("forgotten"), number(memory.forgotten)], [t("erased"), number(memory.erased)]]))),
  ].flat();
}

async function checkNow(button, said) {
  button.disabled = true;
  said.replaceChildren(h("p", { class: "faint" }, t("checking")));
  try {
    const report = await post("/api/check");
    const found = report.firstDivergence;
    said.replaceChildren(
      report.ok
        ? h("p", {}, stateChip("active", "✓"), " ", t("sound", { n: number(report.events) }))
        : h("div", { class: "notice", role: "alert" }, h("p", {}, t("damaged", { place: found?.place, problem: found?.problem })), h("p", {}, t("remedy"), ": ", found?.remedy)),
      ...(report.ignoredRecords ? [h("p", { class: "faint" }, t("ignored", { n: report.ignoredRecords }))] : []));
  } catch (error) {
    said.replaceChildren(notice(reason(error)));
  }
  button.disabled = false;
}

function layers(all) {
  const head = [t("layer"), t("size"), t("waiting"), t("moved")];
  return h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": t("layers") }, h("table", { class: "wraps" },
    h("thead", {}, h("tr", {}, head.map((name, at) => h("th", { scope: "col", class: at === 1 || at === 2 ? "numeric" : null }, name)))),
    h("tbody", {}, all.map((layer) => h("tr", {},
      h("th", { scope: "row" }, t(`layer_${layer.name}`)),
      h("td", { class: "numeric" }, number(layer.size)),
      h("td", { class: "numeric" }, layer.backlog ? number(layer.backlog) : "–"),
      h("td", {}, layer.lastMoved ? time(layer.lastMoved) : t("never")))))));
}

/**
 * The settings of the command. The mode has a place of its own, because it can be changed meanwhile, and
 * so has the project with which the viewer begins.
 */
const ELSEWHERE = ["endless", "project"];

function settingsTable(all) {
  const head = [t("setting"), t("value"), t("source")];
  const shown = (value) => (typeof value === "string" ? value : value === null ? "–" : JSON.stringify(value));
  return h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": t("settings") }, h("table", { class: "wraps" },
    h("thead", {}, h("tr", {}, head.map((name) => h("th", { scope: "col" }, name)))),
    h("tbody", {}, all.filter(({ name }) => !ELSEWHERE.includes(name)).map(({ name, value, source, sourceName, setBy }) => h("tr", {},
      h("th", { scope: "row" }, h("code", {}, name)),
      h("td", {}, stored(shown(value))),
      h("td", {}, t(`source_${source}`), " ", h("code", { class: "faint" }, sourceName ?? setBy)))))));
}

async function settings() {
  const { config, settings: all } = await get("/api/config");
  const { workingSet, consolidation, injection } = config.endless;
  const named = (settings_) => Object.entries(settings_).map(([name, value]) => [h("code", {}, name), number(value)]);
  return [
    heading(t("settings")),
    facts([
      [t("store"), stored(config.store.path)],
      [t("source"), config.store.source === "default" ? t("default") : config.store.source],
      [t("onlyProject"), config.project ? stored(config.project) : t("allProjects")],
      [t("quota"), bytes(config.quotaBytes)],
      [t("mode"), t(`modeWord_${config.mode}`)],
      [t("version"), config.version],
    ]),
    section(t("allSettings"), settingsTable(all)),
    section(t("limits"), h("h3", {}, "workingSet"), facts(named(workingSet)), h("h3", {}, "consolidation"), facts(named(consolidation)), h("h3", {}, "injection"), facts(named(injection))),
  ];
}
