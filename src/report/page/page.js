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

// Shows one step at a time, with buttons and a slider to go through them; on paper, all are shown. Steps that are not shown leave the
// page, for drawings refer to the hatching of the first one on it, which must not be hidden.
for (const box of document.querySelectorAll(".steps")) {
  const steps = [...box.children];
  if (steps.length > 1) walk(box, steps);
}

function walk(box, steps) {
  const noun = box.dataset.noun;
  let [current, all] = [0, false];
  const make = (name, properties) => Object.assign(document.createElement(name), properties);
  const back = make("button", { type: "button", textContent: "Back" });
  const slider = make("input", { type: "range", min: 0, max: steps.length - 1, value: 0 });
  slider.setAttribute("aria-label", noun);
  const next = make("button", { type: "button", textContent: "Next" });
  const shown = make("output", {});
  const every = make("button", { type: "button", textContent: "Show all" });
  const controls = make("div", { className: "controls" });
  controls.setAttribute("role", "group");
  controls.setAttribute("aria-label", `Go through every ${noun}`);
  controls.append(back, slider, next, shown, every);
  box.before(controls);
  // The controls stand above the steps, in the same column.
  const column = make("div", {});
  controls.before(column);
  column.append(controls, box);
  const show = () => {
    box.replaceChildren(...(all ? steps : [steps[current]]));
    const title = steps[current].querySelector("h3").textContent;
    slider.value = current;
    slider.setAttribute("aria-valuetext", title);
    slider.disabled = all;
    back.disabled = all || current === 0;
    next.disabled = all || current === steps.length - 1;
    every.setAttribute("aria-pressed", all);
    shown.textContent = all ? `all ${steps.length}` : `${current + 1} of ${steps.length}`;
  };
  const go = to => {
    current = Math.min(Math.max(to, 0), steps.length - 1);
    show();
  };
  back.addEventListener("click", () => go(current - 1));
  next.addEventListener("click", () => go(current + 1));
  slider.addEventListener("input", () => go(Number(slider.value)));
  every.addEventListener("click", () => { all = !all; show(); });
  addEventListener("beforeprint", () => box.replaceChildren(...steps));
  addEventListener("afterprint", show);
  show();
}
