import {
  type BrandOptions,
  DEFAULT_ACCENT,
  DEFAULT_TITLE,
  type Logo,
  parseAccent,
} from "../brand.ts";
import { choice, hidden, settable, text, textOrNull, texts, time } from "../declare.ts";
import { DEFAULT_LANGUAGE, LANGUAGES } from "../locales/language.ts";
import { acceptOption } from "../options.ts";
import { fillRecord, type Resource, type ShownOf, type StoredOf } from "../resource.ts";
import { parseHttpUrl, URL_MAX_LENGTH } from "../values/http_url.ts";
import { parseMailbox, writeMailbox } from "../values/mailbox.ts";
import { Refusal } from "../values/refusal.ts";
import { NAME_MAX_CODE_POINTS, parseName, parseText } from "../values/text.ts";
import { EPOCH } from "../values/time.ts";
import { DEFAULT_TIME_ZONE, parseTimeZone } from "../values/time_zone.ts";

const FOOTER_MAX_CODE_POINTS = 1_000;
const LOGO_ADDRESS = "https://example.com/changelog/_logo/9f86d081884c7d65.svg";

/** The fields of the settings. @internal */
export const SITE_SETTINGS = {
  name: "siteSettings",
  key: "siteId",
  title: "Settings",
  description: "What readers see on all pages, in feeds and in mails.",
  references: { logoId: { to: "logos" }, logoDarkId: { to: "logos" } },
  fields: {
    siteId: hidden("text"),
    title: text("The title of the changelog. Normalised to NFC and trimmed.", "Acme", {
      rules: { minLength: 1, maxLength: NAME_MAX_CODE_POINTS },
      parse: parseName,
      default: DEFAULT_TITLE,
    }),
    home: textOrNull(
      "The address of the product, which pages and mails link to.",
      "https://acme.example",
      { rules: { format: "uri", maxLength: URL_MAX_LENGTH }, parse: parseHttpUrl },
    ),
    accent: text(
      "The colour of links and buttons, in shades that can be read on light and dark.",
      "#a63a1e",
      { rules: { pattern: "^#[0-9A-Fa-f]{6}$" }, parse: parseAccent, default: DEFAULT_ACCENT },
    ),
    language: choice(LANGUAGES, "The language of pages, forms and mails.", {
      default: DEFAULT_LANGUAGE,
    }),
    timeZone: text("The time zone of days and of weekly mails (IANA).", "Europe/Berlin", {
      parse: parseTimeZone,
      default: DEFAULT_TIME_ZONE,
    }),
    mailFooter: textOrNull(
      "The text at the end of mails, such as a postal address; may have several lines.",
      "Acme Ltd, 1 Main St",
      { rules: { maxLength: FOOTER_MAX_CODE_POINTS }, parse: parseFooterOrNull },
    ),
    mailReplyTo: textOrNull(
      "The mailbox for replies to mails; `null`: the sender's.",
      "Acme <support@acme.example>",
      { parse: parseReplyTo },
    ),
    logo: textOrNull(
      "The address of the logo: absolute, or the path below the base URL of a server without " +
        "a public URL. It changes with the image.",
      LOGO_ADDRESS,
      { computed: true },
    ),
    logoDark: textOrNull("The address of the logo for the dark scheme.", null, { computed: true }),
    fixed: {
      ...texts("The fields that options of this server set, and that can't be changed.", []),
      computed: true,
    },
    updatedAt: time("When the settings last changed; 1970 if they never did."),
    logoId: hidden("text?"),
    logoDarkId: hidden("text?"),
  },
} as const satisfies Resource;

/** The settings in storage. */
export type SiteSettings = StoredOf<typeof SITE_SETTINGS.fields>;

/** The settings as the API shows them. */
export type ShownSettings = ShownOf<typeof SITE_SETTINGS.fields>;

/** A logo in storage. */
export interface StoredLogo {
  /** The field that shows it, and its name, like `logo-9f86d081884c7d65.svg`. */
  readonly logoId: string;
  /** Its bytes in base64. */
  readonly data: string;
}

/** The settings in storage, with the bytes of the logos. */
export interface StoredSettings {
  readonly settings: SiteSettings;
  readonly logo: Logo | undefined;
  readonly logoDark: Logo | undefined;
}

/** The options of a process that override the settings in storage. */
export interface SettingsOptions extends BrandOptions {
  /** The text at the end of mails. */
  readonly footer?: string | undefined;
  /** The mailbox for replies. */
  readonly replyTo?: string | undefined;
}

/** The fields with an image. */
export type LogoField = "logo" | "logoDark";

/** The key of the only record. */
export const SITE_ID = "site";

/** The settings until they are changed. */
export const DEFAULT_SETTINGS: SiteSettings = fillRecord<SiteSettings>(SITE_SETTINGS, {
  siteId: SITE_ID,
  updatedAt: EPOCH,
});

/** The option that sets each field. */
const OPTIONS = {
  title: "title",
  home: "home",
  accent: "accent",
  language: "language",
  timeZone: "timeZone",
  mailFooter: "footer",
  mailReplyTo: "replyTo",
  logo: "logo",
  logoDark: "logoDark",
} as const satisfies { readonly [F in keyof ShownSettings]?: keyof SettingsOptions };

/** Returns the fields that options set, in the order of the declaration. */
export function fixedFields(options: SettingsOptions): readonly (keyof typeof OPTIONS)[] {
  const names = Object.keys(OPTIONS) as (keyof typeof OPTIONS)[];
  return names.filter((name) => options[OPTIONS[name]] !== undefined);
}

/** Returns the values of the fields that options set, other than logos. */
export function overridesOf(options: SettingsOptions): Partial<SiteSettings> {
  const fields = settable(SITE_SETTINGS.fields);
  const names = fixedFields(options).filter((name) => name in fields) as (keyof typeof fields)[];
  return Object.fromEntries(
    names.map((
      name,
    ) => [name, acceptOption(name, fields[name].parse(`${options[OPTIONS[name]]}`))]),
  );
}

/** Returns the options that apply: the given ones, then those in storage. */
export function effectiveOptions(
  given: SettingsOptions,
  { settings, logo, logoDark }: StoredSettings,
): SettingsOptions {
  return {
    title: given.title ?? settings.title,
    home: given.home ?? settings.home ?? undefined,
    accent: given.accent ?? settings.accent,
    language: given.language ?? settings.language,
    timeZone: given.timeZone ?? settings.timeZone,
    footer: given.footer ?? settings.mailFooter ?? undefined,
    replyTo: given.replyTo ?? settings.mailReplyTo ?? undefined,
    logo: given.logo ?? logo?.bytes,
    logoDark: given.logoDark ?? logoDark?.bytes,
  };
}

/** Returns the name of a logo from its key in storage. */
export function logoNameOf(logoId: string): string {
  return logoId.slice(logoId.indexOf("-") + 1);
}

/** Returns the path of a logo below the base URL. No entry has such a path. */
export function logoPath({ name }: Pick<Logo, "name">): string {
  return `/changelog/_logo/${name}`;
}

/** Accepts the text at the end of mails, which may be empty and have several lines. */
export function parseFooter(text: string): string | Refusal {
  return parseText(text, { maxCodePoints: FOOTER_MAX_CODE_POINTS, multiline: true });
}

function parseFooterOrNull(text: string): string | null | Refusal {
  return parseFooter(text) || null;
}

function parseReplyTo(text: string): string | Refusal {
  const mailbox = parseMailbox(text);
  return mailbox instanceof Refusal ? mailbox : writeMailbox(mailbox);
}
