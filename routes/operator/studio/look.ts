import { accentOf } from "../../../model/accent.ts";
import { type Brand, type Logo, LOGO_TYPES, parseAccent } from "../../../model/brand.ts";
import { directionOf, type Language, LANGUAGES } from "../../../model/locales/language.ts";
import { markup } from "../../../model/values/html.ts";
import { parseHttpUrl } from "../../../model/values/http_url.ts";
import { Refusal } from "../../../model/values/refusal.ts";
import { parseName } from "../../../model/values/text.ts";
import { jsonReply, type Reply } from "../../_http/reply.ts";
import { STYLE_TYPE } from "../../_http/served_file.ts";
import { renderTop } from "../../public/_page/layout.ts";
import { styleOf } from "../../public/_page/style.ts";

/** The names of files that show settings which are not saved yet, and come in the query. */
export const LOOKS = { head: "head.json", style: "preview.css" } as const;

const LOGO_NAME = /^[0-9a-f]{16}\.(png|webp|svg)$/;

/** Replies with the head of a page in the look of the query, as far as its values are valid. */
export function showHead(brand: Brand, query: URLSearchParams): Reply {
  const shown = {
    ...brand,
    title: accepted(parseName(query.get("title") ?? "")) ?? brand.title,
    home: accepted(parseHttpUrl(query.get("home") ?? "")),
    language: LANGUAGES.find((one) => one === query.get("language")) ?? brand.language,
    logo: logoNamed(query.get("logo")),
    logoDark: logoNamed(query.get("logoDark")),
    // Relative to the page of the studio, because a proxy may strip a path.
    publicUrl: ".",
    hasBoards: true,
    hasSignUp: true,
  };
  const html = markup`${renderTop(shown, { hasTitle: true, isList: true })}
<main><div class="hero">
<h1 dir="auto">${shown.title}</h1>
</div></main>`.html;
  const { language } = shown satisfies { readonly language: Language };
  return jsonReply(200, { html, language, dir: directionOf(language) });
}

/** Replies with the style of pages in the colour of the query; `undefined` if it has none. */
export function showStyle(query: URLSearchParams): Reply | undefined {
  const accent = accepted(parseAccent(query.get("accent") ?? ""));
  if (accent === undefined) return undefined;
  return { status: 200, body: styleOf({ accent: accentOf(accent) }), contentType: STYLE_TYPE };
}

function accepted<T>(parsed: T | Refusal): T | undefined {
  return parsed instanceof Refusal ? undefined : parsed;
}

/** Returns a logo by its name in its address; pages need no more of it. */
function logoNamed(name: string | null): Logo | undefined {
  const [, ending] = LOGO_NAME.exec(name ?? "") ?? [];
  if (name === null || ending === undefined) return undefined;
  const contentType = LOGO_TYPES[ending as keyof typeof LOGO_TYPES];
  return { name, contentType, bytes: new Uint8Array() };
}
