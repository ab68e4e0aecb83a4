import { createContext, type RefObject } from "react";

/** The dialog around a part: what lies outside of an open one cannot be reached, so lists open inside of it. */
export const DialogBox = createContext<RefObject<HTMLDialogElement | null> | undefined>(undefined);
