// Runs before the first paint, so that the other theme never flashes.
(() => {
  let chosen = null;
  try {
    chosen = localStorage.getItem("sluice.theme");
  } catch {
    // Without storage the system decides.
  }
  const isDark = chosen === "dark" || (chosen !== "light" && matchMedia("(prefers-color-scheme: dark)").matches);
  document.documentElement.dataset.theme = isDark ? "dark" : "light";
})();
