import type { Page } from "playwright-core";

/** Runs in the page: what the browser does when a person pastes. */
const PASTE = `(element, text) => {
  const clipboardData = new DataTransfer();
  clipboardData.setData("text/plain", text);
  element.dispatchEvent(new ClipboardEvent("paste", { clipboardData, bubbles: true, cancelable: true }));
}`;

/** Puts a text in place of everything in the editor of a page. */
export async function writeAll(page: Page, text: string): Promise<void> {
  const editor = page.locator(".code-editor .cm-content");
  await editor.click();
  await page.keyboard.press("Control+a");
  await page.evaluate(
    `(${PASTE})(document.querySelector(".code-editor").shadowRoot.querySelector(".cm-content"), ${JSON.stringify(text)})`,
  );
}
