import type { JSX } from "react";

const INLINE = /^data:image\/(?:png|jpeg|gif|webp);base64,[A-Za-z0-9+/=\s]+$/;

/** Checks whether an image is embedded as a data URL, in a format that can contain only a picture. */
export function isInlineImage(address: string): boolean {
  return INLINE.test(address);
}

/** Shows an image that needs no request. For any other image, only the address is shown and nothing is loaded. */
export function InlineImage({ address, label }: { readonly address: string; readonly label: string }): JSX.Element {
  if (isInlineImage(address))
    return <img className="inline-image" src={address} alt={label === "" ? "Image" : label} />;
  return (
    <span className="muted">
      {label === "" ? "Image" : `Image “${label}”`}, not loaded: <code>{address.slice(0, 200)}</code>
    </span>
  );
}
