// The frame around the pages: navigation, project, language, live stream.

import { follow, get } from "./api.js";
import { h, link, shown } from "./dom.js";
import { LANGUAGES, t, useLanguage } from "./words.js";
import { PAGES } from "./pages.js";
import { failure, lost } from "./parts.js";

const NAVIGATION = ["dashboard", "search", "sessions", "entries", "tasks", "endless", "health", "settings", "remove"];
/** The list under which each page is shown in the navigation. */
const WITHIN = { session: "sessions", event: "sessions", entry: "entries", task: "tasks" };
const PROJECT = "recallite-project";

const state = { project: sessionStorage.getItem(PROJECT), listeners: new Set(), run: 0, isLive: false, position: null };
/** How long changes are gathered before a page is shown anew. */
const GATHERED_MS = 300;
let main, navigation, live;
let renewal = null;

/**
 * The context of a page: its parameters, the project, and the live stream. A person's action
 * calls `refresh`, a change in the stream `renew`.
 */
function context(parameters, run, listeners) {
  const begun = location.hash;
  return {
    parameters,
    project: state.project,
    isCurrent: () => state.run === run,
    listen: (listener) => listeners.add(listener),
    refresh: () => show({ keepsFocus: true }),
    renew: () => renew(begun),
  };
}

/** Shows a page anew after a change, once for many. What a person is entering stays. */
function renew(hash) {
  renewal ??= setTimeout(() => {
    renewal = null;
    if (location.hash !== hash) return;
    if (isEntering()) offer();
    else show({ keepsFocus: true, yields: true });
  }, GATHERED_MS);
}

function isEntering() {
  const fields = [...main.querySelectorAll("input, select, textarea")];
  return fields.some((field) => field === document.activeElement || ("defaultValue" in field && field.value !== field.defaultValue));
}

/** A button that shows the page anew. */
function offer() {
  if (document.getElementById("news")) return;
  const button = h("button", { type: "button", id: "news", on: { click: () => show({ keepsFocus: true }) } }, t("showNews"));
  main.querySelector(".heading")?.after(h("p", { class: "news", role: "status" }, button));
}

