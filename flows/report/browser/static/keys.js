// The keys j and k: the next and the previous prompt, or on a list the next and the previous link.
document.addEventListener("keydown", (event) => {
  if (event.altKey || event.ctrlKey || event.metaKey || !["j", "k"].includes(event.key)) return;
  if (event.target.matches("input, select, textarea")) return;
  const step = event.key === "j" ? 1 : -1;
  const link = document.querySelector(step > 0 ? "a[rel=next]" : "a[rel=prev]");
  const listed = [...document.querySelectorAll("tbody th a.prompt")];
  if (listed.length) {
    const at = listed.indexOf(document.activeElement);
    listed[Math.min(Math.max(at + step, 0), listed.length - 1)].focus();
  } else if (link) {
    location.assign(link.href);
  }
});
