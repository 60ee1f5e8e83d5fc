import { DARK, LIGHT, type Shades, type Surface } from "../../../model/accent.ts";
import type { Brand } from "../../../model/brand.ts";

/** Returns the colours of all pages, as custom properties, and their fixed-width font. */
export function paletteOf({ accent }: Pick<Brand, "accent">): string {
  return `
:root {
  color-scheme: light dark; ${colors(LIGHT, accent.light)}
  --ink: #18191b; --soft: #5d6169; --line: #e4e5e9; --edge: #868b94; --error: #b3261e;
  --s1: .8125rem; --s2: .9375rem; --s3: 1.0625rem; --s4: 1.25rem; --s5: 1.75rem;
  --mono: ui-monospace, "SF Mono", "Cascadia Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace;
}
@media (prefers-color-scheme: dark) {
  :root { --ground: ${LIGHT.paper}; ${
    colors(DARK, accent.dark)
  } --ink: #eaebed; --soft: #a0a4ac; --line: #2c2e34; --edge: #757a84; --error: #ff8a80; }
}
${tones(0)}
@media (prefers-color-scheme: dark) {
${tones(1)}
}`.trim();
}

// Label colours for the light and the dark scheme: a tint, and an ink with a contrast of at least
// 4.5.
const TONE_COLORS = [
  [["#e3f2e6", "#1d6b3a"], ["#173323", "#86d9a1"]],
  [["#fbeed2", "#7a4b00"], ["#382a10", "#f0c36d"]],
  [["#fde8e6", "#a3161c"], ["#42191a", "#ff9c93"]],
  [["#e3edfb", "#1b4f9c"], ["#15294a", "#9cc2ff"]],
  [["#efe6fa", "#5f2f9e"], ["#2e1d47", "#cfaef7"]],
  [["#ddf2f2", "#0f5f66"], ["#103338", "#7fdbe0"]],
] as const;

function tones(scheme: 0 | 1): string {
  return TONE_COLORS.map((colors, tone) => {
    const [tint, ink] = colors[scheme];
    return `.tone-${tone} { --pill: ${tint}; --pill-ink: ${ink}; }`;
  }).join("\n");
}

function colors({ paper, raised }: Surface, { color, tint, onTint }: Shades): string {
  return `--paper: ${paper}; --raised: ${raised}; --accent: ${color}; --pill: ${tint}; --pill-ink: ${onTint};`;
}
