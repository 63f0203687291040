// A leaderboard on the articles that were created after a day: the numbers stand in the page, a row of them a row.
for (const part of document.querySelectorAll(".after")) {
  const told = part.querySelector(".after-numbers");
  if (!told) continue;
  const numbers = JSON.parse(told.textContent);
  const days = Object.keys(numbers);
  const [form, links] = [part.querySelector("form"), part.querySelector(".after-links")];
  const [slider, output] = [form.querySelector("input"), form.querySelector("output")];
  const board = part.closest("section").querySelector("table.board");
  const rows = [...board.tBodies].flatMap((body) => [...body.rows]);
  const whole = rows.map((row) => [...row.cells].map((cell) => cell.cloneNode(true)));
  const own = board.tHead.querySelector("[aria-sort]")?.cellIndex;
  form.hidden = false;
  links.hidden = true;

  const show = () => {
    const day = days[slider.value - 1];
    const later = numbers[day];
    output.textContent = day
      ? `${day}: ${later.articles} of ${part.dataset.all} articles`
      : `any day: all ${part.dataset.all} articles`;
    slider.setAttribute("aria-valuetext", output.textContent);
    rows.forEach((row, place) => {
      [...row.cells].forEach((cell, column) => restore(cell, whole[place][column]));
      if (day) cut(row, later.rows[place]);
    });
    const head = board.tHead.querySelector("[aria-sort]");
    if (head && (head.cellIndex !== own || day || board.dataset.cut)) resort(head);
    board.dataset.cut = day ?? "";
    history.replaceState(null, "", day ? `#after-${day}` : location.pathname + location.search);
  };

  const resort = (head) => {
    const sign = head.ariaSort === "ascending" ? 1 : -1;
    const value = (row) => row.cells[head.cellIndex].dataset.value;
    const body = board.tBodies[0];
    body.append(...[...body.rows].sort((one, two) => {
      const [a, b] = [value(one), value(two)];
      if (a === undefined || b === undefined) return (a === undefined) - (b === undefined);
      return sign * (isNaN(a) || isNaN(b) ? a.localeCompare(b) : a - b);
    }));
  };

  slider.addEventListener("input", show);
  form.addEventListener("submit", (event) => event.preventDefault());
  slider.value = days.indexOf(location.hash.replace("#after-", "")) + 1;
  show();
}

function restore(cell, from) {
  cell.replaceChildren(...[...from.childNodes].map((node) => node.cloneNode(true)));
  if (from.dataset.value === undefined) delete cell.dataset.value;
  else cell.dataset.value = from.dataset.value;
}

// `of` are a run's prompts, the share that its model can have seen, and its cells; nothing where it has no article left.
function cut(row, of) {
  const [prompts, seen, cells] = of ?? [0, "–", []];
  row.querySelector(".prompts").textContent = prompts;
  row.querySelector(".prompts").dataset.value = prompts;
  const share = row.querySelector(".seen");
  if (share) share.textContent = seen;
  row.querySelector(".letters")?.replaceChildren("–");
  [...row.cells].filter((cell) => cell.querySelector(".mean")).forEach((cell, place) => {
    const [value, mean, interval, left, width, best, apart] = cells[place] || ["", "–", "", 0, 0, 0, ""];
    if (value === "") delete cell.dataset.value;
    else cell.dataset.value = value;
    const strip = cell.querySelector(".strip");
    cell.replaceChildren(piece("mean", mean), piece("interval bounds", interval));
    if (best) cell.firstChild.classList.add("best");
    if (apart) cell.append(piece("interval apart", apart));
    if (strip && value !== "") {
      strip.style.setProperty("--left", `${left}%`);
      strip.style.setProperty("--width", `${width}%`);
      cell.append(strip);
    }
  });
}

function piece(name, text) {
  const made = document.createElement("span");
  made.className = name;
  made.textContent = text;
  return made;
}
