(function live() {
  let refreshed = 0, busy = false;
  const body = document.body.dataset;
  const clock = (seconds) => {
    if (seconds === null || seconds === undefined) return "–";
    const whole = Math.round(seconds), h = Math.floor(whole / 3600), m = Math.floor((whole % 3600) / 60), s = whole % 60;
    return (h ? h + ":" + String(m).padStart(2, "0") : m) + ":" + String(s).padStart(2, "0");
  };
  const noun = (number) => number === 1 ? "game" : "games";
  // As `tables/numbers.py` words it.
  const signed = (value) => value === null ? "open" : (value >= 0.05 ? "+" : "") + (Math.abs(value) < 0.05 ? 0 : value).toFixed(1);
  const elo = ({ shown: { elo, low, high } }) => elo !== null ? `Elo ${signed(elo)} [${signed(low)}, ${signed(high)}]`
    : low !== null ? `Elo above ${signed(low)}` : high !== null ? `Elo below ${signed(high)}` : "Elo not determined";
  function pairings(list) {
    const place = byId("live-pairings");
    place.replaceChildren();
    for (const p of list) {
      if (!p.scheduled && !p.played) continue;  // in a tournament by rounds they have not met
      const row = make("div", { class: "live-row" + (p.sprt ? " test" : "") }, place);
      make("span", {}, row, p.a + " vs " + p.b);
      let text = `${elo(p)}, +${p.wins} =${p.draws} -${p.losses}, ${p.played} of ${p.scheduled} ${noun(p.scheduled)}`;
      if (p.sprt) {
        const { lower, upper, llr, verdict } = p.sprt;
        const at = (value) => (100 * (Math.min(upper, Math.max(lower, value)) - lower)) / (upper - lower);
        const bar = make("span", { class: "llr", role: "img", "aria-label": `LLR ${llr.toFixed(2)} between ${lower.toFixed(2)} and ${upper.toFixed(2)}` }, row);
        const fill = make("b", { class: llr > 0 ? "h1" : "h0" }, bar), zero = make("i", {}, bar);
        zero.style.left = at(0) + "%";
        fill.style.left = Math.min(at(0), at(llr)) + "%";
        fill.style.width = Math.abs(at(0) - at(llr)) + "%";
        text += `, LLR ${llr.toFixed(2)}, ${verdict ? verdict + " accepted" : "undecided"}`;
        make("span", {}, row, text);
        const ends = make("span", { class: "ends" }, row);
        make("span", {}, ends, "H0 " + lower.toFixed(2));
        make("span", {}, ends, "0").style.left = at(0) + "%";
        make("span", {}, ends, "H1 " + upper.toFixed(2));
        continue;
      }
      const bar = make("span", { class: "meter" }, row);
      make("i", {}, bar).style.width = 100 * p.played / Math.max(1, p.scheduled) + "%";
      make("span", {}, row, text);
    }
  }
  function boards(slots) {
    const place = byId("live-boards");
    while (place.children.length > slots.length) place.lastChild.remove();
    slots.forEach((slot, n) => {
      const card = place.children[n] || make("div", {}, place);
      const key = JSON.stringify(slot);
      if (card.dataset.key === key) return;
      card.dataset.key = key;
      card.replaceChildren();
      const line = (name, colour) => {
        const p = make("p", {}, card);
        make("span", {}, p, name);
        const about = [scoreText((slot.scores || [])[colour]), (slot.depths || [])[colour] ? "d" + slot.depths[colour] : "", (slot.clocks || [])[colour] !== null && (slot.clocks || [])[colour] !== undefined ? clock(slot.clocks[colour]) : ""];
        make("span", {}, p, about.filter(Boolean).join(" "));
      };
      line(slot.black, 1);
      const board = make("div", {}, card);
      const last = slot.last ? [slot.last.slice(0, 2), slot.last.slice(2, 4)] : [];
      drawBoard(board, squaresOf(slot.fen), last, false, `game ${slot.game}: ${slot.white} against ${slot.black}`);
      line(slot.white, 0);
      make("p", { class: "note" }, card, `game ${slot.game}, move ${slot.fen.split(" ").pop()}`);
    });
  }
  function show(state) {
    const count = (number) => number.toLocaleString("en");
    let line = `${state.state}: ${count(state.played)} of ${count(state.scheduled)} ${noun(state.scheduled)}`;
    if (state.state === "running") line += `, ${clock(state.elapsed)} elapsed, ETA ${clock(state.eta)}${state.rate ? `, ${count(Math.round(state.rate))} games/min` : ""}`;
    if (state.state === "running" && state.asked) line += { pause: ", paused", stop: ", stops when the games in play have ended", now: ", stops" }[state.asked] || "";
    if (state.state === "running" && state.age > 15) line += ` (last word ${clock(state.age)} ago)`;
    byId("live-line").textContent = line;
    document.querySelector(".lead b").textContent = count(state.played);
    const behind = Number(body.games) !== state.played;
    byId("live-behind").hidden = !behind;
    if (behind) byId("live-behind").textContent = `The sections below are of ${body.games} ${noun(Number(body.games))} and follow shortly.`;
    byId("live").dataset.played = state.played;
    byId("live").dataset.state = state.state;
    byId("live-total").firstElementChild.style.width = 100 * state.played / Math.max(1, state.scheduled) + "%";
    const faults = Object.entries(state.faults).flatMap(([name, words]) => Object.entries(words).map(([word, n]) => `${name}: ${n} ${word}`));
    panel.hidden = !token || state.state !== "running";
    byId("live-faults").textContent = faults.length ? "faults: " + faults.join(", ") : "";
    pairings(state.pairings);
    boards(state.slots);
  }
  async function refresh() {
    const answer = await fetch("/", { cache: "no-store" });
    if (!answer.ok) return;
    const fresh = new DOMParser().parseFromString(await answer.text(), "text/html");
    const open = new Map([...document.querySelectorAll("details")].map((d) => [d.closest("section").id + d.querySelector("summary").textContent, d.open]));
    document.querySelector("header").replaceChildren(...document.adoptNode(fresh.querySelector("header")).childNodes);
    const sections = [...fresh.querySelectorAll("main > section")].filter((one) => one.id !== "live");
    for (const part of document.querySelectorAll("main > section"))
      if (part.id !== "live" && !sections.some((one) => one.id === part.id)) part.remove();
    let before = byId("live");
    for (const other of sections) {
      const id = other.id;
      let part = byId(id);
      const kept = part && id === "games" && (touched || part.contains(document.activeElement));
      if (!part) {
        part = document.adoptNode(other);
        before.after(part);
      } else if (!kept) part.replaceChildren(...document.adoptNode(other).childNodes);
      if (id === "games" && !kept) startViewer();
      before = part;
    }
    for (const d of document.querySelectorAll("details")) {
      const was = open.get(d.closest("section").id + d.querySelector("summary").textContent);
      if (was !== undefined) d.open = was;
    }
    body.games = fresh.body.dataset.games;
    body.state = fresh.body.dataset.state;
    armCopy();
    markWide();
  }
  async function tick() {
    if (busy) return;
    busy = true;
    try {
      const answer = await fetch("/state.json", { cache: "no-store" });
      const state = await answer.json();
      if (state.error) byId("live-line").textContent = state.error;
      else {
        show(state);
        const old = Number(body.games) !== state.page_games || body.state !== state.state;
        if ((state.fresh_page || (state.page_games >= 0 && old)) && performance.now() - refreshed > 4000) {
          await refresh();
          refreshed = performance.now();
        }
      }
    } catch { byId("live-line").textContent = "gauntlet watch does not answer any more"; }
    busy = false;
  }
  // The token stands behind the #: `gauntlet watch --token` prints it there. Without it the page only shows.
  const token = new URLSearchParams(location.hash.slice(1)).get("token");
  const panel = byId("live-control");
  async function ask(wish) {
    const said = panel.querySelector("span");
    const wrong = "the token is not the one of this page";
    if (!/^[\w-]+$/.test(token)) { said.textContent = wrong; return; }  // a header could not even hold it
    try {
      const answer = await fetch("/control", { method: "POST", headers: { "X-Gauntlet-Token": token }, body: JSON.stringify(wish) });
      said.textContent = answer.status === 403 || answer.status === 404 ? wrong : await answer.text();
    } catch { said.textContent = "gauntlet watch does not answer any more"; }
  }
  if (token) {
    for (const button of panel.querySelectorAll("button")) button.onclick = () => ask({ do: button.dataset.do });
    panel.querySelector("input").onchange = (event) => ask({ slots: Number(event.target.value) });
  }
  tick();
  setInterval(tick, 1000);
})();
