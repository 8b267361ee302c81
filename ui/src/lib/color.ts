/** A colour on a screen: red, green and blue from 0 to 255, and how much it covers, from 0 to 1. */
export interface Color {
  rgb: [number, number, number];
  alpha: number;
}

/** Reads a computed colour; one in a space without a fixed range on screens gives nothing. */
export function colorOf(css: string): Color | undefined {
  const rgb = /^rgba?\(\s*([\d.]+)[\s,]+([\d.]+)[\s,]+([\d.]+)(?:\s*[,/]\s*([\d.]+%?))?\s*\)$/.exec(css);
  if (rgb) return { rgb: [rgb[1], rgb[2], rgb[3]].map((part) => Math.min(255, Number(part))) as Color['rgb'], alpha: alphaOf(rgb[4]) };
  const srgb = /^color\(srgb\s+([\d.e-]+)\s+([\d.e-]+)\s+([\d.e-]+)(?:\s*\/\s*([\d.]+%?))?\s*\)$/.exec(css);
  if (!srgb) return undefined;
  return { rgb: [srgb[1], srgb[2], srgb[3]].map((part) => Math.round(Math.min(1, Math.max(0, Number(part))) * 255)) as Color['rgb'], alpha: alphaOf(srgb[4]) };
}

const alphaOf = (part: string | undefined): number =>
  part === undefined ? 1 : part.endsWith('%') ? Number(part.slice(0, -1)) / 100 : Number(part);

/** Six digits, as designers write colours. */
export const hexOf = ({ rgb }: Color): string =>
  `#${rgb.map((part) => Math.round(part).toString(16).padStart(2, '0')).join('')}`.toUpperCase();

/** How clearly one colour stands out from another, from 1 to 21, as WCAG defines it. */
export function contrastOf(text: Color, ground: Color): number {
  const seen = { ...text, rgb: text.rgb.map((part, n) => part * text.alpha + (ground.rgb[n] ?? 0) * (1 - text.alpha)) as Color['rgb'] };
  const [light, dark] = [luminanceOf(seen), luminanceOf(ground)].sort((a, b) => b - a) as [number, number];
  return (light + 0.05) / (dark + 0.05);
}

function luminanceOf({ rgb }: Color): number {
  const [red, green, blue] = rgb.map((part) => {
    const share = part / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  }) as [number, number, number];
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}
