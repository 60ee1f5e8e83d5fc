import { sha256 } from "../../model/sha256.ts";
import { CHANGELOG_STYLE } from "./style.ts";

/**
 * Returns the headers of public pages, which run nothing, load images alone and are framed by nobody;
 * `formAction` is the source that their forms may be sent to.
 */
export async function createPageHeaders(
  formAction: string = "'none'",
): Promise<Readonly<Record<string, string>>> {
  return {
    "Content-Security-Policy": [
      "default-src 'none'",
      `style-src 'sha256-${await sha256(CHANGELOG_STYLE)}'`,
      "img-src http: https:",
      "base-uri 'none'",
      `form-action ${formAction}`,
      "frame-ancestors 'none'",
    ].join("; "),
    "Referrer-Policy": "strict-origin-when-cross-origin",
  };
}
