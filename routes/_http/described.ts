/**
 * The names of contents that are no records, such as files and pages. The reference describes each
 * content (`operator/openapi/contents.ts`).
 */
export type ContentName =
  | "SubscriberLines"
  | "SubscriberTable"
  | "VoteLines"
  | "VoteTable"
  | "PostLines"
  | "PostTable"
  | "PostArchive"
  | "PostImportReport"
  | "ImportReport"
  | "EntryLines"
  | "ChangelogFile"
  | "EntriesInJson"
  | "AtomFeed"
  | "EntryImportReport"
  | "BounceEvents"
  | "BounceForm"
  | "BounceMail"
  | "Metrics"
  | "Feed"
  | "JsonFeed"
  | "Page"
  | "ImageFile"
  | "Sitemap"
  | "RobotsFile"
  | "Script"
  | "OpenApi";

/** The names of the promised response headers; see `operator/openapi/headers.ts`. */
export type ResponseHeaderName =
  | "X-Request-Id"
  | "Cache-Control"
  | "X-Content-Type-Options"
  | "RateLimit-Policy"
  | "RateLimit"
  | "Retry-After"
  | "ETag"
  | "Last-Modified"
  | "Location"
  | "WWW-Authenticate"
  | "Access-Control-Allow-Origin"
  | "Allow"
  | "Accept"
  | "Accept-Encoding";
