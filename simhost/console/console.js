// Keeps an open page as the host is: on every message of the stream, the parts that show what has changed are fetched and put in
// place. What is the same stays the same element, so focus, selection and open folds stay. A form with data-keep is left alone
// as long as it is the same form, whatever was typed into it.
"use strict";
(() => {
  const keyed = (node) => (node.nodeType === 1 && node.id) || "";

  function morph(from, to) {
    if (from.nodeType !== 1) {
      if (from.data !== to.data) from.data = to.data;
      return;
    }
    if (from.hasAttribute("data-keep")) {
      if (from.dataset.keep !== to.dataset.keep) from.replaceWith(to);
      return;
    }
    for (const { name } of [...from.attributes]) if (name !== "open" && !to.hasAttribute(name)) from.removeAttribute(name);
    for (const { name, value } of to.attributes) if (name !== "open" && from.getAttribute(name) !== value) from.setAttribute(name, value);
    children(from, to);
  }

  function children(from, to) {
    const old = new Map();
    for (const child of from.children) if (child.id) old.set(child.id, child);
    let at = from.firstChild;
    for (const next of [...to.childNodes]) {
      const known = old.get(keyed(next));
      if (known && known !== at) from.insertBefore(known, at);
      const here = known || at;
      if (here && here.nodeType === next.nodeType && here.nodeName === next.nodeName && keyed(here) === keyed(next)) {
        at = here.nextSibling;
        morph(here, next);
      } else {
        from.insertBefore(next, at);
      }
    }
    while (at) {
      const gone = at;
      at = at.nextSibling;
      gone.remove();
    }
  }

  let topics = new Set();
  let busy = false;

  async function refresh() {
    if (busy) return;
    busy = true;
    try {
      while (topics.size) {
        const now = topics;
        topics = new Set();
        const parts = [...document.querySelectorAll("[data-live]")].filter(
          (part) => now.has("*") || part.dataset.live.split(" ").some((topic) => now.has(topic)));
        if (!parts.length) continue;
        const reply = await fetch(location.href, { headers: { Accept: "text/html" } });
        if (reply.redirected && new URL(reply.url).pathname === "/console/login") return location.assign(reply.url);
        if (!reply.ok) continue;
        const page = new DOMParser().parseFromString(await reply.text(), "text/html");
        for (const part of parts) {
          const next = page.getElementById(part.id);
          if (next) morph(part, next);
        }
        draw();
      }
    } catch { // the host is away: the stream tells when it is back, and everything is fetched then
    } finally {
      busy = false;
    }
  }

  let stream = null;

  function tell(word) {
    const lamp = document.getElementById("lamp");
    if (lamp.title === word) return;
    lamp.title = lamp.firstElementChild.textContent = word;
    lamp.classList.toggle("on", word === "Live");
  }

  // A browser keeps few connections to one host, so only a page that is looked at has one.
  function listen() {
    if (stream || document.hidden) return;
    const mine = stream = new EventSource("/console/live");
    mine.addEventListener("change", (message) => {
      tell("Live");
      for (const topic of message.data.split(" ")) topics.add(topic);
      refresh();
    });
    mine.onerror = () => {
      tell("Not live");
      if (mine.readyState !== EventSource.CLOSED || stream !== mine) return;
      stream = null; // the host refuses: it may be another one by now, which asks for the key
      setTimeout(() => { topics.add("*"); refresh().then(listen); }, 2000);
    };
  }

  function hush() {
    if (!stream) return;
    stream.close();
    stream = null;
    tell("Not live");
  }

  // The arrows: from the cause of an event to it, and from it to what it caused.
  const svg = "http://www.w3.org/2000/svg";
  let pointed = null;

  function shown(element) {
    for (let fold = element.parentElement.closest("details"); fold; fold = fold.parentElement.closest("details")) {
      if (!fold.open) element = fold;
    }
    return element.querySelector("summary") || element;
  }

  function path(name, content) {
    const e = document.createElementNS(svg, name);
    for (const [k, v] of Object.entries(content)) e.setAttribute(k, v);
    return e;
  }

  function draw() {
    const board = document.getElementById("timeline");
    if (!board) return;
    board.querySelector("svg.arrows")?.remove();
    for (const e of board.querySelectorAll(".linked")) e.classList.remove("linked");
    if (!pointed || !pointed.isConnected) return;
    const area = board.getBoundingClientRect();
    const place = (e) => {
      const r = shown(e).getBoundingClientRect();
      return { x: r.left - area.left, y: r.top - area.top + Math.min(r.height / 2, 16) };
    };
    const layer = path("svg", { class: "arrows", "aria-hidden": "true" });
    const arrow = (from, to, kind) => {
      const a = place(from), b = place(to);
      const bend = Math.max(2, Math.min(a.x, b.x) - 12 - Math.min(Math.abs(b.y - a.y) / 12, 16));
      layer.append(
        path("path", { class: kind, d: `M${a.x} ${a.y}C${bend} ${a.y} ${bend} ${b.y} ${b.x - 5} ${b.y}` }),
        path("path", { class: kind + " head", d: `M${b.x - 8} ${b.y - 4}L${b.x - 1} ${b.y}L${b.x - 8} ${b.y + 4}Z` }));
      from.classList.add("linked");
      to.classList.add("linked");
    };
    const cause = pointed.dataset.cause && document.getElementById("e-" + pointed.dataset.cause);
    if (cause && board.contains(cause)) arrow(cause, pointed, "in");
    const id = pointed.id.slice(2);
    for (const effect of board.querySelectorAll(`[data-cause="${CSS.escape(id)}"]`)) arrow(pointed, effect, "out");
    if (layer.firstChild) board.append(layer);
  }

  function point(event) {
    const at = event.target.closest?.("#timeline .event");
    if (at === pointed || (event.target.closest?.(".child") && !at)) return;
    pointed = at || null;
    draw();
  }

  function filter(box) {
    const words = box.value.toLowerCase().split(/\s+/).filter(Boolean);
    for (const row of document.querySelectorAll(box.dataset.filter)) {
      const text = row.textContent.toLowerCase();
      row.hidden = !words.every((word) => text.includes(word));
    }
    for (const theme of document.querySelectorAll(".theme")) {
      const found = theme.querySelector("li:not([hidden])");
      theme.hidden = !found;
      if (words.length) theme.open = Boolean(found);
    }
  }

  document.addEventListener("mouseover", point);
  document.addEventListener("focusin", point);
  document.addEventListener("toggle", () => draw(), true);
  addEventListener("resize", () => draw());
  document.addEventListener("input", (event) => { if (event.target.dataset.filter) filter(event.target); });
  for (const box of document.querySelectorAll(".filter")) box.hidden = false;
  if (document.body.hasAttribute("data-signed-in")) {
    listen();
    document.addEventListener("visibilitychange", () => { if (document.hidden) hush(); else listen(); });
    addEventListener("pagehide", hush);
    addEventListener("pageshow", (event) => { if (event.persisted) listen(); });
  }
})();
