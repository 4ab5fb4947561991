// Requests to the viewer's server, and its live stream.

const csrf = document.querySelector('meta[name="csrf"]').content;

/** A refusal by the server, with its message. */
export class Refused extends Error {
  constructor(status, error) {
    super(error?.message ?? `HTTP ${status}`);
    this.status = status;
    this.code = error?.code;
  }
}

export function get(path, parameters = {}) {
  const given = Object.entries(parameters).filter(([, value]) => value !== null && value !== undefined);
  const query = new URLSearchParams(given).toString();
  return ask(`${path}${query ? `?${query}` : ""}`);
}

export function post(path, body = {}) {
  return send("POST", path, body);
}

export function patch(path, body) {
  return send("PATCH", path, body);
}

function send(method, path, body) {
  const headers = { "content-type": "application/json", "x-recallite-csrf": csrf };
  return ask(path, { method, headers, body: JSON.stringify(body) });
}

async function ask(path, options = {}) {
  let response;
  try {
    response = await fetch(path, options);
  } catch {
    throw new Refused(0, null);
  }
  const answer = await response.json().catch(() => null);
  if (!response.ok || answer === null) throw new Refused(response.status, answer?.error);
  return answer;
}

/**
 * The live stream, from a position in the log on (what `/api/stats` calls one, or an id of the stream), or from now. A browser opens few connections to one host, so a hidden window closes
 * its own, and continues where it was when it is visible again.
 */
export function follow(after, tell, tellState) {
  const again_ms = 10_000;
  let source = null;
  let last = after;
  const open = () => {
    if (source || document.hidden) return;
    const parameters = new URLSearchParams({ channels: "events" });
    if (last !== null) parameters.set("after", last);
    source = new EventSource(`/api/stream?${parameters}`);
    source.addEventListener("message", (message) => {
      last = message.lastEventId || last;
      const { data } = JSON.parse(message.data);
      if (data.type === "connected") tellState(true);
      else tell(data);
    });
    source.addEventListener("error", () => {
      tellState(false);
      if (source?.readyState !== EventSource.CLOSED) return;
      source = null;
      setTimeout(open, again_ms);
    });
  };
  const close = () => {
    source?.close();
    source = null;
  };
  document.addEventListener("visibilitychange", () => (document.hidden ? close() : open()));
  addEventListener("pagehide", close);
  open();
}
