"use strict";
// Sorts a table by the column whose heading is pressed: ascending first, then the other way round. Lines that are equal
// keep their order; cells without a number come last both ways.
for (const table of document.querySelectorAll("table.sortable")) {
  const headings = [...table.tHead.rows[table.tHead.rows.length - 1].cells];
  headings.forEach((heading, column) => {
    heading.querySelector("button").addEventListener("click", () => {
      const descending = heading.getAttribute("aria-sort") === "ascending";
      for (const other of headings) other.removeAttribute("aria-sort");
      heading.setAttribute("aria-sort", descending ? "descending" : "ascending");
      const body = table.tBodies[0];
      const lines = [...body.rows].map(line => ({ line, key: key(line.cells[column], heading) }));
      const compare = heading.classList.contains("number") ? compareNumbers : compareWords;
      lines.sort((one, other) => compare(one.key, other.key, descending ? -1 : 1));
      body.append(...lines.map(({ line }) => line));
    });
  });
}

function key(cell, heading) {
  if (!heading.classList.contains("number")) return cell.textContent;
  return Number.parseFloat(cell.dataset.sort ?? cell.textContent);
}

function compareNumbers(one, other, direction) {
  if (Number.isNaN(one) || Number.isNaN(other)) return Number.isNaN(one) - Number.isNaN(other);
  return direction * (one - other);
}

function compareWords(one, other, direction) {
  return direction * one.localeCompare(other, "en", { numeric: true });
}
