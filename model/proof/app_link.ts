import type { Kind } from "../kind.ts";

/** An unopened link by which an app vouches for a person. */
export interface AppLink {
  readonly linkId: string;
  /** RFC 3339, UTC, milliseconds. */
  readonly expiresAt: string;
}

/** The single-use links of apps. */
export const APP_LINKS: Kind<AppLink> = {
  name: "appLinks",
  key: "linkId",
  fields: { linkId: "text", expiresAt: "time" },
  indexes: { byExpiry: { by: "expiresAt" } },
};
