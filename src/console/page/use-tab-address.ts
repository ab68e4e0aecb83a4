import { useEffect } from "react";
import { navigate } from "./router.tsx";

let awaited: string | null = null;

/** Tabs with an address each: a change of address renders the page again, and the focus moves to the selected tab. */
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
