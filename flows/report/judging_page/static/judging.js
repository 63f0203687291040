// Answers from the keyboard, and a page that stays where it was scrolled to while the pair is the same.
"use strict";

// The arrows up and down scroll, and answer nothing.
const ANSWERS = { 1: "first", ArrowLeft: "first", 2: "second", ArrowRight: "second", 0: "tie" };
const main = document.querySelector("main[data-pair]");
const PLACE = "judging-place";

if (main) {
  const place = JSON.parse(sessionStorage.getItem(PLACE) || "null");
  if (place && place.pair === main.dataset.pair) window.scrollTo(0, place.top);
  addEventListener("pagehide", () => {
    sessionStorage.setItem(PLACE, JSON.stringify({ pair: main.dataset.pair, top: window.scrollY }));
  });
}

let sent = false;
document.querySelector("form")?.addEventListener("submit", (event) => {
  if (sent) event.preventDefault();
  sent = true;
});
addEventListener("pageshow", () => { sent = false; });

addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.altKey || event.metaKey || event.shiftKey || event.repeat) return;
  const answer = ANSWERS[event.key];
  const target = event.key === "Backspace"
    ? document.getElementById("back")
    : answer && document.querySelector(`button[value="${answer}"]`);
  if (!target) return;
  event.preventDefault();
  target.click();
});
