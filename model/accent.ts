/** Readable shades of the operator's colour. */
export interface Accent {
  readonly light: Shades;
  readonly dark: Shades;
}

/** The shades of a colour in one colour scheme, as `#rrggbb`. */
export interface Shades {
  /**
   * The colour of text on the page and on the tint, and of backgrounds behind text in the page's
   * colour.
   */
  readonly color: string;
  /** A pale background of the colour. */
  readonly tint: string;
  /** The colour of text on the tint. */
  readonly onTint: string;
}

/** The backgrounds of a colour scheme: the page, and raised parts such as code. */
export interface Surface {
  readonly paper: string;
  readonly raised: string;
  /** The share of the colour in its tint. */
  readonly tint: number;
}

/** The surfaces of the light scheme. */
export const LIGHT: Surface = { paper: "#ffffff", raised: "#f4f4f5", tint: 0.1 };
/** The surfaces of the dark scheme. */
export const DARK: Surface = { paper: "#131417", raised: "#1e2025", tint: 0.2 };

/** The colour of text on light pages. */
export const INK = "#18191b";

type Triple = readonly [number, number, number];

/** The minimum contrast of text in WCAG 2.2, level AA (1.4.3). */
const MIN_CONTRAST = 4.5;
const STEPS = 200;

/** Tells whether a value is a colour like `#0a7cff`. */
export function isHexColor(text: unknown): text is string {
  return typeof text === "string" && /^#[0-9a-f]{6}$/i.test(text);
}

/**
 * Finds the shades of a colour, which keep its hue: each is as near to it as a contrast of 4.5:1
 * allows.
 *
 * ```ts
 * import { assert } from "@std/assert";
 * import { accentOf, contrast, LIGHT } from "./accent.ts";
 *
 * const { light } = accentOf("#ffd400");
 * assert(contrast(light.color, LIGHT.paper) >= 4.5);
 * ```
 */
export function accentOf(color: string): Accent {
  // On dark pages, the colour of text is the bright one.
  const dark = color.toLowerCase() === INK ? "#eaebed" : color;
  return { light: shadesOf(color, LIGHT), dark: shadesOf(dark, DARK) };
}

/** Returns the contrast of two colours, from 1 to 21 (WCAG 2.2). */
export function contrast(one: string, other: string): number {
  const [low, high] = [luminance(one), luminance(other)].sort((a, b) => a - b);
  return (high + 0.05) / (low + 0.05);
}

function shadesOf(color: string, { paper, raised, tint: part }: Surface): Shades {
  const tint = mix(paper, color, part);
  return {
    color: readableOn(color, [paper, raised]),
    tint,
    onTint: readableOn(color, [tint]),
  };
}

/** Returns a colour, made lighter or darker until it is readable on some backgrounds. */
function readableOn(color: string, backgrounds: readonly string[]): string {
  const isReadable = (shade: string) =>
    backgrounds.every((background) => contrast(shade, background) >= MIN_CONTRAST);
  const [lightness, a, b] = toOklab(color);
  const target = luminance(backgrounds[0]) > 0.18 ? 0 : 1;
  for (let step = 0; step < STEPS; step++) {
    const part = step / STEPS;
    const shade = step === 0 ? color : fromOklab([lightness + (target - lightness) * part, a, b]);
    if (isReadable(shade)) return shade.toLowerCase();
  }
  return target === 0 ? "#000000" : "#ffffff";
}

function mix(one: string, other: string, part: number): string {
  const [from, to] = [channels(one), channels(other)];
  return toHex(from.map((channel, index) => channel + (to[index] - channel) * part));
}

function luminance(color: string): number {
  const [red, green, blue] = channels(color).map(toLinear);
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

/** Returns the channels of a colour, from 0 to 1. */
function channels(color: string): readonly number[] {
  return [1, 3, 5].map((at) => parseInt(color.slice(at, at + 2), 16) / 255);
}

function toHex(values: readonly number[]): string {
  const bytes = values.map((value) => Math.round(Math.min(1, Math.max(0, value)) * 255));
  return `#${bytes.map((byte) => byte.toString(16).padStart(2, "0")).join("")}`;
}

function toLinear(value: number): number {
  return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
}

function fromLinear(value: number): number {
  return value <= 0.0031308 ? value * 12.92 : 1.055 * value ** (1 / 2.4) - 0.055;
}

// Converts to Oklab, in which changing the lightness keeps the perceived hue (CSS Color 4, section
// 9.2).
function toOklab(color: string): Triple {
  const [r, g, b] = channels(color).map(toLinear);
  const l = Math.cbrt(0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * b);
  const m = Math.cbrt(0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * b);
  const s = Math.cbrt(0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * b);
  return [
    0.2104542553 * l + 0.793617785 * m - 0.0040720468 * s,
    1.9779984951 * l - 2.428592205 * m + 0.4505937099 * s,
    0.0259040371 * l + 0.7827717662 * m - 0.808675766 * s,
  ];
}

/** Converts Oklab to a colour. Makes it paler until screens can show it. */
function fromOklab([lightness, a, b]: Triple): string {
  for (let strength = 1; strength > 0; strength -= 0.05) {
    const values = toRgb([lightness, a * strength, b * strength]);
    if (values.every((value) => value >= -0.001 && value <= 1.001)) return toHex(values);
  }
  return toHex(toRgb([lightness, 0, 0]));
}

function toRgb([lightness, a, b]: Triple): readonly number[] {
  const l = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3;
  const m = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3;
  const s = (lightness - 0.0894841775 * a - 1.291485548 * b) ** 3;
  return [
    4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s,
    -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s,
    -0.0041960863 * l - 0.7034186147 * m + 1.707614701 * s,
  ].map(fromLinear);
}
