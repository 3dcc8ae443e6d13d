// Applies the chosen colours and density before the first paint, so that the page does not flash.
(() => {
  const root = document.documentElement;
  for (const name of ["theme", "density"]) {
    const chosen = localStorage.getItem(`spanloom.${name}`);
    if (chosen) root.dataset[name] = chosen;
  }
  let { theme } = root.dataset;
  addEventListener("beforeprint", () => {
    ({ theme } = root.dataset);
    root.dataset.theme = "light"; // printed pages are always light
  });
  addEventListener("afterprint", () => {
    if (theme) root.dataset.theme = theme;
    else delete root.dataset.theme;
  });
})();
