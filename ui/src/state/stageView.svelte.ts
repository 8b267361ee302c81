export type StageWidth = 375 | 768 | 1280 | 'free';
export type StageZoom = 'fit' | 'full';

export const STAGE_WIDTHS = [375, 768, 1280] as const;
const GUTTER = 16;
const PHONE_UP_TO = 480;
const TABLET_UP_TO = 900;
const NARROWEST_FREE = 320;

/** How wide and how large the page is shown; the page's width never depends on the pane. */
export class StageView {
  width = $state<StageWidth>(1280);
  zoom = $state<StageZoom>('fit');
  hasUnderlay = $state(true);
  paneWidth = $state(0);
  paneHeight = $state(0);

  readonly pageWidth = $derived(
    this.width === 'free' ? Math.max(NARROWEST_FREE, Math.round(this.#room())) : this.width,
  );
  readonly scale = $derived(
    this.zoom === 'full' || this.width === 'free' ? 1 : Math.min(1, this.#room() / this.pageWidth),
  );

  /** The usual width nearest to a picture's. */
  fitPicture(pictureWidth: number): void {
    this.width = pictureWidth <= PHONE_UP_TO ? 375 : pictureWidth <= TABLET_UP_TO ? 768 : 1280;
  }

  #room(): number {
    return Math.max(1, this.paneWidth - 2 * GUTTER);
  }
}
