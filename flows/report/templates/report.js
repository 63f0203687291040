"use strict";
// Tables of the class "sortable" get a button in each column heading. Cells sort by data-value, empty ones come last.
for (const table of document.querySelectorAll("table.sortable")) {
  const heads = [...table.tHead.rows[0].cells];
  heads.forEach((head, column) => {
    const button = document.createElement("button");
    button.type = "button";
    button.append(...head.childNodes);
    head.append(button);
    button.addEventListener("click", () => {
      const first = head.dataset.first;
      const way = head.ariaSort === first ? (first === "ascending" ? "descending" : "ascending") : first;
      heads.forEach((other) => other.removeAttribute("aria-sort"));
      head.ariaSort = way;
      sort(table.tBodies[0], column, way === "ascending" ? 1 : -1);
    });
  });
}

function sort(body, column, sign) {
  const value = (row) => row.cells[column].dataset.value;
  const rows = [...body.rows].sort((one, two) => {
    const [a, b] = [value(one), value(two)];
    if (a === undefined || b === undefined) return (a === undefined) - (b === undefined);
    return sign * (isNaN(a) || isNaN(b) ? a.localeCompare(b) : a - b);
  });
  body.append(...rows);
}

// Those of one section get a field above them, too: rows stay whose run has all of its words.
for (const section of document.querySelectorAll("section")) {
  const tables = [...section.querySelectorAll("table.sortable")];
  if (tables.length === 0) continue;
  const label = document.createElement("label");
  const field = document.createElement("input");
  const count = document.createElement("output");
  label.className = "filter";
  field.type = "search";
  field.placeholder = "model or decoder";
  label.append("Only runs with ", field, " ", count);
  tables[0].closest(".scroll").before(label);
  field.addEventListener("input", () => {
    const words = field.value.toLowerCase().split(/\s+/);
    for (const row of tables.flatMap((table) => [...table.tBodies[0].rows])) {
      const run = row.cells[0].dataset.value.toLowerCase();
      row.hidden = !words.every((word) => run.includes(word));
    }
    const rows = [...tables[0].tBodies[0].rows];
    count.value = field.value ? `${rows.filter((row) => !row.hidden).length} of ${rows.length}` : "";
  });
}
