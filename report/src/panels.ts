// The panels beside the views, in their order. A panel that has nothing to show for this kind of run gives null.
import type { Page } from "./load";
import type { Store } from "./store";

export type Panel = (page: Page, store: Store) => HTMLElement | null;

/** Above the views over the whole width (verdicts, warnings). */
export const top: Panel[] = [];
/** In the column beside the views. */
export const side: Panel[] = [];
/** Below the views over the whole width. */
export const below: Panel[] = [];
