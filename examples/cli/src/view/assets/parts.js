// Parts that several pages share.

import { get } from "./api.js";
import { block, clock, h, link, number, percent, reason, stored, time } from "./dom.js";
import { t } from "./words.js";

/** The heading of a page, with the elements beside it. */
export function heading(text, ...beside) {
  return h("div", { class: "heading" }, h("h1", {}, text), beside);
}

export function section(title, ...content) {
  return h("section", {}, h("h2", {}, title), content);
}

export function empty(text = t("nothing"), hint = null) {
  return h("div", { class: "empty" }, h("p", {}, text), hint && h("p", { class: "faint" }, hint));
}

export function chip(text, look = "") {
  return h("span", { class: `chip ${look}` }, text);
}

export function kindChip(kind) {
  return h("span", { class: `kind ${kind}` }, t(kind));
}

/** The style of a status word: good, waiting, over or neutral. */
export function stateChip(word, text = t(word)) {
  const looks = { in_force: "good", active: "good", done: "good", verified: "good", certified: "good", contested: "warn", blocked: "warn", in_progress: "accent", superseded: "over", deprecated: "over", cancelled: "over" };
  return chip(text, looks[word] ?? "");
}

export function citation(event) {
  return h("a", { class: "citation", href: link("event", { id: event.citation }) }, event.citation);
}

export function sessionLink(id) {
  return h("a", { class: "session-name", href: link("session", { id }) }, stored(id));
}

/** An event in a list: one line with a link to it. */
export function eventRow(event, { withSession = true } = {}) {
  return h("li", { class: "row" },
    h("a", { class: "row-main", href: link("event", { id: event.citation }) }, stored(event.preview) ),
    h("p", { class: "meta" }, kindChip(event.type), time(event.timestamp), withSession && sessionLink(event.sessionId)));
}

export function sessionRow(session) {
  return h("li", { class: "row" },
    h("a", { class: "row-main", href: link("session", { id: session.sessionId }) }, stored(session.title || session.sessionId)),
    h("p", { class: "meta" },
      session.status === "active" && stateChip("active", t("active")),
      time(session.lastEventAt),
      h("span", {}, t("turns", { n: number(session.eventCount) })),
      session.projectPath && stored(session.projectPath, { class: "faint" }),
      session.title && stored(session.sessionId, { class: "faint" })));
}

export function entryRow(entry) {
  return h("li", { class: "row" },
    h("a", { class: "row-main", href: link("entry", { id: entry.id }) }, stored(entry.title)),
    entry.content && entry.content !== entry.title && h("p", { class: "row-text" }, stored(entry.content)),
    h("p", { class: "meta" },
      chip(t(entry.type), "type"),
      stateChip(entry.status, entry.status === "active" ? t("activeEntry") : t(entry.status)),
      h("span", {}, t(entry.stage)),
      time(entry.createdAt)));
}

/** A list of names and values. */
export function facts(rows) {
  const shownRows = rows.filter(([, value]) => value !== null && value !== undefined && value !== "" && value !== false);
  return h("dl", { class: "facts" }, shownRows.map(([name, value]) => h("div", {}, h("dt", {}, name), h("dd", {}, value))));
}

/** A list of rows, or a note that there are none. */
export function rows(items, row) {
  return items.length ? h("ul", { class: "rows" }, items.map((item) => row(item))) : empty();
}

/** One turn of a conversation. */
export function turn(event) {
  return h("li", { class: `turn ${event.type}` },
    h("article", { "aria-label": t(event.type) },
      h("p", { class: "meta" }, kindChip(event.type), event.tool && stored(event.tool.name, { class: "tool-name" }), event.tool && stateChip(event.tool.success ? "ok" : "blocked", t(event.tool.success ? "succeeded" : "failed")), clock(event.timestamp), citation(event)),
      content(event)));
}

/** The text of an event; the rest of a long one is fetched on request. */
export function content(event, part = (whole) => whole.content) {
  const text = part(event);
  const label = text.isCut ? t("showAll", { n: number(text.chars) }) : t("showMore");
  const rest = text.isCut
    ? async () => part((await get(`/api/events/${encodeURIComponent(event.citation)}`, { full: true })).event).text
    : null;
  return block(text.text, { label, rest });
}

export function relevance(share, text) {
  const bar = h("span", { class: "bar", "aria-hidden": "true" }, h("span", { class: "bar-fill" }));
  bar.firstChild.style.inlineSize = `${Math.round(share * 100)}%`;
  return h("span", { class: "relevance" }, bar, text ?? t("answers", { p: percent(share) }));
}

/** The select element of a filter; a change navigates to a new address. */
export function choice(id, label, options, chosen, changed) {
  const select = h("select", { id, on: { change: (event) => changed(event.target.value) } },
    options.map(([value, text]) => h("option", { value }, text)));
  select.value = chosen ?? "";
  return h("div", { class: "field" }, h("label", { for: id }, label), select);
}

export function pager(page, size, total, go) {
  if (total <= size) return null;
  const from = (page - 1) * size + 1;
  const to = Math.min(total, page * size);
  return h("nav", { class: "pager", "aria-label": t("pageOf", { from, to, total }) },
    page > 1 ? h("a", { class: "button quiet", href: go(page - 1), rel: "prev" }, t("newer")) : h("span"),
    h("span", { class: "faint" }, t("pageOf", { from: number(from), to: number(to), total: number(total) })),
    to < total ? h("a", { class: "button quiet", href: go(page + 1), rel: "next" }, t("older")) : h("span"));
}

/** What went wrong, in place of what was asked for. */
export function notice(text) {
  return h("p", { class: "notice", role: "alert" }, text);
}

/** What is said of an address without a page, with the ways on. */
export function lost() {
  return h("div", { class: "notice" }, h("h1", {}, t("notFound")), h("p", {}, t("notFoundText")),
    h("p", {}, h("a", { href: link("") }, t("dashboard")), " · ", h("a", { href: link("search") }, t("search"))));
}

/** An error, with advice. */
export function failure(error, again) {
  if (error.status === 404) {
    return lost();
  }
  return h("div", { class: "notice", role: "alert" }, h("h1", {}, t("failedTitle")), h("p", {}, reason(error)),
    h("button", { type: "button", on: { click: again } }, t("tryAgain")));
}
