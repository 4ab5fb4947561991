// Forgetting and erasing: what is selected, how much it is, confirmation, receipt.

import { post } from "./api.js";
import { bytes, h, number, reason, shown } from "./dom.js";
import { eventRow, facts, heading, notice, section } from "./parts.js";
import { t } from "./words.js";

const WHATS = {
  ids: { label: "byCitation", hint: "byCitationHint", type: "text" },
  sessionId: { label: "bySession", hint: "bySessionHint", type: "text" },
  before: { label: "byTime", type: "date" },
  project: { label: "byProject", type: "text" },
  everything: { label: "everything" },
};

/** Raised by each count and each change of the form: an answer that belongs to neither comes late. */
let counts = 0;

export function removePage({ parameters, project }) {
  const first = Object.keys(WHATS).find((what) => parameters[what] !== undefined) ?? "ids";
  const result = h("div", { "aria-live": "polite" });
  const form = h("form", { class: "remove", on: { submit: (event) => count(event, form, project, result), input: () => clear(result) } },
    h("fieldset", {}, h("legend", {}, t("what")), Object.entries(WHATS).map(([what, about]) => whatChoice(what, about, what === first, parameters[what]))),
    h("fieldset", {}, h("legend", {}, t("how")),
      howChoice("forget", parameters.action !== "erase"),
      howChoice("erase", parameters.action === "erase")),
    h("button", { type: "submit" }, t("count")));
  return [heading(t("remove")), h("p", { class: "lead" }, t("removeIntro")), form, result];
}

function clear(result) {
  counts += 1;
  result.replaceChildren();
}

function whatChoice(what, { label, hint, type }, isFirst, given) {
  const radio = h("input", { type: "radio", name: "what", id: `what-${what}`, value: what, checked: isFirst });
  const choose = () => {
    if (radio.checked) return;
    radio.checked = true;
    // As if it had been clicked: what was counted is not what is chosen.
    radio.dispatchEvent(new Event("input", { bubbles: true }));
  };
  const parts = [h("label", { for: `what-${what}` }, t(label))];
  if (type) {
    const field = h("input", { type, name: what, "aria-label": t(label), value: given ?? "", autocomplete: "off", spellcheck: "false", "aria-describedby": hint && `hint-${what}`, on: { focus: choose } });
    parts.push(field, hint && h("span", { class: "faint", id: `hint-${what}` }, t(hint)));
  }
  return h("div", { class: "option" }, radio, h("div", { class: "option-body" }, parts));
}

function howChoice(action, isChecked) {
  return h("div", { class: "option" },
    h("input", { type: "radio", name: "action", id: `how-${action}`, value: action, checked: isChecked }),
    h("div", { class: "option-body" }, h("label", { for: `how-${action}` }, t(action)), h("span", { class: "faint" }, t(`${action}Hint`))));
}

function meant(data, project) {
  const what = data.get("what");
  if (what === "everything") return { everything: true, project };
  if (what === "ids") return { ids: data.get("ids").split(/[\s,]+/).filter(Boolean) };
  if (what === "project") return { project: data.get("project"), everything: true };
  if (what === "before") return { before: data.get("before"), project };
  return { sessionId: data.get("sessionId") };
}

async function count(event, form, project, result) {
  event.preventDefault();
  clear(result);
  const run = counts;
  const data = new FormData(form);
  const action = data.get("action");
  const what = data.get("what");
  if (WHATS[what].type && !data.get(what).trim()) {
    form.elements[what].focus();
    result.replaceChildren(notice(t("unnamed")));
    return;
  }
  const selector = meant(data, project);
  const meaning = [t(WHATS[what].label), WHATS[what].type && [": ", h("bdi", {}, shown(data.get(what)))]];
  try {
    const { wouldRemove, sample } = await post("/api/remove", { action, selector });
    if (run !== counts) return;
    result.replaceChildren(confirmation(action, selector, meaning, wouldRemove, sample, result));
    result.querySelector("h2").focus();
  } catch (error) {
    if (run !== counts) return;
    result.replaceChildren(notice(reason(error)));
  }
}

function confirmation(action, selector, meaning, n, sample, result) {
  const title = h("h2", { tabindex: "-1" }, t(action === "erase" ? "wouldErase" : "wouldForget", { n: number(n) }));
  const listed = sample.length > 0 && h("ul", { class: "rows" }, sample.map((item) => eventRow(item)));
  if (n === 0) return h("section", { class: "confirm" }, h("h2", { tabindex: "-1" }, t("noneMeant")));
  const act = h("button", { type: "button", class: "danger", disabled: true }, t(action === "erase" ? "doErase" : "doForget", { n: number(n) }));
  const sure = h("input", { type: "checkbox", id: "sure", on: { change: () => { act.disabled = !sure.checked; } } });
  const where = typeof selector.project === "string" && h("p", { class: "faint" }, t("project"), ": ", h("bdi", {}, shown(selector.project) || t("noProject")));
  act.addEventListener("click", async () => {
    act.disabled = true;
    try {
      const { receipt } = await post("/api/remove", { action, selector, confirm: n });
      result.replaceChildren(receiptOf(receipt));
      result.querySelector("h2").focus();
    } catch (error) {
      result.replaceChildren(notice(reason(error)));
    }
  });
  const cancel = h("button", { type: "button", class: "quiet", on: { click: () => result.replaceChildren() } }, t("cancel"));
  return h("section", { class: "confirm" }, title, h("p", {}, meaning), where, listed, action === "erase" && h("p", {}, t("alsoErase")),
    h("p", { class: "sure" }, sure, h("label", { for: "sure" }, t("sure"))),
    h("p", { class: "actions" }, act, cancel));
}

function receiptOf(receipt) {
  const isErase = receipt.action === "erase";
  const list = (places) => places?.length > 0 && h("ul", { class: "plain" }, places.map((place) => h("li", {}, shown(place))));
  const done = section(t("receipt"),
    h("p", { class: "receipt-line" }, t(isErase ? "removedErase" : "removedForget", { n: number(receipt.count) })),
    facts([
      [t("ofSessions"), receipt.sessions && number(receipt.sessions)],
      [t("textBytes"), receipt.contentBytes && bytes(receipt.contentBytes)],
      [t("dependents"), isErase && number(receipt.dependents)],
      [t("reduced"), isErase && number(receipt.reduced)],
      [t("places"), list(receipt.places)],
      [t("uncleanPlaces"), list(receipt.uncleanPlaces)],
      [t("tombstone"), receipt.tombstone && number(receipt.tombstone)],
    ]),
    isErase && h("p", {}, t(receipt.isComplete ? "complete" : "incomplete")),
    receipt.segmentsWaiting > 0 && h("p", {}, t("segmentsWaiting")));
  done.classList.add("receipt");
  done.querySelector("h2").setAttribute("tabindex", "-1");
  return done;
}
