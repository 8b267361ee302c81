import { entryPath } from '../lib/pages';
import type { LiveRun } from './liveRun.svelte';
import type { Slot } from './optionSlots';
import type { PreviewTarget } from './preview.svelte';
import type { FileText, VariantState } from './runReducer';

export type Files = Readonly<Record<string, FileText>>;

/** A version that is shown in the place of the options. */
export interface ShownVersion {
  versionId: string;
  files: Files;
}

/** The page that was asked for, else the first of the files. */
export const shownPath = (files: Files, chosen: string | undefined): string | undefined =>
  chosen !== undefined && files[chosen] ? chosen : entryPath(Object.keys(files));

export const variantOf = ({ turn, index }: Slot<LiveRun>): VariantState | undefined =>
  turn.run.variants.find((variant) => variant.index === index);

/** The files of the newest run of an option that wrote any. */
export function filesOf(lineage: readonly Slot<LiveRun>[]): Files {
  for (const slot of lineage.toReversed()) {
    const files = variantOf(slot)?.files;
    if (files && Object.keys(files).length > 0) return files;
  }
  return {};
}

/** The page of a version, else of the newest run of an option that wrote one. */
export function pageOf(
  version: ShownVersion | undefined,
  lineage: readonly Slot<LiveRun>[],
  chosen: string | undefined,
): (PreviewTarget & { path: string }) | undefined {
  if (version) {
    const path = shownPath(version.files, chosen);
    return path === undefined ? undefined : { versionId: version.versionId, path };
  }
  for (const slot of lineage.toReversed()) {
    const path = shownPath(variantOf(slot)?.files ?? {}, chosen);
    if (path) return { runId: slot.turn.id, variantIndex: slot.index, path };
  }
  return undefined;
}
