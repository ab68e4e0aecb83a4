import type { JSX } from "react";
import { isJsonObject, type Json } from "../../../../core/base/index.ts";
import { largeValueOf } from "../../../../core/view/index.ts";
import { grouped } from "../../../parts/figures.ts";
import { Icon } from "../../../parts/icon.tsx";
import { ValueView } from "./value-view.tsx";

const DATA = /^data:([\w.+-]+\/[\w.+-]+)?(?:;[\w=.+-]+)*?(;base64)?,/;

/** A file. Content that is included in the value can be saved, other text is shown. A file is never opened in the page. */
export function FileView({ label, value }: { readonly label: string; readonly value: Json | undefined }): JSX.Element {
  const file: Readonly<Record<string, Json | undefined>> =
    isJsonObject(value) && largeValueOf(value) === null ? value : { content: value };
  const name = typeof file["name"] === "string" ? file["name"] : label;
  const content = file["data"] ?? file["url"] ?? file["content"];
  const type = typeof content === "string" ? DATA.exec(content) : null;
  if (typeof content !== "string" || type === null) return <ValueView label={name} value={content ?? value} />;
  const bytes = type[2] === undefined ? content.length : Math.floor((content.length - type[0].length) * 0.75);
  return (
    <p className="row">
      <a className="button button-plain button-small" href={content} download={name}>
        <Icon name="download" />
        Save {name}
      </a>
      <span className="muted">
        {type[1] ?? "text/plain"}, about {grouped(bytes)} bytes
      </span>
    </p>
  );
}
