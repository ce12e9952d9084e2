// The note in a frame. The next one is made ready behind the one that is shown, and stands where that stood.

export class NoteFrame {
  constructor(box) {
    this.box = box;
    this.shown = null;
    this.next = null;
  }

  show(html, sameSpec) {
    this.next?.remove();
    const frame = document.createElement("iframe");
    frame.title = "The note: every step of the derivation";
    frame.srcdoc = html;
    this.next = frame;
    frame.addEventListener("load", () => {
      if (this.next !== frame) return;
      const inner = frame.contentWindow;
      if (sameSpec && this.shown) {
        this.takeDetail(frame.contentDocument);
        inner.scrollTo(0, this.shown.contentWindow.scrollY);
      }
      frame.contentDocument.addEventListener("click", event => this.follow(event, frame));
      frame.classList.add("shown");
      this.shown?.remove();
      this.shown = frame;
      this.next = null;
      this.box.dispatchEvent(new Event("shown"));
    });
    this.box.append(frame);
  }

  // The note's own slider stays where the reader put it, if the note still has as many stops.
  takeDetail(next) {
    const [before, now] = [this.shown.contentDocument, next].map(note => note.getElementById("detail"));
    if (!before || !now || before.max !== now.max || before.value === now.value) return;
    now.value = before.value;
    now.dispatchEvent(new Event("input"));
  }

  // Links inside the note lead to its own parts, which may be folded.
  follow(event, frame) {
    const link = event.target.closest("a");
    const target = link && (link.getAttribute("href") ?? link.getAttribute("xlink:href") ?? "");
    if (!target?.startsWith("#")) return;
    event.preventDefault();
    const part = frame.contentDocument.getElementById(target.slice(1));
    for (let one = part; one; one = one.parentElement) one.dispatchEvent(new Event("unfold"));
    part?.scrollIntoView();
  }
}
