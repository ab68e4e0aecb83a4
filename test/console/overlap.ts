import type { Page } from "playwright-core";

/** In a page: the pairs of cards that cover each other. A card inside another one belongs to that. */
const OVERLAPS = `(() => {
  const cards = [...document.querySelectorAll(".graph-card")].map((card) => ({
    card,
    name: card.dataset.node ?? card.textContent,
    around: card.parentElement.closest(".graph-card"),
    box: card.getBoundingClientRect(),
  }));
  const isApart = (one, other) =>
    one.right <= other.left || other.right <= one.left || one.bottom <= other.top || other.bottom <= one.top;
  return cards.flatMap((one, index) =>
    cards
      .slice(index + 1)
      .filter((other) => one.around === other.around && !isApart(one.box, other.box))
      .map((other) => one.name + " covers " + other.name),
  );
})()`;

/** Returns the cards of a graph that cover each other: none, however much has been opened. */
export function overlaps(page: Page): Promise<readonly string[]> {
  return page.evaluate<readonly string[]>(OVERLAPS);
}
