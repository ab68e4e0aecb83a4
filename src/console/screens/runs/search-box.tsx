import { type JSX, useEffect, useRef, useState } from "react";
import { useShortcuts } from "../../page/keyboard.ts";
import type { SearchParams } from "../../page/router.tsx";
import { Icon } from "../../parts/icon.tsx";

/** Delay after typing, so that not every letter causes a request. */
const TYPING_MS = 300;

/** Searches args, outputs, errors, labels, ids and names. The text is stored in the address. */
export function SearchBox({ params }: { readonly params: SearchParams }): JSX.Element {
  const inAddress = params.get("q") ?? "";
  const [text, setText] = useState(inAddress);
  const sent = useRef(inAddress);
  const input = useRef<HTMLInputElement>(null);
  const { set } = params;
  useEffect(() => {
    // Updates the field when another part of the page, or going back, has changed the address.
    if (inAddress === sent.current) return;
    sent.current = inAddress;
    setText(inAddress);
  }, [inAddress]);
  useEffect(() => {
    if (text.trim() === sent.current) return undefined;
    const timer = setTimeout(() => {
      sent.current = text.trim();
      set({ q: text.trim() });
    }, TYPING_MS);
    return () => clearTimeout(timer);
  }, [text, set]);
  useShortcuts([{ keys: "/", label: "Search runs", group: "Runs", run: () => input.current?.focus() }]);
  return (
    <div className="runs-search">
      <Icon name="search" />
      <input
        ref={input}
        type="search"
        aria-label="Search runs"
        placeholder="Search args, outputs, errors, labels, ids and names"
        maxLength={500}
        value={text}
        onChange={(event) => setText(event.target.value)}
      />
      <kbd>/</kbd>
    </div>
  );
}
