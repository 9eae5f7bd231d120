"use strict";
const SVG = "http://www.w3.org/2000/svg";
const byId = (id) => document.getElementById(id);
/* Everything from outside enters as text or as attribute values of drawing elements, never as markup. */
function make(name, attributes, parent, text) {
  const svg = ["svg", "rect", "use", "path", "text", "circle", "line"].includes(name);
  const node = svg ? document.createElementNS(SVG, name) : document.createElement(name);
  for (const [key, value] of Object.entries(attributes || {})) node.setAttribute(key, value);
  if (text !== undefined) node.textContent = text;
  if (parent) parent.appendChild(node);
  return node;
}
function squaresOf(placement) {
  const squares = {};
  placement.split(" ")[0].split("/").forEach((row, y) => {
    let x = 0;
    for (const letter of row) {
      if (letter >= "1" && letter <= "8") x += Number(letter);
      else { squares["abcdefgh"[x] + (8 - y)] = letter; x += 1; }
    }
  });
  return squares;
}
function drawBoard(place, squares, lit, flipped, label) {
  const svg = make("svg", { class: "board", viewBox: "0 0 360 360", role: "img", "aria-label": label });
  for (let rank = 8; rank >= 1; rank--) {
    for (let file = 0; file < 8; file++) {
      const name = "abcdefgh"[file] + rank;
      const x = 45 * (flipped ? 7 - file : file), y = 45 * (flipped ? rank - 1 : 8 - rank);
      const kind = lit.includes(name) ? "lit" : (file + rank) % 2 ? "dark" : "light";
      make("rect", { class: kind, x, y, width: 45, height: 45 }, svg);
      if (squares[name] && "PNBRQKpnbrqk".includes(squares[name]))
        make("use", { href: "#piece-" + squares[name], x, y, width: 45, height: 45 }, svg);
    }
  }
  for (let n = 0; n < 8; n++) {
    make("text", { x: 45 * n + 42, y: 356, "text-anchor": "end" }, svg, "abcdefgh"[flipped ? 7 - n : n]);
    make("text", { x: 3, y: 45 * n + 13 }, svg, String(flipped ? n + 1 : 8 - n));
  }
  place.replaceChildren(svg);
}
function markWide() {
  for (const box of document.querySelectorAll(".scroll")) box.classList.toggle("wide", box.scrollWidth > box.clientWidth + 1);
}
markWide();
addEventListener("resize", markWide, { passive: true });
document.addEventListener("toggle", markWide, true);
function scoreText(value) {
  if (value === null || value === undefined) return "";
  const sign = value > 0 ? "+" : value < 0 ? "-" : "";
  const size = Math.abs(value);
  return size >= 100000 ? sign + "M" + (size - 100000) : sign + (size / 100).toFixed(2);
}
(function hover() {
  const tip = byId("tip");
  let target = null;
  function place() {
    if (!target) return;
    const box = target.getBoundingClientRect(), own = tip.getBoundingClientRect();
    const x = Math.max(6, Math.min(innerWidth - own.width - 6, box.left + box.width / 2 - own.width / 2));
    const above = box.top - own.height - 8;
    tip.style.left = x + "px";
    tip.style.top = (above > 4 ? above : box.bottom + 8) + "px";
  }
  function show(event) {
    target = event.target instanceof Element ? event.target.closest("[data-tip]") : null;
    tip.hidden = !target;
    if (target) tip.textContent = target.getAttribute("data-tip");
    place();
  }
  document.addEventListener("pointerover", show);
  document.addEventListener("focusin", show);
  document.addEventListener("focusout", () => { target = null; tip.hidden = true; });
  addEventListener("scroll", place, { passive: true });
})();
function armCopy() {
  const button = byId("copy");
  if (!button) return;
  button.hidden = false;
  button.onclick = async () => {
    const range = document.createRange();
    range.selectNodeContents(byId("block"));
    getSelection().removeAllRanges();
    getSelection().addRange(range);
    let done = false;
    try { await navigator.clipboard.writeText(byId("block").textContent); done = true; } catch { done = document.execCommand("copy"); }
    button.textContent = done ? "copied" : "selected";
    setTimeout(() => { button.textContent = "copy"; }, 1500);
  };
}
armCopy();
let touched = false;
function startViewer() {
  if (!byId("data")) return;
  const games = JSON.parse(byId("data").textContent);
  let game = games[0], index = 0, ply = 0, flipped = false;
  function position(until) {
    const squares = squaresOf(game.fen);
    for (let n = 0; n < until; n++)
      for (const word of game.d[n].split(" ")) {
        const piece = word[2];
        if (piece === "-") delete squares[word.slice(0, 2)]; else squares[word.slice(0, 2)] = piece;
      }
    return squares;
  }
  const numberOf = (n) => game.move + Math.floor((n + (game.turn === "b" ? 1 : 0)) / 2);
  const whiteMoved = (n) => (n % 2 === 0) === (game.turn === "w");
  function side(id, white) {
    byId(id).replaceChildren();
    make("span", {}, byId(id), white ? game.w : game.b);
    const points = { "1-0": "10", "0-1": "01", "1/2-1/2": "½½" }[game.result];
    make("span", {}, byId(id), points ? points[white ? 0 : 1] : "");
  }
  const HEIGHT = 170, WIDTH = 480;
  const bend = (score) => HEIGHT / 2 - (HEIGHT / 2 - 8) * Math.tanh(Math.max(-3000, Math.min(3000, score)) / 450);
  const across = (n) => 34 + (n / Math.max(1, game.s.length)) * (WIDTH - 42);
  function curve() {
    const svg = make("svg", { class: "chart", viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img", "aria-label": "scores of both engines from white's view" });
    for (const pawns of [-5, -2, 0, 2, 5]) {
      make("line", { class: pawns ? "grid" : "zero", x1: 34, x2: WIDTH - 8, y1: bend(pawns * 100), y2: bend(pawns * 100) }, svg);
      make("text", { x: 29, y: bend(pawns * 100) + 4, "text-anchor": "end" }, svg, pawns > 0 ? "+" + pawns : String(pawns));
    }
    [true, false].forEach((white) => {
      const points = [];
      game.v.forEach((score, n) => { if (whiteMoved(n) === white && score !== null) points.push(across(n + 1).toFixed(1) + " " + bend(score).toFixed(1)); });
      if (points.length) make("path", { class: "curve " + (white ? "s4" : "s6"), d: "M" + points.join("L") }, svg);
    });
    make("line", { class: "cursor", id: "g-cursor", x1: 0, x2: 0, y1: 4, y2: HEIGHT - 4 }, svg);
    svg.addEventListener("click", (event) => {
      const box = svg.getBoundingClientRect();
      go(Math.round((((event.clientX - box.left) / box.width) * WIDTH - 34) / (WIDTH - 42) * game.s.length));
    });
    const legend = make("ul", { class: "legend" });
    [["s4", game.w + " (white)"], ["s6", game.b + " (black)"]].forEach(([key, name]) => {
      const item = make("li", {}, legend);
      make("i", { class: "key " + key }, item);
      item.append(name);
    });
    byId("g-curve").replaceChildren(legend, svg);
  }
  function moves() {
    const list = byId("g-moves");
    list.replaceChildren();
    game.s.forEach((san, n) => {
      if (whiteMoved(n) || n === 0) make("span", { class: "no" }, list, numberOf(n) + (whiteMoved(n) ? "." : "…"));
      const button = make("button", { type: "button", "data-ply": n + 1, class: n < game.book ? "book" : "" }, list, san);
      button.title = n < game.book ? "book" : [scoreText(game.v[n]), game.n[n] ? "depth " + game.n[n] : "", game.t[n] === null ? "" : game.t[n] + " ms"].filter(Boolean).join(", ");
    });
    if (game.cut) make("span", { class: "no" }, list, "… the rest is in the PGN");
  }
  function go(to) {
    ply = Math.max(0, Math.min(game.s.length, to));
    const last = ply ? game.d[ply - 1].split(" ").slice(0, 2).map((word) => word.slice(0, 2)) : [];
    let here = "start";
    if (ply) {
      const n = ply - 1;
      here = numberOf(n) + (whiteMoved(n) ? ". " : "… ") + game.s[n];
      if (n < game.book) here += "  book";
      else here += ["", game.v[n] === null ? "" : scoreText(game.v[n]) + " (white's view)", game.n[n] ? "depth " + game.n[n] : "", game.t[n] === null ? "" : (game.t[n] / 1000).toFixed(3) + " s"].filter((part, k) => k === 0 || part).join("  ");
    }
    byId("g-here").textContent = here;
    drawBoard(byId("g-board"), position(ply), last, flipped, "board after " + here);
    byId("viewer").dataset.ply = ply;
    byId("viewer").dataset.game = game.id;
    const cursor = byId("g-cursor");
    if (cursor) { cursor.setAttribute("x1", across(ply)); cursor.setAttribute("x2", across(ply)); }
    const list = byId("g-moves");
    for (const old of list.querySelectorAll(".now")) old.classList.remove("now");
    const now = list.querySelector(`[data-ply="${ply}"]`);
    if (now) { now.classList.add("now"); list.scrollTop = now.offsetTop - list.offsetTop - list.clientHeight / 2; } else list.scrollTop = 0;
  }
  function choose(to, at) {
    index = (to + games.length) % games.length;
    game = games[index];
    byId("g-list").value = String(index);
    side("g-top", flipped);
    side("g-bottom", !flipped);
    byId("g-about").textContent = `game ${game.id} (pair ${game.round}): ${game.result}, ${game.reason}${game.detail ? ": " + game.detail : ""}${game.opening ? ". Opening: " + game.opening : ""}${game.misjudged >= 100 ? ". The loser once saw itself ahead by " + scoreText(game.misjudged) : ""}`;
    curve();
    moves();
    go(at === undefined ? game.book : at);
  }
  function flip() { flipped = !flipped; side("g-top", flipped); side("g-bottom", !flipped); go(ply); }
  byId("g-list").onchange = (event) => choose(Number(event.target.value));
  byId("g-prev").onclick = () => choose(index - 1);
  byId("g-next").onclick = () => choose(index + 1);
  byId("m-first").onclick = () => go(0);
  byId("m-prev").onclick = () => go(ply - 1);
  byId("m-next").onclick = () => go(ply + 1);
  byId("m-last").onclick = () => go(game.s.length);
  byId("m-flip").onclick = flip;
  byId("g-moves").onclick = (event) => { const at = event.target.closest("[data-ply]"); if (at) go(Number(at.dataset.ply)); };
  byId("viewer").addEventListener("click", () => { touched = true; });
  document.onkeydown = (event) => {
    const at = event.target instanceof Element ? event.target : document.body;
    if (event.ctrlKey || event.altKey || event.metaKey || at.closest("select,input,textarea,pre,.scroll")) return;
    const inside = at.closest("#viewer") !== null;
    const keys = { ArrowLeft: () => go(ply - 1), ArrowRight: () => go(ply + 1), n: () => choose(index + 1), p: () => choose(index - 1), f: flip };
    if (inside) Object.assign(keys, { Home: () => go(0), End: () => go(game.s.length), ArrowUp: () => choose(index - 1), ArrowDown: () => choose(index + 1) });
    if (keys[event.key]) { touched = true; keys[event.key](); event.preventDefault(); }
  };
  choose(0, game.s.length);
}
startViewer();
