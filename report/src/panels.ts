// The panels beside the views, in their order. A panel that has nothing to show for this kind of run gives null.
import { averageChartsPanel, averagesPanel, membersPanel } from "./averages";
import { coverPanel } from "./cover";
import { headerBar } from "./header";
import { imagesPanel } from "./images";
import type { Page } from "./load";
import { edgeTrustPanel, optimumPanel } from "./optimum";
import { orientPanel } from "./orient";
import { runPanel } from "./run";
import { spectrumPanel } from "./spectrum";
import type { Store } from "./store";
import { componentsPanel, nodePanel, residualsPanel, syncPanel } from "./sync";

export type Panel = (page: Page, store: Store) => HTMLElement | null;

/** Above the views over the whole width. */
export const top: Panel[] = [headerBar];
/** In the wide column, after the views of the points. */
export const views: Panel[] = [syncPanel, averagesPanel, coverPanel];
/** In the column beside the views. */
export const side: Panel[] = [orientPanel, optimumPanel, membersPanel, residualsPanel, edgeTrustPanel, nodePanel, imagesPanel, spectrumPanel];
/** In the wide column, below all. */
export const below: Panel[] = [componentsPanel, averageChartsPanel, runPanel];
