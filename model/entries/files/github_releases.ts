import { parseListTime } from "../../values/past_time.ts";
import { type RawEntry, toEntryId } from "./file_entry.ts";
import { replaceHtml } from "./html_in_markdown.ts";
import { type FileOptions, makeAbsolute } from "./relative_links.ts";
import { resolveReferences, takeReferences } from "./references.ts";

/** What is read of a release, as the APIs of GitHub and GitLab answer it. */
export interface Release {
  readonly tag_name: string;
  readonly name?: string | null;
  readonly body?: string | null;
  readonly description?: string | null;
  readonly draft?: boolean;
  readonly prerelease?: boolean;
  readonly published_at?: string | null;
  readonly released_at?: string | null;
  readonly html_url?: string;
  readonly _links?: { readonly self?: string };
}

/** Tells whether a value of JSON is a release. */
export function isRelease(value: object): value is Release {
  return "tag_name" in value && typeof value.tag_name === "string";
}

/** Reads a release; a draft stays one. */
export function readRelease(release: Release, { baseUrl }: FileOptions = {}): RawEntry {
  const { tag_name: tag, name, body, description, draft, prerelease, html_url: url } = release;
  const text = textOf(body) || textOf(description);
  const { markdown: source, references } = takeReferences(text.replace(/\r\n?/g, "\n"));
  const { markdown, leftOut } = replaceHtml(resolveReferences(source, references));
  const at = textOf(release.published_at) || textOf(release.released_at);
  return {
    entryId: toEntryId(tag),
    title: textOf(name).trim() || tag,
    ...makeAbsolute(markdown, baseUrl),
    labels: prerelease === true ? ["pre-release"] : [],
    url: textOf(url) || textOf(release._links?.self) || null,
    publishedAt: draft === true ? null : parseListTime(at),
    leftOut,
  };
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}
