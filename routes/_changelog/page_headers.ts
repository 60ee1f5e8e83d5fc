import { sha256 } from "../../model/sha256.ts";
import { CHANGELOG_STYLE } from "./style.ts";

/** Returns the headers of public pages, which run nothing, load images alone and are framed by nobody. */
export async function createPageHeaders(): Promise<Readonly<Record<string, string>>> {
  return {
    "Content-Security-Policy": [
      "default-src 'none'",
      `style-src 'sha256-${await sha256(CHANGELOG_STYLE)}'`,
      "img-src http: https:",
      "base-uri 'none'",
      "form-action 'none'",
      "frame-ancestors 'none'",
    ].join("; "),
    "Referrer-Policy": "strict-origin-when-cross-origin",
  };
}
