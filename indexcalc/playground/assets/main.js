// The page: which of its two rooms is open, and the work of each.
import { startDeriving } from "./derive.js";
import { startChecking } from "./check.js";

const rooms = ["derive", "check"];

function open(room) {
  for (const one of rooms) document.getElementById(one).hidden = one !== room;
  for (const link of document.querySelectorAll("nav a")) {
    if (link.dataset.room === room) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
}

const roomOf = hash => (hash.startsWith("#check") ? "check" : "derive");

addEventListener("hashchange", () => open(roomOf(location.hash)));
open(roomOf(location.hash));
startDeriving();
startChecking();
