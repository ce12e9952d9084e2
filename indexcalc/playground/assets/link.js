// A spec in the fragment of a link: deflated, in the alphabet of addresses. It never leaves the browser by itself.

async function through(stream, bytes) {
  return new Uint8Array(await new Response(new Blob([bytes]).stream().pipeThrough(stream)).arrayBuffer());
}

export async function fragmentOf(text) {
  const bytes = await through(new CompressionStream("deflate-raw"), new TextEncoder().encode(text));
  const characters = Array.from(bytes, byte => String.fromCharCode(byte)).join("");
  return `#spec=${btoa(characters).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "")}`;
}

// The spec that a fragment carries; null if it carries none that can be read.
export async function specOf(fragment) {
  if (!fragment.startsWith("#spec=")) return null;
  try {
    const characters = atob(fragment.slice(6).replaceAll("-", "+").replaceAll("_", "/"));
    const bytes = Uint8Array.from(characters, one => one.charCodeAt(0));
    return new TextDecoder("utf-8", { fatal: true }).decode(await through(new DecompressionStream("deflate-raw"), bytes));
  } catch {
    return null;
  }
}