function address() {
  const [page, query] = location.hash.replace(/^#\/?/, "").split("?");
  const name = page || "dashboard";
  return { name: Object.hasOwn(PAGES, name) ? name : "notFound", parameters: Object.fromEntries(new URLSearchParams(query ?? "")) };
}

/** Shows the page of the address; one that `yields` waits for a person who is entering something. */
async function show({ keepsFocus = false, yields = false } = {}) {
  const { name, parameters } = address();
  const run = ++state.run;
  const listeners = new Set();
  clearTimeout(renewal);
  renewal = null;
  const within = WITHIN[name] ?? name;
  for (const item of navigation.querySelectorAll("a")) {
    if (item.dataset.page === within) {
      item.setAttribute("aria-current", "page");
      // In a narrow window the navigation scrolls sideways.
      navigation.scrollLeft = item.offsetLeft - (navigation.clientWidth - item.clientWidth) / 2;
    } else item.removeAttribute("aria-current");
  }
  main.setAttribute("aria-busy", "true");
  let content;
  try {
    content = name === "notFound" ? lost() : await PAGES[name](context(parameters, run, listeners));
  } catch (error) {
    content = failure(error, () => show());
  }
  if (state.run !== run) return;
  if (yields && isEntering()) {
    main.removeAttribute("aria-busy");
    offer();
    return;
  }
  // Until here, those of the page before report what this one may have missed.
  state.listeners = listeners;
  const focused = main.contains(document.activeElement) ? placeOf(document.activeElement) : null;
  main.replaceChildren(...[content].flat());
  main.removeAttribute("aria-busy");
  const heading = main.querySelector("h1");
  document.title = `${heading?.textContent ?? t(name)} – Recallite`;
  heading?.setAttribute("tabindex", "-1");
  if (keepsFocus) {
    if (focused) (counterpart(focused) ?? heading)?.focus({ preventScroll: true });
    return;
  }
  scrollTo(0, 0);
  (main.querySelector("[data-focus]") ?? heading)?.focus({ preventScroll: true });
}

const linksTo = (address) => [...main.querySelectorAll("a")].filter((one) => one.getAttribute("href") === address);

/** What tells an element of a page from the others: its id, or which link to its address it is. */
function placeOf(element) {
  const address = element.getAttribute("href");
  return { id: element.id, address, nth: linksTo(address).indexOf(element) };
}

/** The element of the new page that stands for one of the page before. */
function counterpart({ id, address, nth }) {
  return id ? document.getElementById(id) : linksTo(address)[nth];
}

function frame(projects) {
  const items = NAVIGATION.map((page) => h("li", {}, h("a", { href: link(page === "dashboard" ? "" : page), "data-page": page }, t(page))));
  navigation = h("nav", { "aria-label": t("menu") }, h("ul", {}, items));
  main = h("main", { id: "content" });
  live = h("p", { class: "live", role: "status" });
  const whole = h("div", { class: "frame" },
    h("a", { class: "skip", href: "#content", on: { click: skip } }, t("skip")),
    h("header", { class: "side" },
      h("a", { class: "brand", href: "#/" }, h("span", { class: "mark", "aria-hidden": "true" }), "Recallite"),
      navigation,
      h("div", { class: "choices" },
        projectChoice(projects),
        languageChoice(),
        live)),
    main);
  document.getElementById("app").replaceChildren(whole);
  showLive();
}

function skip(event) {
  event.preventDefault();
  main.setAttribute("tabindex", "-1");
  main.focus();
}

function projectChoice(projects) {
  const options = [h("option", { value: "*" }, t("allProjects"))].concat(
    projects.map(({ name }) => h("option", { value: `=${name}` }, shown(name) || t("noProject"))),
  );
  const chosen = state.project === null ? "*" : `=${state.project}`;
  const select = h("select", { id: "project", on: { change: chooseProject } }, options);
  select.value = chosen;
  if (select.selectedIndex < 0) select.value = "*";
  return h("div", { class: "choice" }, h("label", { for: "project" }, t("project")), select);
}

function chooseProject(event) {
  const value = event.target.value;
  state.project = value === "*" ? null : value.slice(1);
  if (state.project === null) sessionStorage.removeItem(PROJECT);
  else sessionStorage.setItem(PROJECT, state.project);
  // The pages of another list.
  const { name, parameters } = address();
  if (parameters.page) history.replaceState(null, "", link(name, { ...parameters, page: null }));
  show({ keepsFocus: true });
}

function languageChoice() {
  const options = Object.entries(LANGUAGES).map(([code, name]) => h("option", { value: code, lang: code }, name));
  const select = h("select", { id: "language", on: { change: chooseLanguage } }, options);
  select.value = document.documentElement.lang;
  return h("div", { class: "choice" }, h("label", { for: "language" }, t("language")), select);
}

async function chooseLanguage(event) {
  useLanguage(event.target.value);
  await begin();
  document.getElementById("language").focus();
}

function showLive() {
  live.className = state.isLive ? "live is-live" : "live";
  live.replaceChildren(h("span", { class: "dot", "aria-hidden": "true" }), t(state.isLive ? "live" : "offline"));
}

async function begin() {
  let projects = [];
  try {
    // Before any page is read, so that the stream misses nothing that the page does not show.
    const isFirst = state.position === null;
    const [known, config, stats] = await Promise.all([get("/api/projects"), get("/api/config"), isFirst && get("/api/stats")]);
    projects = known.projects;
    if (isFirst) state.position = stats.memory.position;
    if (state.project === null && config.config.project && sessionStorage.getItem("recallite-begun") === null) {
      state.project = config.config.project;
    }
    sessionStorage.setItem("recallite-begun", "1");
  } catch {
    // The page below shows the error.
  }
  if (state.project !== null && !projects.some(({ name }) => name === state.project)) state.project = null;
  frame(projects);
  await show({ keepsFocus: true });
}

/** Another store is in the place of the one that was read. What a person is entering stays. */
function readAnew() {
  if (isEntering()) offer();
  else begin();
}

function isTyping(target) {
  return target.isContentEditable || /^(input|select|textarea)$/i.test(target.tagName);
}

addEventListener("hashchange", () => show());
addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
  if (event.key !== "/") return;
  event.preventDefault();
  const field = document.querySelector("#q");
  if (field) field.focus();
  else location.hash = link("search");
});

useLanguage();
await begin();
follow(
  state.position,
  (change) => {
    if (change.type === "reload") readAnew();
    else state.listeners.forEach((listener) => listener(change));
  },
  (isLive) => {
    state.isLive = isLive;
    showLive();
  },
);
