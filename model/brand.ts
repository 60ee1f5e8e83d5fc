import { type Accent, accentOf, INK, isHexColor } from "./accent.ts";
import { parseHttpUrl } from "./values/http_url.ts";
import { DEFAULT_LANGUAGE, type Language, LANGUAGES } from "./locales/language.ts";
import { parseChoice, parseName } from "./values/text.ts";
import { hash64 } from "./crypto/hash64.ts";
import { acceptOption, type OptionDeclarations, optionError } from "./options.ts";
import { Refusal } from "./values/refusal.ts";
import { DEFAULT_TIME_ZONE, parseTimeZone } from "./values/time_zone.ts";

/** Options that show readers whose changelog it is, the same for pages and mails. */
export interface BrandOptions {
  /** The title of the changelog. Default: `Changelog`. */
  readonly title?: string | undefined;
  /** The language of pages, forms and mails. Default: `en`. */
  readonly language?: Language | undefined;
  /** The time zone of days, like `Europe/Berlin` (IANA). Default: `UTC`. */
  readonly timeZone?: string | undefined;
  /** The address of the product, like `https://example.com`. Default: none. */
  readonly home?: string | undefined;
  /**
   * The logo, also used as the icon of pages: an SVG, PNG or WebP of up to 64 KiB. Default: none.
   */
  readonly logo?: Uint8Array<ArrayBuffer> | undefined;
  /** The logo for the dark scheme, in the same formats. Default: `logo`. */
  readonly logoDark?: Uint8Array<ArrayBuffer> | undefined;
  /** The colour of links and buttons, as `#rrggbb`; pages use readable shades of it. */
  readonly accent?: string | undefined;
}

/** The looks and texts that show readers whose changelog it is. */
export interface Brand {
  readonly title: string;
  readonly language: Language;
  /** The name of the time zone of days (IANA). */
  readonly timeZone: string;
  /** The address of the product; `undefined` for none. */
  readonly home: string | undefined;
  readonly logo: Logo | undefined;
  /** The logo for the dark scheme; `undefined` if there is only one. */
  readonly logoDark: Logo | undefined;
  readonly accent: Accent;
}

/** The logo of a product. */
export interface Logo {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly contentType: string;
  /** The hash of the bytes with the ending of their type, like `9f86d081884c7d65.png`. */
  readonly name: string;
}

/** The default title of a changelog. */
export const DEFAULT_TITLE = "Changelog";
/** The default colour of buttons and marks: that of text. */
export const DEFAULT_ACCENT: string = INK;
/** The maximum size of a logo. */
export const LOGO_MAX_BYTES = 65_536;
/** The media types of logos, by the endings of their names. */
export const LOGO_TYPES = { png: "image/png", webp: "image/webp", svg: "image/svg+xml" } as const;
/** The media type of drawings. */
export const SVG_TYPE: "image/svg+xml" = LOGO_TYPES.svg;

const SVG = /^\uFEFF?(?:\s|<\?[^>]*>|<!--(?:(?!-->)[^])*-->|<!DOCTYPE[^>[]*>)*<svg[\s>]/i;

export const BRAND_OPTIONS: OptionDeclarations<BrandOptions> = {
  title: {
    flag: "title TEXT",
    schema: { description: "The title of the public changelog.", default: DEFAULT_TITLE },
    check: (title, option) => acceptOption(option, parseName(`${title}`)),
  },
  language: {
    flag: "language CODE",
    schema: {
      description: `The language of pages and mails: ${LANGUAGES.join(", ")}.`,
      default: DEFAULT_LANGUAGE,
      enum: LANGUAGES,
    },
    check: (language, option) => acceptOption(option, parseChoice(`${language}`, LANGUAGES)),
  },
  timeZone: {
    flag: "time-zone NAME",
    schema: {
      description: "The time zone of days and of --weekly, like Europe/Berlin (IANA).",
      default: DEFAULT_TIME_ZONE,
    },
    check: (timeZone, option) => acceptOption(option, parseTimeZone(`${timeZone}`)),
  },
  home: {
    flag: "home https://…",
    schema: { description: "The address of the product, which pages and mails link to." },
    check: (home, option) => acceptOption(option, parseHttpUrl(`${home}`)),
  },
  logo: {
    flag: "logo FILE",
    schema: {
      description: "The logo of pages, and their icon: an SVG, PNG or WebP of up to 64 KiB.",
    },
    isFile: true,
    check: (logo, option) => acceptOption(option, parseLogo(logo)),
  },
  logoDark: {
    flag: "logo-dark FILE",
    schema: { description: "The logo for readers with a dark scheme. [default: that of --logo]" },
    isFile: true,
    check: (logo, option) => acceptOption(option, parseLogo(logo)),
  },
  accent: {
    flag: "accent '#RRGGBB'",
    schema: {
      description: "The colour of links and buttons, in shades that can be read on light and dark.",
    },
    check(accent, option) {
      const parsed = parseAccent(`${accent}`);
      if (parsed instanceof Refusal) throw optionError(option, `"${accent}" ${parsed.detail}`);
    },
  },
};

/** Returns the brand from checked options. */
export function readBrand(options: BrandOptions): Brand {
  const { title = DEFAULT_TITLE, language = DEFAULT_LANGUAGE, home, logo, logoDark } = options;
  const { timeZone = DEFAULT_TIME_ZONE } = options;
  return {
    title: acceptOption("title", parseName(title)),
    language,
    timeZone,
    home,
    logo: logo && acceptOption("logo", parseLogo(logo)),
    logoDark: logoDark && acceptOption("logoDark", parseLogo(logoDark)),
    accent: accentOf(options.accent ?? DEFAULT_ACCENT),
  };
}

/** Accepts a colour as `#rrggbb`, in lower case. */
export function parseAccent(text: string): string | Refusal {
  const isColor = isHexColor(text);
  return isColor ? text.toLowerCase() : new Refusal("invalid_value", "is not like #0a7cff");
}

/** Accepts an SVG, PNG or WebP by its bytes, up to 64 KiB. */
export function parseLogo(bytes: unknown): Logo | Refusal {
  if (!(bytes instanceof Uint8Array)) return new Refusal("invalid_type", "must be a Uint8Array");
  if (bytes.length > LOGO_MAX_BYTES) {
    return new Refusal("too_long", `has more than ${LOGO_MAX_BYTES} bytes`);
  }
  const ending = endingOf(bytes);
  if (ending === undefined) return new Refusal("invalid_value", "is no SVG, PNG or WebP");
  const contentType = LOGO_TYPES[ending];
  return { bytes: new Uint8Array(bytes), contentType, name: `${hash64(bytes)}.${ending}` };
}

/** Returns the ending for the type of an image, by its first bytes. */
function endingOf(bytes: Uint8Array): keyof typeof LOGO_TYPES | undefined {
  const start = String.fromCharCode(...bytes.subarray(0, 16));
  if (start.startsWith("\x89PNG\r\n\x1a\n")) return "png";
  if (/^RIFF[^]{4}WEBPVP8/.test(start)) return "webp";
  return SVG.test(new TextDecoder().decode(bytes)) ? "svg" : undefined;
}
