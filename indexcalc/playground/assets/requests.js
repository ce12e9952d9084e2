// Requests to the server: each kind has one at a time, and a newer one takes the place of the older.

const page = crypto.randomUUID();
const running = new Map();

// Ask for work; `on` is called with each answer. Whether it is still the newest when it ends.
export async function ask(kind, fields, on) {
  running.get(kind)?.abort();
  const control = new AbortController();
  running.set(kind, control);
  const newest = () => running.get(kind) === control;
  try {
    const response = await fetch(`/api/${kind}`, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ page, ...fields }),
      signal: control.signal,
    });
    if (!response.ok) {
      on(await response.json());
      return newest();
    }
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
    let rest = "";
    for (;;) {
      const { done, value } = await reader.read();
      if (done) break;
      const lines = (rest + value).split("\n");
      rest = lines.pop();
      for (const line of lines) if (newest()) on(JSON.parse(line));
    }
  } catch (error) {
    if (error.name === "AbortError") return false;
    if (newest()) on({ kind: "error", message: "the server does not answer; is indexcalc serve still running?" });
  }
  return newest();
}

export async function get(path) {
  const response = await fetch(path);
  return response.ok ? response.json() : null;
}

// Call at most once in a while, after the last call.
export function later(milliseconds, call) {
  let timer = 0;
  return () => {
    clearTimeout(timer);
    timer = setTimeout(call, milliseconds);
  };
}

export function element(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name === "onclick") made.addEventListener("click", value);
    else made.setAttribute(name, value);
  }
  made.append(...children);
  return made;
}

export function download(name, text) {
  const address = URL.createObjectURL(new Blob([text], { type: "text/plain;charset=utf-8" }));
  element("a", { href: address, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(address), 1000);
}
