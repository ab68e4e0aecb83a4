import { useEffect } from "react";
import { navigate } from "./router.tsx";

let awaited: string | null = null;

/** Handles tabs that each have an address. The page is rendered again after a change, and the selected tab receives the focus. */
export function useTabAddress(base: string, selected: string): (tab: string) => void {
  useEffect(() => {
    if (awaited === `${base}/${selected}`) document.getElementById(`tab-${selected}`)?.focus();
    awaited = null;
  }, [base, selected]);
  return (tab) => {
    awaited = `${base}/${tab}`;
    navigate(awaited);
  };
}
