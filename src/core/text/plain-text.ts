/** Characters that control a terminal or change the reading direction. They are shown as text and have no effect. */
// oxlint-disable-next-line no-control-regex -- Control characters are what it looks for.
const STEERING = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g;

/** Makes an outside text safe to show. Characters that would change how the rest is read are made visible. */
export function plainText(text: string): string {
  return text.replaceAll("\r\n", "\n").replaceAll(STEERING, (sign) => {
    const code = sign.charCodeAt(0);
    if (code < 0x20) return String.fromCharCode(0x2400 + code);
    if (code === 0x7f) return "\u2421";
    return `⟨U+${code.toString(16).toUpperCase().padStart(4, "0")}⟩`;
  });
}
