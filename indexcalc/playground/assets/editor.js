// A text area with its text coloured beneath it, one place marked as wrong, and completion of words.
import { element } from "./requests.js";

const TOKEN = /(?<c>#[^\n]*)|(?<s>"(?:\\.|[^"\\\n])*"?)|(?<g>dL\/d[^\W\d]\w*)|(?<n>\b\d[\d.]*(?:[eE][+-]?\d+)?)|(?<name>[^\W\d]\w*)/gu;
const NAME_AT_END = /[^\W\d]\w*$/u;

export class Editor {
  // words: statements, functions and reductions of the language; changed: called after each change of the text.
  constructor(box, words, changed) {
    this.area = box.querySelector("textarea");
    this.paper = box.querySelector("pre");
    this.list = box.querySelector("[role=listbox]");
    this.words = words;
    this.statements = new Set(words.statements);
    this.functions = new Set([...words.functions, ...words.reductions]);
    this.bad = null;
    this.chosen = -1;
    this.area.addEventListener("input", () => {
      this.mark(null);
      this.propose();
      changed();
    });
    this.area.addEventListener("scroll", () => this.follow());
    this.area.addEventListener("keydown", event => this.key(event));
    this.area.addEventListener("blur", () => this.close());
    this.area.addEventListener("click", () => this.close());
  }

  get text() {
    return this.area.value;
  }

  set text(value) {
    this.area.value = value;
    this.area.scrollTop = 0;
    this.close();
    this.mark(null);
  }

  // Mark the token at a place, line and column from 1, or nothing.
  mark(place) {
    this.bad = place && this.span(place);
    this.area.setAttribute("aria-invalid", String(Boolean(place)));
    this.paint();
  }

  span({ line, column }) {
    const lines = this.text.split("\n");
    const before = lines.slice(0, line - 1).reduce((sum, one) => sum + one.length + 1, 0);
    // Columns count characters; a text area counts UTF-16 units.
    const text = lines[line - 1] ?? "";
    const start = before + [...text].slice(0, column - 1).join("").length;
    const token = /^(?:\w+|\s*\S)/u.exec(this.text.slice(start, before + text.length));
    return token ? [start, start + token[0].length] : [Math.max(before, start - 1), Math.max(start, before + 1)];
  }

  goTo(place) {
    const [start, end] = this.span(place);
    this.area.focus();
    this.area.setSelectionRange(start, end);
  }

  paint() {
    const pieces = [];
    const text = this.text;
    const put = (start, end, style) => {
      if (start >= end) return;
      const [from, to] = this.bad ?? [-1, -1];
      const cuts = [start, from, to, end].filter(at => at >= start && at <= end).sort((a, b) => a - b);
      for (let i = 0; i + 1 < cuts.length; i++) {
        if (cuts[i] === cuts[i + 1]) continue;
        const wrong = cuts[i] >= from && cuts[i + 1] <= to;
        const part = text.slice(cuts[i], cuts[i + 1]);
        const names = [style, wrong ? "bad" : ""].filter(Boolean).join(" ");
        pieces.push(names ? element("span", { class: names }, part) : part);
      }
    };
    let last = 0;
    for (const found of text.matchAll(TOKEN)) {
      put(last, found.index, "");
      put(found.index, found.index + found[0].length, this.style(found, text));
      last = found.index + found[0].length;
    }
    put(last, text.length, "");
    // A last line that is empty has a height only if something stands on it.
    this.paper.replaceChildren(...pieces, this.bad && this.bad[0] >= text.length ? element("span", { class: "bad" }, " ") : "", "\n");
    this.follow();
  }

  style(found, text) {
    const kind = Object.keys(found.groups).find(name => found.groups[name] !== undefined);
    if (kind !== "name") return kind;
    const word = found[0];
    const starts = /(^|\n)[ \t]*$/.test(text.slice(Math.max(0, found.index - 80), found.index));
    const behind = text.slice(found.index + word.length);
    if (starts && this.statements.has(word) && /^[ \t]+[^\s=[]/.test(behind)) return "w";
    if (["for", "in", "by", "as", "giving", "with", "positive", "probability", "over"].includes(word)) return "w";
    return this.functions.has(word) && /^[ \t]*[([]/.test(behind) ? "f" : "";
  }

  follow() {
    this.paper.scrollTop = this.area.scrollTop;
    this.paper.scrollLeft = this.area.scrollLeft;
  }

  // What may be completed: words where a statement can start, names of the text, functions.
  proposals(typed, starts) {
    const names = new Set();
    for (const found of this.text.replace(/#[^\n]*|"(?:\\.|[^"\\\n])*"?/g, " ").matchAll(/[^\W\d]\w*/gu)) names.add(found[0]);
    names.delete(typed);
    const kinds = [
      [starts ? this.words.statements : [], "statement"],
      [[...names].filter(one => !this.statements.has(one) && !this.functions.has(one)).sort(), "name"],
      [this.words.reductions, "reduction"],
      [this.words.functions, "function"],
    ];
    return kinds.flatMap(([all, kind]) => all.filter(one => one.startsWith(typed) && one !== typed).map(one => [one, kind])).slice(0, 12);
  }

  propose() {
    const at = this.area.selectionStart;
    const line = this.text.slice(this.text.lastIndexOf("\n", at - 1) + 1, at);
    const typed = NAME_AT_END.exec(line)?.[0] ?? "";
    const quoted = (line.split('"').length - 1) % 2 === 1 || line.includes("#");
    const found = typed.length >= 2 && !quoted ? this.proposals(typed, line.trim() === typed) : [];
    this.typed = typed;
    if (!found.length) {
      this.close();
      return;
    }
    this.list.replaceChildren(...found.map(([word, kind], number) => {
      const row = element("li", { role: "option", id: `word-${number}`, "aria-selected": "false" }, word, element("small", {}, kind));
      row.addEventListener("mousedown", event => {
        event.preventDefault();
        this.take(number);
      });
      return row;
    }));
    this.list.hidden = false;
    this.place(line);
    this.choose(0);
  }

  place(line) {
    const style = getComputedStyle(this.area);
    const pen = (this.pen ??= document.createElement("canvas").getContext("2d"));
    pen.font = style.font;
    const rows = this.text.slice(0, this.area.selectionStart).split("\n").length;
    const height = parseFloat(style.lineHeight);
    const below = parseFloat(style.paddingTop) + rows * height - this.area.scrollTop;
    const left = parseFloat(style.paddingLeft) + pen.measureText(line.slice(0, line.length - this.typed.length)).width - this.area.scrollLeft;
    const fits = below + this.list.offsetHeight < this.area.clientHeight;
    this.list.style.top = `${Math.max(0, fits ? below : below - height - this.list.offsetHeight)}px`;
    this.list.style.left = `${Math.max(0, Math.min(left, this.area.clientWidth - this.list.offsetWidth))}px`;
  }

  choose(number) {
    const rows = [...this.list.children];
    this.chosen = (number + rows.length) % rows.length;
    rows.forEach((row, at) => row.setAttribute("aria-selected", String(at === this.chosen)));
    rows[this.chosen].scrollIntoView({ block: "nearest" });
    this.area.setAttribute("aria-activedescendant", rows[this.chosen].id);
  }

  close() {
    this.list.hidden = true;
    this.area.removeAttribute("aria-activedescendant");
  }

  take(number) {
    const word = this.list.children[number].firstChild.textContent;
    const at = this.area.selectionStart;
    this.area.setRangeText(word, at - this.typed.length, at, "end");
    this.close();
    this.area.dispatchEvent(new Event("input"));
    this.close();
  }

  key(event) {
    if (this.list.hidden) {
      if (event.key === " " && event.ctrlKey) this.propose();
      return;
    }
    const acts = {
      ArrowDown: () => this.choose(this.chosen + 1),
      ArrowUp: () => this.choose(this.chosen - 1),
      Tab: () => this.take(this.chosen),
      Escape: () => this.close(),
    };
    if (event.key === "Enter") this.close();
    if (!acts[event.key] || event.shiftKey) return;
    event.preventDefault();
    acts[event.key]();
  }
}
