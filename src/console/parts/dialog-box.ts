import { createContext, type RefObject } from "react";

/** The surrounding dialog. Content outside an open dialog cannot be reached, so lists must open inside it. */
export const DialogBox = createContext<RefObject<HTMLDialogElement | null> | undefined>(undefined);
