import { useEffect } from "react";

/** Scrolls the element with an id into sight whenever the id becomes another one, such as that of the chosen entry of a list. */
export function useInSight(id: string): void {
  useEffect(() => {
    // Newer browsers return a promise, which must not be taken for what undoes the effect.
    document.getElementById(id)?.scrollIntoView({ block: "nearest" });
  }, [id]);
}
