// The room where documents are checked: relations marked by verdict, and what is said of the one that is chosen.
import { ask, element, later } from "./requests.js";
import { showMistake } from "./derive.js";

const PAUSE = 400; // milliseconds after a keystroke: a check takes longer than a derivation
const LARGEST = 900_000;
const at = id => document.getElementById(id);

export function startChecking() {
  let found = null; // the last answer
  let chosen = -1;
  const soon = later(PAUSE, run);

  async function run() {
    const text = at("document").value;
    if (!text.trim()) {
      at("marked").replaceChildren();
      at("said").replaceChildren();
      return;
    }
    at("check-state").textContent = "checking…";
    const began = performance.now();
    const newest = await ask("check", { text, name: at("format").value, context: at("context").value }, answer => {
      if (answer.kind === "document") show(answer);
      if (answer.kind === "error") showMistake(at("check-mistake"), answer);
    });
    if (newest) at("check-state").textContent = `${((performance.now() - began) / 1000).toFixed(1)} s`;
  }

  function show(answer) {
    const before = found?.claims[chosen]?.latex;
    found = answer;
    at("check-mistake").replaceChildren();
    at("summary").textContent = answer.summary;
    at("views").hidden = !answer.page;
    lay();
    const same = answer.claims.findIndex(one => one.latex === before);
    const wrong = answer.claims.findIndex(one => one.style === "wrong");
    const open = answer.claims.findIndex(one => one.style === "open");
    const next = same >= 0 ? same : wrong >= 0 ? wrong : open;
    if (next >= 0) choose(next);
    else at("said").replaceChildren(element("p", {}, "Choose a marked relation to see how it was read."));
  }

  // The document as it is read, or its source line by line where that is asked for, or where it can't be typeset.
  function lay() {
    const typeset = found.page && !at("as-source").checked;
    at("marked").classList.toggle("typeset", Boolean(typeset));
    // The server typesets it: no tag of the document's own is in it.
    if (typeset) at("marked").innerHTML = found.page;
    else at("marked").replaceChildren(...found.rows.map((pieces, number) => element("div", { class: "line" },
      element("span", {}, String(number + 1)), element("span", {}, ...pieces.map(pieceOf)))));
  }

  function pieceOf([text, style, claim]) {
    return claim < 0 ? text : element("span", {
      class: style, "data-claim": String(claim), role: "button", tabindex: "0", "aria-pressed": "false",
      "aria-label": `${text} (${found.claims[claim].verdict})`,
    }, text);
  }

  function choose(number) {
    chosen = number;
    for (const one of at("marked").querySelectorAll("[data-claim]")) {
      const here = Number(one.dataset.claim) === number;
      one.classList.toggle("chosen", here);
      if (one.hasAttribute("aria-pressed")) one.setAttribute("aria-pressed", String(here));
    }
    at("marked").querySelector(`[data-claim="${number}"]`)?.scrollIntoView({ block: "nearest", inline: "nearest" });
    at("said").replaceChildren(...said(found.claims[number]));
  }

  function said(claim) {
    const parts = [element("h2", {}, `Line ${claim.line}: `, element("span", { class: claim.style }, claim.verdict)),
      element("p", {}, element("code", {}, claim.latex))];
    if (claim.reason) parts.push(element("p", {}, sentence(claim.reason, claim.names)));
    if (claim.counterexample) parts.push(element("p", {}, sentence(claim.counterexample)));
    if (claim.correction) {
      const correct = element("p", { class: "correct" });
      if (claim.shown) correct.innerHTML = claim.shown;
      correct.append(element("code", {}, claim.correction));
      parts.push(element("h3", {}, "Correct"), correct);
    }
    for (const one of claim.unstated) parts.push(element("p", {}, `It needs that ${one}, which the document does not state.`));
    if (claim.suggestion) {
      parts.push(element("h3", {}, "This would settle it"),
        element("p", {}, answerButton(claim.suggestion)));
    }
    if (claim.choices.length) {
      parts.push(element("h3", {}, "What the notation leaves open"), element("ul", {}, ...claim.choices.map(choice => element("li", {},
        `read so that ${choice.phrase} (${choice.support})`,
        ...(choice.others.length ? [element("br"), "or say: "] : []),
        ...choice.others.map(other => answerButton(`assume ${other}`, other))))));
    }
    if (claim.names.length) {
      parts.push(element("h3", {}, "Names as they were read"), element("ul", {}, ...claim.names.map(([name, shape, source]) =>
        element("li", {}, element("code", {}, name), `: ${shape} (${source})`))));
    }
    return parts;
  }

  // A click writes the answer into the context; what only the author knows is selected there.
  function answerButton(line, words = line) {
    return element("button", { type: "button", onclick: () => answer(line) }, words);
  }

  function answer(line) {
    const area = at("context");
    const lines = line.split("; ").filter(one => !area.value.split("\n").includes(one));
    if (!lines.length) return;
    area.value = `${area.value.trimEnd()}${area.value.trim() ? "\n" : ""}${lines.join("\n")}\n`;
    const gap = area.value.lastIndexOf("…");
    if (line.includes("…") && gap >= 0) {
      area.focus();
      area.setSelectionRange(gap, gap + 1);
    } else run();
  }

  async function take(file) {
    if (!file) return;
    if (file.size > LARGEST) {
      showMistake(at("check-mistake"), { message: `${file.name} is longer than ${LARGEST} bytes; check it in parts` });
      return;
    }
    const ending = file.name.toLowerCase().split(".").pop();
    at("format").value = { tex: "note.tex", html: "note.html", htm: "note.html" }[ending] ?? "note.md";
    at("document").value = await file.text();
    run();
  }

  at("marked").addEventListener("click", event => {
    const one = event.target.closest("[data-claim]");
    if (one) choose(Number(one.dataset.claim));
  });
  at("marked").addEventListener("keydown", event => {
    const one = event.target.closest("[data-claim]");
    if (!one || (event.key !== "Enter" && event.key !== " ")) return;
    event.preventDefault();
    choose(Number(one.dataset.claim));
  });
  for (const id of ["as-read", "as-source"]) at(id).addEventListener("change", () => {
    lay();
    if (chosen >= 0) choose(chosen);
  });
  for (const id of ["document", "context"]) at(id).addEventListener("input", soon);
  at("format").addEventListener("change", run);
  at("file").addEventListener("change", event => take(event.target.files[0]));
  at("document").addEventListener("dragover", event => {
    event.preventDefault();
    at("document").classList.add("over");
  });
  for (const name of ["dragleave", "drop"]) at("document").addEventListener(name, () => at("document").classList.remove("over"));
  at("document").addEventListener("drop", event => {
    if (!event.dataTransfer.files.length) return;
    event.preventDefault();
    take(event.dataTransfer.files[0]);
  });
}

// A text that begins with a name of the document keeps its case: y is not Y.
const sentence = (text, names = []) => {
  const named = names.some(([name]) => text === name || text.startsWith(`${name} `));
  return (named ? text : text.charAt(0).toUpperCase() + text.slice(1)) + (/[.!?]$/.test(text) ? "" : ".");
};
