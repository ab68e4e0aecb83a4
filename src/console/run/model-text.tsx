import { type JSX, useEffect, useRef, useState } from "react";
import { CopyButton } from "../parts/code-block.tsx";
import { grouped } from "../parts/figures.ts";
import { excerptOf, SHOWN_MAX } from "./model/excerpt.ts";
import "./model-text.css";

interface ModelTextProps {
  readonly text: string;
  readonly label: string;
  /** True while the text grows. The end is then shown and kept visible. */
  readonly isGrowing?: boolean;
}

/** Shows text from a model, a tool or an outside person. It is never markup, and is cut so that the page stays fast. */
export function ModelText({ text, label, isGrowing = false }: ModelTextProps): JSX.Element {
  const [max, setMax] = useState(SHOWN_MAX);
  const box = useRef<HTMLPreElement>(null);
  const { text: shown, before, after } = excerptOf(text, isGrowing ? "end" : "start", max);
  useEffect(() => {
    if (isGrowing && box.current !== null) box.current.scrollTop = box.current.scrollHeight;
  }, [isGrowing, shown]);
  return (
    <div className="model-text">
      {before > 0 && <p className="muted num">{grouped(before)} characters before this</p>}
      <pre ref={box} tabIndex={0} role="region" aria-label={label}>
        {shown}
      </pre>
      <CopyButton text={text} label={`Copy ${label.toLowerCase()}`} />
      {after > 0 && (
        <p className="muted num">
          {grouped(after)} characters more{" "}
          <button type="button" className="link-button" onClick={() => setMax(max * 10)}>
            Show more
          </button>
        </p>
      )}
    </div>
  );
}
