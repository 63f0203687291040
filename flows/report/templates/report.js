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
