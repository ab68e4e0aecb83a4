import { type JSX, type KeyboardEvent, type RefObject, useId, useRef, useState } from "react";
import { Icon } from "../parts/icon.tsx";
import { useInSight } from "../parts/use-in-sight.ts";
import type { ReferenceOffer } from "./form-context.ts";
import { useTyped } from "./use-typed.ts";

interface ReferenceTextProps {
  readonly id?: string;
  readonly label: string;
  readonly value: string;
  readonly onCommit: (text: string) => void;
  readonly offers: readonly ReferenceOffer[];
  /** True for an expression, which uses paths directly. In a text, paths are written between `${` and `}`. */
  readonly isExpression: boolean;
  readonly rows: number;
  readonly isCode?: boolean;
  readonly placeholder?: string;
  readonly disabled?: boolean;
  readonly "aria-describedby"?: string;
  readonly "aria-invalid"?: boolean;
}

/** Text input that can contain values of other steps, inserted with the button beside it or by typing `${`. */
export function ReferenceText(props: ReferenceTextProps): JSX.Element {
  const { label, value, onCommit, offers, isExpression, rows, isCode = false, ...rest } = props;
  const { text, type, flush } = useTyped(value, onCommit);
  const field = useRef<HTMLTextAreaElement>(null);
  const listId = useId();
  const offering = useOffering({ field, text, type, offers, isExpression });
  const { open, found, at } = offering;
  useInSight(`${listId}-${at}`);
  return (
    <div
      className="form-reference"
      onBlur={(event) => {
        if (!event.currentTarget.contains(event.relatedTarget)) offering.close();
      }}
    >
      <textarea
        {...rest}
        ref={field}
        rows={Math.min(14, Math.max(rows, text.split("\n").length))}
        className={isCode || isExpression ? "mono" : ""}
        spellCheck={!isCode && !isExpression}
        value={text}
        aria-autocomplete="list"
        {...(open !== null && found.length > 0
          ? { "aria-controls": listId, "aria-activedescendant": `${listId}-${at}` }
          : {})}
        onChange={(event) => {
          type(isExpression ? event.target.value.replaceAll("\n", " ") : event.target.value);
          if (!isCode) offering.look(event.target);
        }}
        onKeyDown={offering.onKey}
        onBlur={flush}
      />
      {!isCode && offers.length > 0 && props.disabled !== true && (
        <button
          type="button"
          className="form-insert"
          title={`Insert a value into ${label}`}
          aria-label={`Insert a value into ${label}`}
          onMouseDown={(event) => event.preventDefault()}
          onClick={offering.toggle}
        >
          <Icon name="plus" size={12} /> value
        </button>
      )}
      <ul
        id={listId}
        role="listbox"
        aria-label={`Values for ${label}`}
        className="form-offers"
        hidden={found.length === 0}
      >
        {found.map((offer, index) => (
          <li
            key={offer.path}
            id={`${listId}-${index}`}
            role="option"
            aria-selected={index === at}
            onMouseDown={(event) => event.preventDefault()}
            onClick={() => offering.take(offer)}
          >
            <code>{offer.path}</code>
            <span className="muted">{offer.detail}</span>
          </li>
        ))}
      </ul>
    </div>
  );
}

interface Offering {
  readonly open: { readonly from: number; readonly word: string } | null;
  readonly found: readonly ReferenceOffer[];
  readonly at: number;
  readonly take: (offer: ReferenceOffer) => void;
  readonly look: (input: HTMLTextAreaElement) => void;
  readonly onKey: (event: KeyboardEvent) => void;
  readonly toggle: () => void;
  readonly close: () => void;
}

interface OfferedText {
  readonly field: RefObject<HTMLTextAreaElement | null>;
  readonly text: string;
  readonly type: (text: string) => void;
  readonly offers: readonly ReferenceOffer[];
  readonly isExpression: boolean;
}

const OFFERS_MAX = 100;

/** Offers values that match the text before the cursor, and inserts the chosen one. */
function useOffering({ field, text, type, offers, isExpression }: OfferedText): Offering {
  const [open, setOpen] = useState<Offering["open"]>(null);
  const [at, setAt] = useState(0);
  const found = open === null ? [] : offers.filter(({ path }) => path.includes(open.word)).slice(0, OFFERS_MAX);
  const take = (offer: ReferenceOffer): void => {
    const input = field.current;
    if (input === null) return;
    const end = input.selectionEnd;
    const from = open?.from ?? end;
    const isInBraces = text.slice(0, from).endsWith("${");
    const written = isExpression || isInBraces ? offer.path : `\${${offer.path}}`;
    const closing = isInBraces && !text.slice(end).startsWith("}") ? "}" : "";
    type(text.slice(0, from) + written + closing + text.slice(end));
    setOpen(null);
    const cursor = from + written.length + closing.length;
    requestAnimationFrame(() => {
      input.focus();
      input.setSelectionRange(cursor, cursor);
    });
  };
  const show = (next: Offering["open"]): void => {
    setAt(0);
    setOpen(next);
  };
  const onKey = (event: KeyboardEvent): void => {
    if (open === null || found.length === 0) return;
    const step = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
    const offer = found[at];
    if (step !== 0) setAt((at + step + found.length) % found.length);
    else if ((event.key === "Enter" || event.key === "Tab") && offer !== undefined) take(offer);
    else if (event.key === "Escape") setOpen(null);
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  return {
    open,
    found,
    at,
    take,
    onKey,
    look: (input) => {
      const before = input.value.slice(0, input.selectionEnd);
      const [, word] = (isExpression ? /(?:^|[\s(!])([A-Za-z][\w.]*)$/ : /\$\{([\w.]*)$/).exec(before) ?? [];
      show(word === undefined ? null : { from: before.length - word.length, word });
    },
    toggle: () => show(open === null ? { from: field.current?.selectionEnd ?? text.length, word: "" } : null),
    close: () => setOpen(null),
  };
}
