import type { JSX } from "react";

const INLINE = /^data:image\/(?:png|jpeg|gif|webp);base64,[A-Za-z0-9+/=\s]+$/;

/** Whether an image is part of the text itself, in a format that cannot hold anything but a picture. */
export function isInlineImage(address: string): boolean {
  return INLINE.test(address);
}

/** An image that needs no request; of any other only its address is shown, and it is not loaded. */
export function InlineImage({ address, label }: { readonly address: string; readonly label: string }): JSX.Element {
  if (isInlineImage(address))
    return <img className="inline-image" src={address} alt={label === "" ? "Image" : label} />;
  return (
    <span className="muted">
      {label === "" ? "Image" : `Image “${label}”`}, not loaded: <code>{address.slice(0, 200)}</code>
    </span>
  );
}
