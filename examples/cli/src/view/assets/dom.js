// Elements and text. Stored text enters the page only as text nodes; there is no other way here.

import { t } from "./words.js";

/** An element. Attributes: plain ones, `on` for listeners, `text` for stored text. */
export function h(name, attributes = {}, ...children) {
  return filled(document.createElement(name), attributes, children);
}

/** An SVG element. */
export function svg(name, attributes = {}, ...children) {
  return filled(document.createElementNS("http://www.w3.org/2000/svg", name), attributes, children);
}

function filled(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes ?? {})) {
    if (value === null || value === undefined || value === false) continue;
    if (name === "on") {
      for (const [event, listener] of Object.entries(value)) element.addEventListener(event, listener);
    } else if (name === "value") {
      element.value = value;
      // What a person entered differs from it.
      if ("defaultValue" in element) element.defaultValue = value;
    } else {
      element.setAttribute(name, value === true ? "" : value);
    }
  }
  element.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

const UNSEEN =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\u3164\ufeff\uffa0\u{e0000}-\u{e0fff}]/gu;

/** A text in which control, reordering and invisible characters are made visible. */
export function shown(text) {
  return String(text ?? "")
    .replace(/\r\n/g, "\n")
    .replace(UNSEEN, (c) => `⟨${c.codePointAt(0).toString(16).toUpperCase().padStart(4, "0")}⟩`);
}

/** Stored text within a line. */
export function stored(text, attributes = {}) {
  return h("bdi", attributes, shown(text));
}

/** What a failed request says, in words. */
export function reason(error) {
  return { 0: t("gone"), 401: t("unauthorized") }[error.status] ?? shown(error.message);
}

/** A button and, beside it, why its work failed. It stays enabled, so that it keeps the focus. */
export function action(text, attributes, work) {
  const problem = h("span", { role: "alert" });
  let isRunning = false;
  const click = async () => {
    if (isRunning) return;
    isRunning = true;
    try {
      await work();
      problem.textContent = "";
    } catch (error) {
      problem.textContent = reason(error);
    }
    isRunning = false;
  };
  return [h("button", { type: "button", ...attributes, on: { click } }, text), problem];
}

/** Stored text that starts short and grows on request. */
const STEP = 20_000;
export function block(text, { className = "stored", label, rest = null } = {}) {
  const whole = shown(text);
  const body = h("div", { class: className, dir: "auto" });
  let done = 0;
  const [more, problem] = action(label ?? "…", { class: "quiet more" }, async () => {
    if (done < whole.length) return grow();
    const grown = block(await rest(), { className, label });
    wrapper.replaceChildren(...grown.childNodes);
    wrapper.querySelector("button:not([hidden])")?.focus();
  });
  const grow = () => {
    body.append(whole.slice(done, done + STEP));
    done += STEP;
    more.hidden = done >= whole.length && !rest;
  };
  const wrapper = h("div", {}, body, more, problem);
  grow();
  return wrapper;
}

/** A readable number. */
export function number(value) {
  return new Intl.NumberFormat(document.documentElement.lang).format(value ?? 0);
}

/** A readable size in bytes. */
export function bytes(count) {
  const units = ["byte", "kilobyte", "megabyte", "gigabyte", "terabyte"];
  let size = count ?? 0;
  let unit = 0;
  while (size >= 1000 && unit + 1 < units.length) {
    size /= 1000;
    unit += 1;
  }
  const format = { style: "unit", unit: units[unit], unitDisplay: unit ? "short" : "long", maximumFractionDigits: size < 10 && unit ? 1 : 0 };
  return new Intl.NumberFormat(document.documentElement.lang, format).format(size);
}

/** A fraction as a percentage. */
export function percent(share) {
  return new Intl.NumberFormat(document.documentElement.lang, { style: "percent" }).format(share ?? 0);
}

/** A moment: in words if it is near, with the exact time beside it. */
export function time(at) {
  if (!at) return document.createTextNode("–");
  const moment = new Date(at);
  const lang = document.documentElement.lang;
  const exact = new Intl.DateTimeFormat(lang, { dateStyle: "medium", timeStyle: "short" }).format(moment);
  return h("time", { datetime: at, title: exact }, nearby(moment, lang) ?? exact);
}

/** The exact moment, where the order within minutes matters. */
export function clock(at) {
  const moment = new Date(at);
  const lang = document.documentElement.lang;
  return h("time", { datetime: at }, new Intl.DateTimeFormat(lang, { dateStyle: "medium", timeStyle: "short" }).format(moment));
}

function nearby(moment, lang) {
  const minutes = Math.round((moment - Date.now()) / 60_000);
  const relative = new Intl.RelativeTimeFormat(lang, { numeric: "auto" });
  if (Math.abs(minutes) < 60) return relative.format(minutes, "minute");
  if (Math.abs(minutes) < 24 * 60) return relative.format(Math.round(minutes / 60), "hour");
  if (Math.abs(minutes) < 7 * 24 * 60) return relative.format(Math.round(minutes / 60 / 24), "day");
  return null;
}

/** The address of a page of the viewer. */
export function link(page, parameters = {}) {
  const given = Object.entries(parameters).filter(([, value]) => value !== null && value !== undefined && value !== "");
  const query = new URLSearchParams(given).toString();
  return `#/${page}${query ? `?${query}` : ""}`;
}
