import type { Brand } from "../../../model/brand.ts";
import { sha256 } from "../../../model/crypto/encoding.ts";
import { directionOf } from "../../../model/locales/language.ts";
import { type Texts, textsOf } from "../../../model/locales/locales.ts";
import { type Html, markup } from "../../../model/values/html.ts";
import { ISOLATION, type Reply } from "../../_http/reply.ts";
import { HTML_TYPE } from "../../public/_page/site.ts";
import { baseStyleOf } from "../../public/_page/style.ts";

const STYLE = `
body { display: grid; place-items: center; min-height: 100dvh; padding: 1rem; }
main { width: min(26rem, 100%); padding: 2rem; border: 1px solid var(--line); border-radius: .75rem; }
h1 { margin: 0 0 .75rem; font-size: 1.5rem; line-height: 1.25; text-wrap: balance; }
p { margin: 0 0 1rem; }
.brand { display: flex; gap: .6rem; align-items: center; margin-bottom: 1.5rem; font-weight: 600; }
.brand img { height: 1.75rem; width: auto; max-width: 10rem; }
label { display: block; margin-bottom: 1rem; font-weight: 600; }
input { display: block; width: 100%; min-height: 2.75rem; margin-top: .25rem; padding: .4rem .7rem; font: inherit; color: inherit; background: var(--paper); border: 1px solid var(--edge); border-radius: .5rem; }
.error { display: block; margin-top: .25rem; font-weight: 400; color: var(--bad); }
button { width: 100%; min-height: 2.75rem; padding: .4rem 1rem; font: inherit; font-weight: 600; color: var(--paper); background: var(--accent); border: 0; border-radius: .5rem; cursor: pointer; }
form + p { margin: 1rem 0 0; }
:root { --bad: #a3161c; }
@media (prefers-color-scheme: dark) { :root { --bad: #ff9c93; } }
`;

/** The settings of pages on which members sign in. */
export interface SignInSite {
  readonly brand: () => Promise<Brand>;
  /** The path of the service in browsers, without a slash at the end. */
  readonly publicPath: string;
}

/** The title and the content of a page. */
export interface SignInContent {
  readonly title: string;
  readonly content: Html;
}

/** Replies with a page on which somebody signs in. It is stored nowhere and runs no scripts. */
export async function signInPage(
  { publicPath, ...site }: SignInSite,
  { status, show }: {
    readonly status: number;
    readonly show: (texts: Texts, title: string) => SignInContent;
  },
): Promise<Reply> {
  const brand = await site.brand();
  const style = `${baseStyleOf(brand)}${STYLE}`;
  const { title, content } = show(textsOf(brand.language), brand.title);
  const logo = `${publicPath}/studio/logo`;
  const body = markup`<!doctype html>
<html lang="${brand.language}" dir="${directionOf(brand.language)}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${title}</title>
<link rel="icon" href="${logo}">
<style>${{ html: style }}</style>
</head>
<body>
<main>
<p class="brand"><img src="${logo}" alt=""><bdi>${brand.title}</bdi></p>
<h1>${title}</h1>
${content}
</main>
</body>
</html>
`.html;
  const headers = {
    ...ISOLATION,
    "Content-Security-Policy": [
      "default-src 'none'",
      `style-src 'sha256-${await sha256(style)}'`,
      "img-src 'self'",
      "base-uri 'none'",
      "form-action 'self'",
      "frame-ancestors 'none'",
    ].join("; "),
    "Referrer-Policy": "same-origin",
  };
  return { status, body, contentType: HTML_TYPE, headers };
}
