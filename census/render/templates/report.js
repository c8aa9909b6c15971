"use strict";
(() => {
  const specifications = JSON.parse(document.getElementById("specifications").textContent);
  const root = document.documentElement;
  const named = /^var\((--[a-z0-9-]+)\)$/;

  // Colours are named in the specifications; the theme in force gives them their values.
  const painted = (value, style) => {
    if (typeof value === "string") {
      const found = named.exec(value);
      return found ? style.getPropertyValue(found[1]).trim() : value;
    }
    if (Array.isArray(value)) return value.map((item) => painted(item, style));
    if (value && typeof value === "object")
      return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, painted(item, style)]));
    return value;
  };

  const settings = {
    responsive: true,
    displayModeBar: false, // drag to zoom, double-click to see all, keys below
  };

  const draw = (id) => {
    const place = document.getElementById(id);
    const { data, layout } = painted(specifications[id], getComputedStyle(root));
    if (matchMedia("(pointer: coarse)").matches) layout.dragmode = false; // a finger scrolls the page
    return Plotly.react(place, data, layout, settings).then(() => place.setAttribute("data-drawn", "yes"));
  };

  const drawAll = () => Promise.all(Object.keys(specifications).map(draw));

  // Keys on a focused figure: left and right move, + and - zoom, 0 shows all.
  const shift = (place, move, zoom) => {
    const axis = place._fullLayout.xaxis;
    const [low, high] = axis.range.map((end) => axis.r2l(end));
    const middle = (low + high) / 2 + move * (high - low);
    const half = ((high - low) / 2) * zoom;
    Plotly.relayout(place, { "xaxis.range": [axis.l2r(middle - half), axis.l2r(middle + half)] });
  };
  const keys = {
    ArrowLeft: (place) => shift(place, -0.2, 1),
    ArrowRight: (place) => shift(place, 0.2, 1),
    "+": (place) => shift(place, 0, 0.5),
    "-": (place) => shift(place, 0, 2),
    0: (place) => draw(place.id),
  };
  document.addEventListener("keydown", (event) => {
    const place = document.activeElement;
    const plain = !(event.ctrlKey || event.metaKey || event.altKey);
    if (plain && place && place.classList.contains("plot") && keys[event.key]) {
      keys[event.key](place);
      event.preventDefault();
    }
  });

  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", drawAll);
  addEventListener("beforeprint", () => { root.dataset.theme = "light"; drawAll(); });
  addEventListener("afterprint", () => { delete root.dataset.theme; drawAll(); });
  drawAll();
})();
