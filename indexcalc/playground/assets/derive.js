// The room where one derives: what is typed becomes a note, code, cost and a check.
import { ask, download, element, get, later } from "./requests.js";
import { Editor } from "./editor.js";
import { fragmentOf, specOf } from "./link.js";
import { NoteFrame } from "./note.js";
import { startTabs } from "./tabs.js";

const START = "attention";
const PAUSE = 30; // milliseconds after a keystroke
const at = id => document.getElementById(id);

export async function startDeriving() {
  startTabs(document.querySelector("[role=tablist]"));
  const room = at("derive");
  const frame = new NoteFrame(at("note"));
  let latest = null; // the note that is shown
  let slug = "derivation";
  let latestSheet = "";
  let ownNumbers = false; // what one has typed stays; what was drawn is drawn anew for another spec
  const [words, examples] = await Promise.all([get("/api/words"), get("/api/examples")]);
  const soon = later(PAUSE, () => run(true));
  const editor = new Editor(at("spec-editor"), words, soon);

  async function run(sameSpec) {
    const began = performance.now();
    const text = editor.text;
    at("state").textContent = "working…";
    room.classList.add("stale");
    const targets = [...document.querySelectorAll("[name=target]:checked")].map(one => one.value);
    const take = {
      note: answer => {
        editor.mark(null);
        at("mistake").replaceChildren();
        room.classList.remove("stale");
        latest = answer.html;
        frame.show(answer.html, sameSpec);
        document.title = `${answer.title} – indexcalc`;
        at("state").textContent = `note in ${Math.round(performance.now() - began)} ms; code and check follow`;
        for (const id of ["code", "pane-cost", "sheet", "pane-checked"]) at(id).replaceChildren(element("p", { class: "quietly" }, "working…"));
        sign("");
        fragmentOf(text).then(hash => {
          if (editor.text === text && !location.hash.startsWith("#check")) history.replaceState(null, "", hash);
        });
      },
      code: answer => showCode(answer.files),
      cost: showCost,
      worksheet: showSheet,
      checked: answer => {
        sign(answer.ok ? " ✓" : " ✗");
        at("pane-checked").replaceChildren(findings(answer.lines));
      },
      refused: answer => {
        const where = answer.of === "code" ? ["code", "pane-checked"] : ["pane-checked"];
        for (const id of where) at(id).replaceChildren(element("p", { class: "no" }, answer.message));
      },
      error: answer => {
        editor.mark(answer.place ?? null);
        showMistake(at("mistake"), answer, editor);
        if (!answer.place) room.classList.remove("stale");
      },
    };
    let failed = false;
    const newest = await ask("derive", { text, targets, values: ownNumbers ? at("values").value : "" }, answer => {
      failed ||= answer.kind === "error";
      take[answer.kind]?.(answer);
    });
    if (newest) at("state").textContent = failed ? "" : `all in ${((performance.now() - began) / 1000).toFixed(1)} s`;
  }

  function sign(text) {
    at("sign").textContent = text;
    at("sign").className = text.includes("✗") ? "no" : "";
  }

  function showCode(files) {
    at("code").replaceChildren(...files.flatMap(({ name, text }) => {
      const own = name.replace(/^derivation/, slug);
      const button = element("button", { type: "button", onclick: () => download(own, text) }, "Download");
      return [element("h2", {}, own, button), element("pre", { tabindex: "0", role: "region", "aria-label": own }, text)];
    }));
  }

  function showCost({ rows, notes }) {
    const head = element("thead", {}, element("tr", {}, ...["", "FLOPs", "bytes moved"].map(one => (one ? element("th", { scope: "col" }, one) : element("td")))));
    const body = element("tbody", {}, ...rows.map(row => element("tr", row.total ? { class: "total" } : {},
      element("th", { scope: "row" }, row.label), element("td", {}, row.flops), element("td", {}, row.bytes))));
    at("pane-cost").replaceChildren(element("table", {}, head, body), ...notes.map(one => element("p", { class: "quietly" }, one)));
  }

  function showSheet({ values, sheet, mistake }) {
    if (!ownNumbers) at("values").value = values;
    at("values-mistake").textContent = mistake ?? "";
    latestSheet = sheet ?? "";
    at("sheet").replaceChildren(...blocksOf(latestSheet));
  }

  function findings(lines) {
    return element("dl", { class: "findings" }, ...lines.flatMap(({ word, text, ok }) => [
      element("dt", ok ? {} : { class: "no" }, word), element("dd", ok ? {} : { class: "no" }, text)]));
  }

  // `first`: what one has typed meanwhile stays.
  async function load(name, first = false) {
    const found = await get(`/api/examples/${encodeURIComponent(name)}`);
    if (!found || (first && editor.text)) return;
    slug = name;
    at("example").value = name;
    editor.text = found.text;
    ownNumbers = false;
    run(false);
  }

  at("example").append(...examples.map(({ name, title }) => element("option", { value: name }, title)));
  at("example").addEventListener("change", event => event.target.value && load(event.target.value));
  for (const box of document.querySelectorAll("[name=target]")) box.addEventListener("change", () => run(true));
  at("values").addEventListener("input", () => {
    ownNumbers = true;
    soon();
  });
  at("draw").addEventListener("click", () => {
    ownNumbers = false;
    run(true);
  });
  at("sheet-file").addEventListener("click", () => download(`${slug}_worksheet.md`, latestSheet));
  at("link").addEventListener("click", async () => {
    const address = new URL(await fragmentOf(editor.text), location.href).href;
    try {
      await navigator.clipboard.writeText(address);
      at("state").textContent = "link copied";
    } catch {
      location.hash = new URL(address).hash;
      at("state").textContent = "the address bar has the link";
    }
  });
  for (const button of document.querySelectorAll("[data-note]")) {
    button.addEventListener("click", () => {
      const format = button.dataset.note;
      at("state").textContent = "writing the file…";
      ask("note", { text: editor.text, format, detail: at("detail").value }, answer => {
        if (answer.kind === "file") download(`${slug}.${format}`, answer.text);
        if (answer.kind === "error") showMistake(at("mistake"), answer, editor);
        at("state").textContent = "";
      });
    });
  }
  const carried = async () => {
    const spec = await specOf(location.hash);
    if (spec === null || spec === editor.text) return spec !== null;
    editor.text = spec;
    run(false);
    return true;
  };
  addEventListener("hashchange", carried);
  if (!(await carried())) await load(START, true);
  document.documentElement.dataset.ready = "true";
}

// The headings, paragraphs and calculations of a worksheet.
function blocksOf(sheet) {
  return sheet.split(/```text\n([^]*?)```\n/).flatMap((part, place) => (place % 2 ? [element("pre", {}, part)] : part.split(/\n\n+/).map(textBlock)));
}

function textBlock(text) {
  const [, marks, heading] = /^(#+) (.*)/.exec(text.trim()) ?? [];
  return heading ? element(`h${marks.length + 1}`, {}, heading) : element("p", {}, text.trim());
}

// A mistake in words, with a button that leads to its place.
export function showMistake(box, { message, place }, editor) {
  const parts = [message];
  if (place && editor) {
    const lead = element("button", { type: "button", "aria-label": `Go to line ${place.line}, column ${place.column}` }, `${place.line}:${place.column}`);
    lead.addEventListener("click", () => editor.goTo(place));
    parts.unshift(lead);
  }
  box.replaceChildren(...parts);
}
