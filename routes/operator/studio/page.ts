import type { Brand } from "../../../model/brand.ts";
import { directionOf } from "../../../model/locales/language.ts";
import { markup } from "../../../model/values/html.ts";

/** What the page is told of the service; it learns everything else from the API. */
export interface StudioSite {
  readonly brand: Brand;
  readonly basePath: string;
  /** The address of the service as the world sees it; absent where nothing is public. */
  readonly publicUrl: string | undefined;
}

/** Renders the page, which is empty until its script runs. */
export function renderStudio({ brand, basePath, publicUrl }: StudioSite): string {
  const { title, language } = brand;
  const folder = `${basePath}/studio`;
  const changelog = publicUrl === undefined ? "" : `${publicUrl}/changelog`;
  return markup`<!doctype html>
<html lang="${language}" dir="${
    directionOf(language)
  }" data-title="${title}" data-changelog="${changelog}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${title}</title>
<link rel="icon" href="${folder}/logo">
<link rel="stylesheet" href="${folder}/studio.css">
<link rel="modulepreload" href="${folder}/texts/${language}.js">
<script type="module" src="${folder}/main.js"></script>
</head>
<body>
<noscript><p class="alone">This page needs JavaScript. <a href="${basePath}/docs">API</a></p></noscript>
</body>
</html>
`.html;
}

/** Headers of the page: it runs and loads what this origin serves, and no other page frames it. */
export const STUDIO_HEADERS: Readonly<Record<string, string>> = {
  "Content-Security-Policy": [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "connect-src 'self'",
    // Entries show images from anywhere.
    "img-src 'self' http: https:",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types preview",
  ].join("; "),
  "Cross-Origin-Opener-Policy": "same-origin",
  "Cross-Origin-Resource-Policy": "same-origin",
  "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
  "Referrer-Policy": "no-referrer",
  "X-Frame-Options": "DENY",
};
